import type { Surface } from "#contract/actor.ts";
import type { Logger } from "pino";

import { CountersignError } from "../base/errors.ts";
import { createAnchor } from "../ledger/anchor.ts";
import type { Settings } from "../settings/load.ts";
import type { Store } from "../store/open.ts";

/** Says one plain line in a channel, as `slack:T1:C1`; rejects when it could not. */
export type Announce = (channel: string, text: string) => Promise<void>;

export interface AuditAnchor {
  announceThrough(surface: Surface, announce: Announce): void;
  start(): void;
  stop(): void;
}

/** Tells the head of the audit chain daily: to the log, and in the channel that the settings name. */
export function createAuditAnchor(
  { audit }: Pick<Settings, "audit">,
  { db, now }: Pick<Store, "db" | "now">,
  log: Logger,
): AuditAnchor {
  const announcers = new Map<string, Announce>();
  const { head_channel: channel } = audit;
  const anchor = createAnchor({
    db,
    now,
    async tell(head) {
      if (channel !== "") {
        const announce = announcers.get(channel.slice(0, channel.indexOf(":")));
        if (announce === undefined) {
          throw new CountersignError("not_connected", `expected to reach ${channel}; it is not connected`);
        }
        await announce(channel, `Audit head ${head.seq}:${head.hash}`);
      }
      log.info({ seq: head.seq, hash: head.hash }, "audit head");
    },
    onFailure: (error) =>
      log.warn({ error, channel }, "the audit head could not be posted, will be tried again"),
  });
  return {
    announceThrough: (surface, announce) => void announcers.set(surface, announce),
    start: () => anchor.start(),
    stop: () => anchor.stop(),
  };
}

import type { Logger } from "pino";

import type { Health } from "#contract/core.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createAnchor } from "#src/ledger/audit.ts";
import type { ManagedToolBox } from "#src/mcp/tool-box.ts";
import type { ModelSelector } from "#src/model/selector.ts";
import type { ToolWatch } from "#src/plan/tool-watch.ts";
import type { Store } from "#src/store/open.ts";

import type { ConnectedPlatform } from "./product-port.ts";

/** Composes the state of the parts. */
export function createHealth(parts: {
  version: string;
  tools: Pick<ManagedToolBox, "servers" | "freshen">;
  models: ModelSelector;
  store: Store;
  /** What is wrong with the last entries of the audit record. */
  auditFault: () => string | undefined;
  toolWatch: ToolWatch;
  /** What an operator should know of the configuration. */
  configuration: () => string[];
  /** By name; filled as they start. */
  platforms: ReadonlyMap<string, ConnectedPlatform>;
  /** Every server was tried once. */
  isReady: () => boolean;
}): () => Promise<Health> {
  return async () => {
    parts.models.freshen();
    parts.tools.freshen();
    const { damage: found = [], ...store } = await parts.store.check();
    const fault = parts.auditFault();
    const damage = fault === undefined ? found : [...found, `audit: ${fault}`];
    const servers = parts.tools.servers();
    const { provider, model, reachable, reason } = parts.models.current();
    const surfaces = [...parts.platforms].map(([name, platform]) => [name, platform.status()] as const);
    const isWhole =
      store.ok &&
      damage.length === 0 &&
      servers.every(({ status }) => status === "up" || status === "waiting") &&
      surfaces.every(([, surface]) => surface.status !== "down") &&
      (reachable || provider === "builtin");
    const changes = parts.toolWatch
      .changes()
      .map(({ tool, at }) => `${tool} is described otherwise since ${new Date(at).toISOString()}`);
    const notices = [...parts.configuration(), ...changes];
    return {
      status: parts.isReady() ? (isWhole ? "ok" : "degraded") : "starting",
      version: parts.version,
      model: { provider, model, reachable, ...(reason === undefined ? {} : { reason }) },
      servers,
      store: { kind: parts.store.kind, ...store, ...(damage.length === 0 ? {} : { damage }) },
      ...(notices.length === 0 ? {} : { notices }),
      ...(surfaces.length === 0 ? {} : { surfaces: Object.fromEntries(surfaces) }),
    };
  };
}

/** What of it people are told at once when it becomes another; counts and times change all the time. */
export function toldOf({ status, model, store, servers, surfaces = {}, notices = [] }: Health): string {
  return JSON.stringify([
    status,
    model,
    store,
    servers.map((server) => [server.name, server.status, server.error]),
    Object.entries(surfaces),
    notices,
  ]);
}

/** Tells the head of the audit chain daily: to the log, and in `channel`, such as `slack:T1:C1`, unless it is empty. */
export function createAuditAnchor(
  channel: string,
  platforms: ReadonlyMap<string, ConnectedPlatform>,
  { db, now, log }: Pick<Store, "db" | "now"> & { log: Logger },
): ReturnType<typeof createAnchor> {
  return createAnchor({
    db,
    now,
    async tell(head) {
      if (channel !== "") {
        const platform = platforms.get(channel.slice(0, channel.indexOf(":")));
        if (platform === undefined) {
          throw new CountersignError("not_connected", `expected to reach ${channel}; it is not connected`);
        }
        await platform.announce(channel, `Audit head ${head.seq}:${head.hash}`);
      }
      log.info({ seq: head.seq, hash: head.hash }, "audit head");
    },
    onFailure: (error) =>
      log.warn({ error, channel }, "the audit head could not be posted, will be tried again"),
  });
}

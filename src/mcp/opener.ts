import { SdkErrorCode } from "@modelcontextprotocol/client";
import type { PriorDiscovery } from "@modelcontextprotocol/client";

import { digest } from "../base/digest.ts";
import { codeOf } from "../base/errors.ts";
import { connect } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Launcher } from "./launcher.ts";
import type { KeptSession, McpLog, McpServerConfig, Verdict, VerdictStore } from "./options.ts";
import type { Outfit } from "./outgoing.ts";
import { createRedirects } from "./redirects.ts";
import { createTransport } from "./transports.ts";

export interface OpenerOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: McpLog;
  /** Ends every opening. */
  signal: AbortSignal;
  /** Keeps the verdict for the next process; without it every start negotiates. */
  verdicts: VerdictStore | undefined;
}

export interface OpenOptions {
  /** Milliseconds since the epoch. */
  until: number;
  onListChanged: () => void;
  /** Follow list changes for as long as the connection lives. */
  follow?: boolean;
  /** A session that an earlier connection began. */
  resume?: KeptSession | undefined;
  outfit?: Outfit | undefined;
}

/** Opens connections to one server and remembers which revision of the protocol it speaks. */
export interface Opener {
  open(options: OpenOptions): Promise<Connection>;
}

/** A server may be upgraded behind our back: it is asked again after this time. */
const verdictMs = 60 * 60 * 1000;

/** Names a server in the store: another program or address is another server, whatever its name. */
export function serverKey(config: McpServerConfig): string {
  return digest({
    name: config.name,
    command: config.command ?? null,
    url: config.url ?? config.sse_url ?? null,
  });
}

export function createOpener({ config, version, launcher, log, signal, verdicts }: OpenerOptions): Opener {
  const address = config.url ?? config.sse_url;
  const overHttp = address !== undefined;
  const redirects = address === undefined ? undefined : createRedirects(address);
  const key = serverKey(config);
  let verdict: Verdict | undefined;

  return {
    async open({ until, onListChanged, follow = false, resume, outfit }) {
      // The store only spares a negotiation: without an answer from it there is one.
      verdict ??= await verdicts?.get(key).catch(() => undefined);
      if (verdict !== undefined && Date.now() - verdict.at > verdictMs) verdict = undefined;
      const given = {
        ...(resume === undefined ? {} : { resume }),
        ...(outfit === undefined ? {} : { outfit }),
        ...(redirects === undefined ? {} : { redirects }),
      };
      const attempt = (prior: PriorDiscovery | undefined): Promise<Connection> =>
        connect(createTransport(config, launcher, given), {
          config,
          version,
          log,
          timeoutMs: left(until),
          signal,
          prior,
          resume,
          onListChanged,
          follow,
        });
      try {
        const connection = await attempt(verdict?.prior).catch((error: unknown) => {
          // Some old servers over stdio die of being asked for their revision.
          if (overHttp || codeOf(error) !== SdkErrorCode.EraNegotiationFailed) throw error;
          return attempt({ kind: "legacy" });
        });
        const prior = connection.verdict();
        if (prior !== undefined && verdict === undefined) {
          verdict = { prior, at: Date.now() };
          await verdicts?.set(key, verdict).catch(() => undefined);
        }
        return connection;
      } catch (error) {
        verdict = undefined;
        await verdicts?.delete(key).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** Milliseconds until a moment, at least one. */
export function left(until: number): number {
  return Math.max(until - Date.now(), 1);
}

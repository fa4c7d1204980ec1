import { SdkErrorCode } from "@modelcontextprotocol/client";
import type { PriorDiscovery } from "@modelcontextprotocol/client";

import { codeOf } from "../base/errors.ts";
import { connect } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Launcher } from "./launcher.ts";
import type { McpLog, McpServerConfig } from "./options.ts";
import { createTransport } from "./transports.ts";

export interface OpenerOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: McpLog;
  /** Ends every opening. */
  signal: AbortSignal;
}

/** Opens connections to one server and remembers which revision of the protocol it speaks. */
export interface Opener {
  open(options: { until: number; onListChanged: () => void }): Promise<Connection>;
}

/** An old server may be upgraded behind our back: it is asked again after this time. */
const legacyVerdictMs = 60 * 60 * 1000;

export function createOpener({ config, version, launcher, log, signal }: OpenerOptions): Opener {
  const overHttp = config.url !== undefined || config.sse_url !== undefined;
  let verdict: { prior: PriorDiscovery; at: number } | undefined;

  return {
    async open({ until, onListChanged }) {
      if (verdict?.prior.kind === "legacy" && Date.now() - verdict.at > legacyVerdictMs) verdict = undefined;
      const attempt = (prior: PriorDiscovery | undefined): Promise<Connection> =>
        connect(createTransport(config, launcher), {
          server: config.name,
          version,
          log,
          timeoutMs: left(until),
          signal,
          prior,
          onListChanged,
          follow: config.use_persistent_session === true,
        });
      try {
        const connection = await attempt(verdict?.prior).catch((error: unknown) => {
          // Some old servers over stdio die of being asked for their revision.
          if (overHttp || codeOf(error) !== SdkErrorCode.EraNegotiationFailed) throw error;
          return attempt({ kind: "legacy" });
        });
        const prior = connection.verdict();
        if (prior !== undefined) verdict ??= { prior, at: Date.now() };
        return connection;
      } catch (error) {
        verdict = undefined;
        throw error;
      }
    },
  };
}

/** Milliseconds until a moment, at least one. */
export function left(until: number): number {
  return Math.max(until - Date.now(), 1);
}

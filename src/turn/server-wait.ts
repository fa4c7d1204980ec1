import { en } from "../base/words/en.ts";
import type { CommandInfo } from "#contract/core.ts";
import type { ServerStatus } from "#contract/tool.ts";

import type { StoredTurn } from "./rows.ts";
import type { TurnRun } from "./run.ts";

/** Waits until the servers that a turn's words name have started, or turn out to be down. */
export type ServerWait = (run: Pick<TurnRun, "turn" | "emit">, signal: AbortSignal) => Promise<void>;

/**
 * Servers that are being downloaded have no tools yet: a turn that names one, by its name or by a command of it,
 * would be answered as if there were none. Its person reads what the server does meanwhile. Other turns go on.
 */
export function createServerWait({
  servers,
  onChange,
  commands,
}: {
  servers: () => ServerStatus[];
  /** Calls when a status changed. Returns what takes the listener off again. */
  onChange: (listener: () => void) => () => void;
  commands: readonly CommandInfo[];
}): ServerWait {
  function isNamed({ message, call }: StoredTurn, server: string): boolean {
    const words = message.toLowerCase().split(/[^\p{L}\p{N}_-]+/u);
    const names = [server, ...commands.filter((one) => one.server === server).map(({ name }) => name)];
    return (
      call?.tool.startsWith(`${server}.`) === true || names.some((one) => words.includes(one.toLowerCase()))
    );
  }

  return async (run, signal) => {
    const named = new Set(servers().flatMap(({ name }) => (isNamed(run.turn, name) ? [name] : [])));
    const starting = (): ServerStatus | undefined =>
      servers().find(({ name, status }) => status === "starting" && named.has(name));
    if (starting() === undefined) return;
    let wake = (): void => {};
    const off = onChange(() => wake());
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      let told = "";
      for (;;) {
        // Before the look, so that no change is missed.
        const changed = new Promise<void>((resolve) => (wake = resolve));
        const server = starting();
        if (server === undefined || signal.aborted) return;
        const { name, doing } = server;
        const waits = en.recorded.waitsForServer(name);
        const message = doing === undefined ? waits : `${waits}: ${doing}`;
        if (message !== told) await run.emit({ type: "progress", message });
        told = message;
        await changed;
      }
    } finally {
      off();
      signal.removeEventListener("abort", onAbort);
    }
  };
}

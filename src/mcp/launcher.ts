import { resolve } from "node:path";

import { childEnvironment } from "./environment.ts";
import { logLines } from "./line-log.ts";
import type { McpLog, McpServerConfig } from "./options.ts";
import { spawnGroup } from "./process-group.ts";
import { sandboxed } from "./sandbox.ts";
import type { ProcessGroup } from "./process-group.ts";

/** A launched server: its group, and its last words for error messages. */
export interface Launched {
  group: ProcessGroup;
  /** How it ended and what it said last, once it has ended by itself. */
  obituary(): string | undefined;
  end(): Promise<void>;
}

export interface Launcher {
  /** Starts the command of a server. With `captureOutput` its stdout goes to the log as well. */
  launch(config: McpServerConfig, options: { captureOutput: boolean }): Promise<Launched>;
  /** Process ids of the groups that have not been ended. */
  pids(): number[];
  stop(): Promise<void>;
}

export interface LauncherOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: McpLog;
}

export function createLauncher(options: LauncherOptions): Launcher {
  const live = new Set<Launched>();
  let stopped = false;

  // The last resort, for a parent that exits without stopping. A killed parent closes the
  // children's input, which ends a stdio server.
  function killAll(): void {
    for (const launched of live) launched.group.kill();
  }

  async function launch(
    config: McpServerConfig,
    { captureOutput }: { captureOutput: boolean },
  ): Promise<Launched> {
    const cwd = resolve(options.cwd, config.cwd ?? ".");
    const env = childEnvironment(options.env, config.env);
    const plain = config.command ?? [];
    // What the product keeps is no business of a server that is shut in.
    const hide = env.COUNTERSIGN_DATA === undefined ? [] : [env.COUNTERSIGN_DATA];
    const command =
      config.sandbox === undefined ? plain : sandboxed(plain, { config: config.sandbox, cwd, env, hide });
    const group = await spawnGroup({ command, cwd, env });
    const about = { server: config.name, pid: group.pid };
    const errors = logLines(group.child.stderr, (line) =>
      options.log.info({ ...about, line }, "server stderr"),
    );
    if (captureOutput)
      logLines(group.child.stdout, (line) => options.log.debug({ ...about, line }, "server stdout"));

    let asked = false;
    const launched: Launched = {
      group,
      obituary() {
        const how = group.ending();
        // A clean end that was asked for is no news.
        if (asked && (group.child.signalCode !== null || group.child.exitCode === 0)) return undefined;
        if (how === undefined) return undefined;
        const words = errors.tail().slice(-4).join(" | ");
        return words === "" ? how : `${how}; its last words: ${words.slice(0, 600)}`;
      },
      async end() {
        asked ||= group.ending() === undefined;
        const clean = await group.end();
        live.delete(launched);
        if (live.size === 0) process.off("exit", killAll);
        if (!clean) options.log.error(about, "server could not be ended: some of its processes survive");
      },
    };
    if (live.size === 0) process.on("exit", killAll);
    live.add(launched);
    options.log.debug({ ...about, command: config.command }, "server launched");
    if (stopped) {
      await launched.end();
      throw new Error("the tool box was stopped");
    }
    return launched;
  }

  return {
    launch,
    pids: () => [...live].map((launched) => launched.group.pid),
    async stop() {
      stopped = true;
      await Promise.all([...live].map((launched) => launched.end()));
    },
  };
}

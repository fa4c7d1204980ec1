import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { CountersignError } from "../../base/errors.ts";
import { bareHost } from "../../base/http.ts";
import type { McpServerConfig } from "../config.ts";
import type { LaunchedServer, Launcher } from "./launcher.ts";
import { type CallClock, startClock } from "./open-call.ts";

/** A launched server that is reached over a url and lives as long as the tool box. */
export interface Daemon {
  /** Launches it where it is not running and waits until its port accepts a connection, see StartClock. */
  ensure(startMs: number, onOutput: (line: string) => void): Promise<void>;
  stop(): Promise<void>;
}

const pollMs = 50;

export function createDaemon(
  config: McpServerConfig,
  launcher: Launcher,
  onLost: (why: string) => void,
): Daemon {
  const url = new URL(config.url ?? config.sse_url ?? "");
  let launched: LaunchedServer | undefined;
  let starting: Promise<void> | undefined;
  let ready = false;
  let stopped = false;

  async function launch(startMs: number, onOutput: (line: string) => void): Promise<void> {
    const clock = startClock(startMs);
    try {
      await launchUntil(clock, onOutput);
    } finally {
      clock.stop();
    }
  }

  async function launchUntil(clock: CallClock, onOutput: (line: string) => void): Promise<void> {
    const fresh = await launcher.launch(config, {
      captureOutput: true,
      onOutput(line) {
        clock.touch();
        if (!ready) onOutput(line);
      },
    });
    if (stopped) {
      await fresh.end();
      throw new CountersignError("launch_failed", "the tool box was stopped");
    }
    launched = fresh;
    void fresh.process.exited.then(() => {
      if (launched !== fresh) return;
      launched = undefined;
      void fresh.end();
      // Before it is ready the failure is told to who waits for it.
      if (ready) onLost(`the server ${fresh.ending()}`);
      ready = false;
    });
    while (!(await accepts(url))) {
      if (fresh.process.hasEnded())
        throw new CountersignError("launch_failed", `the server ${fresh.ending()}`);
      const late = clock.outOfTime();
      if (late !== undefined) {
        launched = undefined;
        void fresh.end();
        const message = `nothing listens on ${url.host} ${late.ms} ms after ${late.limit === "idle" && clock.wasTouched() ? "the last sign of life" : "the launch"}`;
        throw new CountersignError("launch_failed", message);
      }
      await delay(pollMs);
    }
    ready = true;
  }

  return {
    ensure(startMs, onOutput) {
      if (launched !== undefined && ready) return Promise.resolve();
      starting ??= launch(startMs, onOutput).finally(() => (starting = undefined));
      return starting;
    },
    async stop() {
      stopped = true;
      const last = launched;
      launched = undefined;
      await last?.end();
    },
  };
}

/** Whether something takes connections there. `signal` ends the wait, as a no. */
export async function accepts({ hostname, port, protocol }: URL, signal?: AbortSignal): Promise<boolean> {
  const usual = protocol === "https:" ? 443 : 80;
  const socket = connectSocket({ host: bareHost(hostname), port: Number(port) || usual });
  try {
    await once(socket, "connect", signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

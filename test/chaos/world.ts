import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { NoAnswerError, type Replica } from "./client.ts";
import { writeCounterConfig } from "./config.ts";
import { type ProductProcess, runCommand, startProcess } from "./process.ts";

export type StoreName = "embedded" | "postgres";

/** The place of one episode: its folder, its database and its processes. */
export interface World {
  store: StoreName;
  folder: string;
  /** One on the embedded store, two on Postgres. */
  names: string[];
  /** Those that live and listen. */
  living(): Replica[];
  /** Starts a process; undefined when it ended before it listened. */
  start(name: string, failPoint?: string): Promise<Replica | undefined>;
  process(name: string): ProductProcess | undefined;
  /** Resolves when every process is ready or has ended. */
  ready(): Promise<void>;
  killAll(): Promise<void>;
  command(...command: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Kills what still runs and removes the folder. */
  close(): Promise<void>;
}

/** `databaseUrl` names an empty database; without it the episode runs on the embedded store. */
export async function createWorld(databaseUrl?: string): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-chaos-"));
  const store: StoreName = databaseUrl === undefined ? "embedded" : "postgres";
  const names = store === "embedded" ? ["a"] : ["a", "b"];
  const configs = new Map<string, string>();
  for (const name of names) {
    const options = { folder, owner: name, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    configs.set(name, await writeCounterConfig(options));
    await mkdir(join(folder, `data-${name}`));
  }
  const replicas = new Map<string, Replica>();
  const processes = new Map<string, ProductProcess>();

  const place = (name: string): { config: string; dataDir: string } => ({
    config: configs.get(name) ?? "",
    dataDir: join(folder, `data-${name}`),
  });

  async function killAll(): Promise<void> {
    await Promise.all([...processes.values()].map((one) => one.kill()));
  }

  return {
    store,
    folder,
    names,
    living: () => [...replicas.values()].filter((replica) => !replica.process.isOver()),
    async start(name, failPoint) {
      const started = startProcess({
        ...place(name),
        ...(failPoint === undefined ? {} : { failPoint }),
      });
      processes.set(name, started);
      replicas.delete(name);
      const url = await started.listening;
      if (url === undefined) {
        const { signal, code } = await started.ended;
        if (signal === "SIGKILL") return undefined;
        throw new NoAnswerError(
          `${name} ended by itself at its start (${code}):\n${started.tail().join("\n")}`,
        );
      }
      const replica = { name, process: started, url };
      replicas.set(name, replica);
      return replica;
    },
    process: (name) => processes.get(name),
    async ready() {
      await Promise.all([...processes.values()].map((one) => one.ready));
    },
    killAll,
    command: (...command) => runCommand({ ...place("a"), command }),
    async close() {
      await killAll();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

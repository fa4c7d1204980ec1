import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { FailPointName } from "#src/base/fail-point.ts";
import { openEmbeddedStore } from "#src/store/open.ts";

import {
  cleanUpAll,
  jiraOnly,
  projectRoot,
  type RunningProduct,
  say,
  startProduct,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

let dataDir: string;
let config: string;
let running: RunningProduct;

/** Runs one command as a person does, on the data folder. */
function countersign(args: string[], failPoint: FailPointName | "" = ""): Promise<Ran> {
  const child = spawn(process.execPath, ["countersign.js", ...args, "--config", config], {
    cwd: projectRoot,
    env: {
      ...process.env,
      OLLAMA_HOST: "http://127.0.0.1:9",
      COUNTERSIGN_DATA: dataDir,
      COUNTERSIGN_FAIL_POINT: failPoint,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = { code: null, signal: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ ...ran, code, signal }));
  });
}

function messagesIn(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const rows = db.prepare("select message from turns order by position").all();
    return rows.map((row) => String(row.message));
  } finally {
    db.close();
  }
}

/** Of every table, as text. */
function everyRow(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
    return tables.flatMap(({ name }) =>
      db
        .prepare(`select * from "${String(name)}"`)
        .all()
        .map((row) => JSON.stringify([name, row])),
    );
  } finally {
    db.close();
  }
}

beforeAll(async () => {
  dataDir = await temporaryFolder();
  config = join(await temporaryFolder(), "countersign.json");
  await writeFile(config, JSON.stringify(jiraOnly()));
  running = await startProduct({ config: jiraOnly(), dataDir, endsWith: "file" });
});
afterAll(cleanUpAll);

describe("a backup", () => {
  let file: string;
  const acknowledged: string[] = [];
  let before: number;

  beforeAll(async () => {
    file = join(await temporaryFolder(), "kept.db");
  });

  it("[ops.backup] of a product under load has everything that was acknowledged before it, for its owner alone", async () => {
    const over = new AbortController();
    const firstAnswers = Promise.withResolvers<void>();
    const talk = async (who: number): Promise<void> => {
      for (let at = 0; !over.signal.aborted; at += 1) {
        const message = `/jira DEMO-${at % 9} from ${who} as ${at}`;
        const { status } = await say(running, message, { session_id: `load-${who}` });
        expect(status).toBe(200);
        acknowledged.push(message);
        if (acknowledged.length === 30) firstAnswers.resolve();
      }
    };
    const load = Promise.all([0, 1, 2, 3].map(talk));
    await firstAnswers.promise;
    before = acknowledged.length;
    const told = acknowledged.slice();
    const ran = await countersign(["backup", "--to", file]);
    over.abort();
    await load;
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^Backed up \d+ turns and \d+ audit entries to .*kept\.db\nThe audit chain is whole, its head \d+:[0-9a-f]{64}\nIt does not hold the secret key/,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = new Set(messagesIn(file));
    expect(told.filter((message) => !kept.has(message))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(before);
    const again = await countersign(["backup", "--to", file]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("[backup_exists]");
  });

  it("[ops.forget] a person is exported and forgotten while the product answers others, and the chain stays whole", async () => {
    const secret = "/jira DEMO-3 for my raise to 98,765";
    for (let at = 0; at < 5; at += 1) await say(running, secret, { actor: "zoe", session_id: "of-zoe" });
    expect((await countersign(["people"])).stdout).toMatch(/^zoe: http:zoe$/m);
    const exported = await countersign(["people", "export", "zoe"]);
    const records = exported.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; message?: string; result?: { reply: string } });
    const turns = records.filter((record) => record.kind === "turn");
    expect(turns.map((turn) => turn.message)).toEqual(Array.from({ length: 5 }, () => secret));
    expect(turns[0]?.result?.reply).toContain("DEMO-3");
    expect((await countersign(["people", "forget", "zoe"])).code).toBe(2);
    expect((await countersign(["people", "forget", "nobody", "--yes"])).stderr).toContain("[not_found]");

    const over = new AbortController();
    const talk = async (who: number): Promise<number> => {
      for (let at = 0; ; at += 1) {
        if (over.signal.aborted) return at;
        const message = `/jira DEMO-${at % 9} while others are forgotten ${who} ${at}`;
        expect((await say(running, message, { session_id: `beside-${who}` })).status).toBe(200);
        acknowledged.push(message);
      }
    };
    const load = Promise.all([0, 1, 2].map(talk));
    const forgotten = await countersign(["people", "forget", "zoe", "--yes", "--json"]);
    over.abort();
    expect(Math.min(...(await load))).toBeGreaterThan(0);
    expect(forgotten).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ ids: ["http:zoe"], turns: 5 });
    expect(await countersign(["audit", "verify"])).toMatchObject({ code: 0 });
    const later = "/jira DEMO-1 after somebody was forgotten";
    expect((await say(running, later)).status).toBe(200);
    acknowledged.push(later);
    expect(await countersign(["audit", "verify"])).toMatchObject({ code: 0 });
    const rows = everyRow(join(dataDir, "countersign.db"));
    for (const gone of ["98,765", "http:zoe", "of-zoe"])
      expect(rows.filter((row) => row.includes(gone))).toEqual([]);
    expect((await countersign(["people", "export", "zoe"])).stderr).toContain("[not_found]");

    // Somebody reads the store as it was before: what is left beside it is said.
    await say(running, secret, { actor: "yan", session_id: "of-yan" });
    const reader = new DatabaseSync(join(dataDir, "countersign.db"), { readOnly: true });
    reader.exec("begin");
    reader.prepare("select count(*) from turns").get();
    const held = await countersign(["people", "forget", "yan", "--yes"]);
    reader.close();
    expect(held.stdout).toContain("texts stay in countersign.db-wal");
  });

  it("[ops.backup] is not restored while the product runs, and not where it is damaged or of a newer version", async () => {
    expect((await countersign(["restore", file])).stderr).toContain("[data_folder_in_use]");
    await running.stop();
    const all = await readFile(file);
    const bad = join(await temporaryFolder(), "bad.db");
    await writeFile(bad, all.fill(0x55, 8_192, 40_000));
    const damaged = await countersign(["restore", bad]);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(
      /Expected a whole store of Countersign in .*bad\.db, found: [^]*\[backup_damaged\]/,
    );
    await writeFile(bad, "no database at all, but some text of a certain length");
    expect((await countersign(["restore", bad])).stderr).toContain("[backup_damaged]");
    await writeFile(bad, await readFile(file));
    const db = new DatabaseSync(bad);
    db.exec("insert into kysely_migration values ('9999_later', '')");
    expect((await countersign(["restore", bad])).stderr).toContain("[backup_newer]");
    db.exec(
      "delete from kysely_migration where name = '9999_later'; update audit set actor = 'http:eve' where seq = 3",
    );
    db.close();
    expect((await countersign(["restore", bad])).stderr).toMatch(/entry 3 was changed[^]*--broken-audit/);
    expect(messagesIn(join(dataDir, "countersign.db"))).toHaveLength(acknowledged.length);
  });

  it.each<FailPointName>(["restore.staged", "restore.kept", "restore.decided", "restore.cleared"])(
    "[ops.backup] that is being restored by a process that is killed at %s leaves a whole store",
    async (failPoint) => {
      const old = messagesIn(join(dataDir, "countersign.db"));
      expect((await countersign(["restore", file], failPoint)).signal).toBe("SIGKILL");
      const decided = failPoint === "restore.decided" || failPoint === "restore.cleared";
      if (decided) {
        // The next start finishes it, as does the next restore.
        const looked = await countersign(["audit", "verify"]);
        expect(looked.stderr).toContain("A restore in ");
        await (await openEmbeddedStore(dataDir)).close();
      }
      const now = messagesIn(join(dataDir, "countersign.db"));
      expect(now).toEqual(decided ? messagesIn(file) : old);
      expect(await countersign(["audit", "verify"])).toMatchObject({ code: 0 });
    },
  );

  it("[ops.backup] is restored whole, and what was there is kept beside it", async () => {
    const old = messagesIn(join(dataDir, "countersign.db"));
    const ran = await countersign(["restore", file, "--json"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const told = JSON.parse(ran.stdout) as { before: string; turns: number };
    expect(messagesIn(join(dataDir, "countersign.db"))).toEqual(messagesIn(file));
    expect(told.turns).toBe(messagesIn(file).length);
    expect(messagesIn(told.before)).toEqual(old);
    expect((await stat(told.before)).mode & 0o777).toBe(0o600);
    expect((await readdir(dataDir)).filter((name) => name.includes("restor"))).toEqual([]);
  });

  it("[ops.backup] holds the secret key where it is asked for, and brings it back", async () => {
    const withKey = join(await temporaryFolder(), "with-key.db");
    const key = await readFile(join(dataDir, "secret.key"), "utf8");
    expect((await countersign(["backup", "--to", withKey, "--with-key"])).stdout).toContain(
      "It holds the secret key",
    );
    expect((await readFile(file)).includes(key.trim())).toBe(false);
    dataDir = await temporaryFolder();
    expect((await countersign(["restore", withKey])).code).toBe(0);
    expect(await readFile(join(dataDir, "secret.key"), "utf8")).toBe(key);
    expect((await readFile(join(dataDir, "countersign.db"))).includes(key.trim())).toBe(false);
    expect(existsSync(join(dataDir, "backups"))).toBe(false);
  });
});

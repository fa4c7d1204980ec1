import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { type JsonStore, openJsonStore } from "#servers/kit/data.ts";
import { ToolFailure } from "#servers/kit/tool.ts";
import { openSqlite } from "#servers/sql/sqlite.ts";

import type { Deployment } from "../deployment.ts";
import { columnsOf, data, generate, type World } from "./generate.ts";
import { answer } from "./routes.ts";

/** The two embedded deployments, whose state is kept in the data folder. `delayMs` is how long each change takes. */
export function openDemo(folder: string, delayMs = 0): (name: World["name"]) => Deployment {
  const rows = openRows(folder);
  const stores = new Map<World["name"], JsonStore<World>>();
  return (name) => {
    const store =
      stores.get(name) ?? openJsonStore(join(folder, `sisense-${name}.json`), () => generate(name));
    stores.set(name, store);
    return {
      name: `${name}.demo`,
      async request(method, path, { query, body, isRead, signal }) {
        if (signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled");
        const asked = { ...(query === undefined ? {} : { query: known(query) }), body };
        const [, model] = /^\/api\/datasources\/([^/]+)\/sql$/.exec(path) ?? [];
        if (model !== undefined) return rows(String(query?.["query"]), signal);
        const isChange = method !== "GET" && isRead !== true;
        if (!isChange) return structuredClone(answer(store.read(), method, path, asked));
        if (delayMs > 0) await sleep(delayMs);
        return structuredClone(store.update((world) => answer(world, method, path, structuredClone(asked))));
      },
    };
  };
}

function known(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

const MOST_ROWS = 1000;
const TIMEOUT_MS = 10_000;

/** Selects of one table, which are over at once: all else runs in a process that can be ended. */
const SIMPLE = /^\s*select\s+[\w\s,*()]+\s+from\s+"?\w+"?(?:\s+limit\s+\d+)?\s*;?\s*$/i;

export interface Found {
  headers: string[];
  values: unknown[][];
}

/** The rows of all tables of the demo: a database in the data folder, the same every time. */
export function openRows(folder: string): (sql: string, signal: AbortSignal) => Promise<Found> {
  const version = createHash("sha256").update(JSON.stringify(data.tables)).digest("hex").slice(0, 8);
  const path = join(folder, `sisense-rows-${version}.sqlite`);
  let opened: DatabaseSync | undefined;
  return async (sql, signal) => {
    if (!existsSync(path)) make(path, folder);
    if (!SIMPLE.test(sql)) {
      const { columns, rows } = await openSqlite(path, { timeoutMs: TIMEOUT_MS }).query(
        sql,
        MOST_ROWS,
        signal,
      );
      return { headers: columns, values: rows };
    }
    opened ??= new DatabaseSync(path, { readOnly: true });
    try {
      const statement = opened.prepare(sql);
      statement.setReturnArrays(true);
      const headers = statement.columns().map(({ name }) => name);
      return { headers, values: (statement.all() as unknown as unknown[][]).slice(0, MOST_ROWS) };
    } catch (error) {
      throw new ToolFailure("bad_request", `the query cannot be run: ${String(error)}`, { cause: error });
    }
  };
}

function make(path: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const making = `${path}.${process.pid}.tmp`;
  rmSync(making, { force: true });
  const db = new DatabaseSync(making);
  db.exec("BEGIN");
  for (const [table, spec] of Object.entries(data.tables)) {
    if (typeof spec === "string") {
      db.exec(`CREATE VIEW ${table} AS ${spec}`);
      continue;
    }
    const columns = columnsOf(table);
    db.exec(`CREATE TABLE ${table} (${columns.map(({ name }) => name).join(", ")})`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
    const random = createRandom(table);
    for (let row = 0; row < spec.rows; row += 1)
      insert.run(...columns.map(({ kind }) => valueOf(kind, row, random)));
  }
  db.exec("COMMIT");
  db.close();
  renameSync(making, path);
}

function valueOf(kind: string, row: number, random: () => number): string | number {
  if (kind === "id") return row + 1;
  if (kind === "person") return data.people[row % data.people.length] ?? "";
  if (kind === "date")
    return new Date(Date.UTC(2026, 0, 1 + Math.floor(random() * 320))).toISOString().slice(0, 10);
  if (kind.startsWith(">")) {
    const spec = data.tables[kind.slice(1)];
    return 1 + Math.floor(random() * (typeof spec === "object" ? spec.rows : 1));
  }
  const [from = "", to] = kind.split("..");
  if (to !== undefined) return Number(from) + Math.floor(random() * (Number(to) - Number(from) + 1));
  const words = kind.split("|");
  return words[Math.floor(random() * words.length)] ?? "";
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: string): () => number {
  let state = createHash("sha256").update(seed).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

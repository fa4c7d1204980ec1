import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

import { getLoadablePath } from "sqlite-vec";

import { dataFolder } from "../../kit/data.ts";
import { messageOf, ToolFailure } from "../../kit/tool.ts";
import type { SourceType } from "../wire.ts";
import { searchable } from "./terms.ts";

/** A piece of a document that is found by itself. */
export interface Chunk {
  type: SourceType;
  /** Stays the same from one indexing to the next. */
  source_id: string;
  /** What it is called: words in it count more than those in its text. */
  title: string;
  content: string;
  metadata: Record<string, unknown>;
  /** Other values that a search may be narrowed to, such as `language:go`. */
  facets: string[];
}

/** What code defines. */
export interface Definition {
  name: string;
  kind: string;
  line: number;
}

/** What code does to something else; `origin` is the innermost definition around it, or its file. */
export interface Relation {
  kind: "calls" | "imports" | "extends";
  origin: string;
  /** The class around the origin. */
  within: string;
  target: string;
  line: number;
}

export interface Document {
  path: string;
  hash: string;
  chunks: Chunk[];
  definitions: Definition[];
  relations: Relation[];
}

/** One source of one organisation. */
export interface SourceRow {
  id: number;
  organisation: string;
  /** Such as `jira` or `git:/srv/shop`. */
  key: string;
  name: string;
  /** Channels that alone find it; none: every channel does. */
  channels: string[];
  /**
   * Who wants it indexed: the settings, or a command or the job API. One that the settings do not list any more is
   * `withdrawn`: nobody finds it, and the next indexing removes it.
   */
  origin: "settings" | "command" | "withdrawn";
}

/** Of the tables. What an earlier version left is read anew from its sources. */
const VERSION = 2;
const TABLES = "meta sources documents chunks vocabulary words vectors definitions relations jobs".split(" ");

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY, organisation TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL,
    channels TEXT NOT NULL, origin TEXT NOT NULL, indexed_at TEXT, UNIQUE (organisation, key));
  CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, seen INTEGER NOT NULL,
    UNIQUE (source, path));
  CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, type TEXT NOT NULL, document INTEGER NOT NULL,
    source_id TEXT NOT NULL, name TEXT NOT NULL, metadata TEXT NOT NULL, content TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS chunks_of_document ON chunks (document);
  CREATE INDEX IF NOT EXISTS chunks_of_source ON chunks (source, type);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    scope, title, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab ('words', 'row');
  CREATE TABLE IF NOT EXISTS vectors (
    chunk INTEGER PRIMARY KEY, source INTEGER NOT NULL, model TEXT NOT NULL, embedding BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS definitions (
    document INTEGER NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS definitions_by_name ON definitions (name);
  CREATE INDEX IF NOT EXISTS definitions_of_document ON definitions (document);
  CREATE TABLE IF NOT EXISTS relations (
    document INTEGER NOT NULL, source INTEGER NOT NULL, kind TEXT NOT NULL, origin TEXT NOT NULL, within TEXT NOT NULL,
    target TEXT NOT NULL, key TEXT NOT NULL, line INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS relations_by_key ON relations (key, kind);
  CREATE INDEX IF NOT EXISTS relations_by_origin ON relations (origin, kind);
  CREATE INDEX IF NOT EXISTS relations_by_class ON relations (within, kind) WHERE within <> '';
  CREATE INDEX IF NOT EXISTS relations_of_document ON relations (document);
  CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY, organisation TEXT NOT NULL, source TEXT NOT NULL, definition TEXT NOT NULL,
    mode TEXT NOT NULL, state TEXT NOT NULL, worker TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
    started_at TEXT NOT NULL, beat_at INTEGER NOT NULL, report TEXT NOT NULL);
  PRAGMA user_version = ${VERSION};`;

interface NamedText {
  id: number;
  name: string;
  content: string;
}

/** The index: what is in it, and how it is changed. One process may write while others read. */
export interface Index {
  path: string;
  all<T extends object>(sql: string, ...values: SQLInputValue[]): T[];
  run(sql: string, ...values: SQLInputValue[]): void;
  /** All that `work` writes, or nothing of it. */
  write<T>(work: () => T): T;
  /** Changes whenever what is found may change, also by another process. */
  revision(): number;
  /** All sources, of one organisation where one is named. */
  sources(organisation?: string): SourceRow[];
  /** Makes a source, or changes it to what it is now; inside `write`. */
  source(told: Omit<SourceRow, "id">): SourceRow;
  /** Puts a document in place of what was there under its path; inside `write`. */
  put(source: SourceRow, document: Document, seen: number): void;
  /** Removes documents that a job has not seen; all of them without one. Gives how many. */
  removeUnseen(source: number, seen?: number): number;
  /** Chunks of a source that have no vector of a model, so many at most, and how many there are. */
  withoutVectors(source: number, model: string, most: number): { chunks: NamedText[]; total: number };
  /** Gives vectors to chunks; inside `write`. */
  putVectors(source: number, model: string, vectors: { chunk: number; vector: Float32Array }[]): void;
  /** Whether vectors are compared in the database. */
  hasVectors: boolean;
  close(): void;
}

/** The file of the index in a data folder. */
export function indexPath(env: NodeJS.ProcessEnv): string {
  return join(dataFolder(env), "knowledge", "index.db");
}

/** Opens the index, which is made where there is none. Throws `index_not_usable`. */
export function openIndex(path: string): Index {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const extension = vectorExtension();
    const db = new DatabaseSync(path, { timeout: 20_000, allowExtension: extension !== undefined });
    if (extension !== undefined) db.loadExtension(extension);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;");
    const [version] = db.prepare("PRAGMA user_version").all();
    if (version?.["user_version"] !== VERSION) {
      const drop = TABLES.map((table) => `DROP TABLE IF EXISTS ${table};`).join(" ");
      db.exec(`BEGIN IMMEDIATE; ${version?.["user_version"] === 0 ? "" : drop} ${SCHEMA} COMMIT;`);
    }
    return indexOver(db, path, extension !== undefined);
  } catch (error) {
    throw new ToolFailure(
      "index_not_usable",
      `the index at ${path} cannot be opened: ${messageOf(error)}. Make the folder writable, or move the file away ` +
        "and run `countersign knowledge ingest` again",
      { cause: error },
    );
  }
}

function vectorExtension(): string | undefined {
  try {
    return getLoadablePath();
  } catch {
    return undefined;
  }
}

function indexOver(db: DatabaseSync, path: string, hasVectors: boolean): Index {
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  function prepare(sql: string): ReturnType<DatabaseSync["prepare"]> {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      if (prepared.size >= 200) prepared.clear();
      prepared.set(sql, (statement = db.prepare(sql)));
    }
    return statement;
  }
  const all = <T extends object>(sql: string, ...values: SQLInputValue[]): T[] =>
    prepare(sql).all(...values) as T[];
  const run = (sql: string, ...values: SQLInputValue[]): number | bigint =>
    prepare(sql).run(...values).lastInsertRowid;

  function removeDocument(id: number): void {
    run("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)", id);
    run("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)", id);
    for (const table of ["chunks", "definitions", "relations"])
      run(`DELETE FROM ${table} WHERE document = ?`, id);
    run("DELETE FROM documents WHERE id = ?", id);
  }

  return {
    path,
    hasVectors,
    all,
    run: (sql, ...values) => void run(sql, ...values),
    write(work) {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        run(
          "INSERT INTO meta VALUES ('revision', 1) ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        );
        db.exec("COMMIT");
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      }
    },
    revision: () =>
      Number(all<{ value: string }>("SELECT value FROM meta WHERE key = 'revision'")[0]?.value ?? 0),
    sources: (organisation) =>
      all<Omit<SourceRow, "channels"> & { channels: string }>(
        `SELECT id, organisation, key, name, channels, origin FROM sources
         WHERE ?1 IS NULL OR organisation = ?1 ORDER BY organisation, key`,
        organisation ?? null,
      ).map((row) => ({ ...row, channels: JSON.parse(row.channels) as string[] })),
    source({ organisation, key, name, channels, origin }) {
      const [row] = all<{ id: number }>(
        `INSERT INTO sources (organisation, key, name, channels, origin) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (organisation, key)
         DO UPDATE SET name = excluded.name, channels = excluded.channels, origin = excluded.origin
         RETURNING id`,
        organisation,
        key,
        name,
        JSON.stringify(channels.toSorted()),
        origin,
      );
      return { id: row?.id ?? 0, organisation, key, name, channels, origin };
    },
    put(source, document, seen) {
      const [known] = all<{ id: number }>(
        "SELECT id FROM documents WHERE source = ? AND path = ?",
        source.id,
        document.path,
      );
      if (known !== undefined) removeDocument(known.id);
      const id = run(
        "INSERT INTO documents (source, path, hash, seen) VALUES (?, ?, ?, ?)",
        source.id,
        document.path,
        document.hash,
        seen,
      );
      for (const chunk of document.chunks) {
        const rowid = run(
          "INSERT INTO chunks (source, type, document, source_id, name, metadata, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
          source.id,
          chunk.type,
          id,
          chunk.source_id,
          chunk.title,
          JSON.stringify(chunk.metadata),
          chunk.content,
        );
        const scope = [facetTerm(`source:${source.id}`), facetTerm(`type:${chunk.type}`)];
        run(
          "INSERT INTO words (rowid, scope, title, body) VALUES (?, ?, ?, ?)",
          rowid,
          [...scope, ...chunk.facets.map(facetTerm)].join(" "),
          searchable(chunk.title),
          searchable(chunk.content),
        );
      }
      for (const { name, kind, line } of document.definitions)
        run("INSERT INTO definitions VALUES (?, ?, ?, ?, ?)", id, source.id, name, kind, line);
      for (const one of document.relations)
        run(
          "INSERT INTO relations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          id,
          source.id,
          one.kind,
          one.origin,
          one.within,
          one.target,
          relationKey(one.kind, one.target),
          one.line,
        );
    },
    withoutVectors(source, model, most) {
      const missing = `FROM chunks c LEFT JOIN vectors v ON v.chunk = c.id
        WHERE c.source = ? AND (v.chunk IS NULL OR v.model <> ?)`;
      const [count] = all<{ n: number }>(`SELECT count(*) n ${missing}`, source, model);
      const chunks = all<NamedText>(`SELECT c.id, c.name, c.content ${missing} LIMIT ${most}`, source, model);
      return { chunks, total: count?.n ?? 0 };
    },
    putVectors(source, model, vectors) {
      for (const { chunk, vector } of vectors)
        run(
          "INSERT OR REPLACE INTO vectors (chunk, source, model, embedding) VALUES (?, ?, ?, ?)",
          chunk,
          source,
          model,
          new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
        );
    },
    removeUnseen(source, seen = -1) {
      const gone = all<{ id: number }>(
        "SELECT id FROM documents WHERE source = ? AND seen <> ?",
        source,
        seen,
      );
      for (const { id } of gone) removeDocument(id);
      return gone.length;
    },
    close: () => db.close(),
  };
}

/** A value to narrow a search to as one word that no text has. */
export function facetTerm(value: string): string {
  return `x${createHash("sha256").update(value.toLowerCase()).digest("hex").slice(0, 14)}0`;
}

/** What a relation's target is looked up by: the last part of a module without its suffix, else the name. */
export function relationKey(kind: Relation["kind"], target: string): string {
  if (kind !== "imports") return target;
  return (
    moduleName(target)
      .split(/[/.:]/)
      .findLast((part) => part !== "") ?? target
  );
}

/** A file or module without the suffix of its language. */
export function moduleName(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|d\.ts|py|go|java)$/, "");
}

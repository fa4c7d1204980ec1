import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

import { getLoadablePath } from "sqlite-vec";

import { messageOf, ToolFailure } from "../../kit/tool.ts";
import { sourceTypes } from "../wire.ts";
import {
  commonTables,
  type Document,
  type Index,
  type IndexTables,
  type NamedText,
  relationKey,
} from "./index-store.ts";
import { searchable, stemOf } from "./terms.ts";

/** Of the tables. What an earlier version left is read anew from its sources. */
const VERSION = 2;
const TABLES = "meta sources documents chunks vocabulary words vectors definitions relations jobs".split(" ");

const MOST_ROWS = 12_000;

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

/** Opens the index in this file, which is made where there is none. Throws `index_not_usable`. */
export function openSqliteIndex(path: string): Index {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const extension = vectorExtension();
    const open = (): DatabaseSync => {
      const db = new DatabaseSync(path, { timeout: 20_000, allowExtension: extension !== undefined });
      if (extension !== undefined) db.loadExtension(extension);
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;");
      return db;
    };
    const db = open();
    const [version] = db.prepare("PRAGMA user_version").all();
    if (version?.["user_version"] !== VERSION) {
      const drop = TABLES.map((table) => `DROP TABLE IF EXISTS ${table};`).join(" ");
      db.exec(`BEGIN IMMEDIATE; ${version?.["user_version"] === 0 ? "" : drop} ${SCHEMA} COMMIT;`);
    }
    // Read through another connection: what is being written is not there yet.
    return indexOver(db, open(), extension !== undefined);
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

function tablesOf(db: DatabaseSync): IndexTables {
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
  const later: IndexTables["all"] = async (sql, ...values) => all(sql, ...values);
  const run = (sql: string, ...values: SQLInputValue[]): number | bigint =>
    prepare(sql).run(...values).lastInsertRowid;

  function removeDocument(id: number): void {
    run("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)", id);
    run("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)", id);
    for (const table of ["chunks", "definitions", "relations"])
      run(`DELETE FROM ${table} WHERE document = ?`, id);
    run("DELETE FROM documents WHERE id = ?", id);
  }

  function put(source: number, document: Document, seen: number): void {
    const [known] = all<{ id: number }>(
      "SELECT id FROM documents WHERE source = ? AND path = ?",
      source,
      document.path,
    );
    if (known !== undefined) removeDocument(known.id);
    const id = run(
      "INSERT INTO documents (source, path, hash, seen) VALUES (?, ?, ?, ?)",
      source,
      document.path,
      document.hash,
      seen,
    );
    for (const chunk of document.chunks) {
      const rowid = run(
        "INSERT INTO chunks (source, type, document, source_id, name, metadata, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
        source,
        chunk.type,
        id,
        chunk.source_id,
        chunk.title,
        JSON.stringify(chunk.metadata),
        chunk.content,
      );
      const scope = [facetTerm(`source:${source}`), facetTerm(`type:${chunk.type}`)];
      run(
        "INSERT INTO words (rowid, scope, title, body) VALUES (?, ?, ?, ?)",
        rowid,
        [...scope, ...chunk.facets.map(facetTerm)].join(" "),
        searchable(chunk.title),
        searchable(chunk.content),
      );
    }
    for (const { name, kind, line } of document.definitions)
      run("INSERT INTO definitions VALUES (?, ?, ?, ?, ?)", id, source, name, kind, line);
    for (const one of document.relations)
      run(
        "INSERT INTO relations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        source,
        one.kind,
        one.origin,
        one.within,
        one.target,
        relationKey(one.kind, one.target),
        one.line,
      );
  }

  /** Whether these sources have most of the index, so that looking each row up is cheaper than narrowing by them. */
  function isMost(ids: number[]): boolean {
    const [counts] = all<{ own: number; every: number }>(
      `SELECT (SELECT count(*) FROM documents WHERE source IN (${ids.join(",")})) own,
              (SELECT count(*) FROM documents) every`,
    );
    return counts !== undefined && counts.own * 2 > counts.every;
  }

  return {
    all: later,
    run: async (sql, ...values) => void run(sql, ...values),
    ...commonTables(later),
    async put(source, documents, seen) {
      for (const document of documents) put(source, document, seen);
    },
    async removeUnseen(source, seen = -1) {
      const gone = all<{ id: number }>(
        "SELECT id FROM documents WHERE source = ? AND seen <> ?",
        source,
        seen,
      );
      for (const { id } of gone) removeDocument(id);
      return gone.length;
    },
    async withoutVectors(source, model, most) {
      const missing = `FROM chunks c LEFT JOIN vectors v ON v.chunk = c.id
        WHERE c.source = ? AND (v.chunk IS NULL OR v.model <> ?)`;
      const [count] = all<{ n: number }>(`SELECT count(*) n ${missing}`, source, model);
      const chunks = all<NamedText>(`SELECT c.id, c.name, c.content ${missing} LIMIT ${most}`, source, model);
      return { chunks, total: count?.n ?? 0 };
    },
    async putVectors(source, model, vectors) {
      for (const { chunk, vector } of vectors)
        run(
          "INSERT OR REPLACE INTO vectors (chunk, source, model, embedding) VALUES (?, ?, ?, ?)",
          chunk,
          source,
          model,
          bytesOf(vector),
        );
    },
    countWords: async (words) =>
      words.map((word) => {
        const [row] = all<{ doc: number }>("SELECT doc FROM vocabulary WHERE term = ?", stemOf(word));
        return { word, rows: row?.doc ?? 0 };
      }),
    async byWords(words, how, { sources, types, facets }, most) {
      const groups = [
        ...(isMost(sources) ? [] : [sources.map((id) => `source:${id}`)]),
        ...(types.length === sourceTypes.length ? [] : [types.map((type) => `type:${type}`)]),
        ...facets,
      ];
      const scope = groups.map(
        (values) => `{scope} : (${values.map((value) => quoted(facetTerm(value))).join(" OR ")})`,
      );
      const asked = words.map(({ word }) => quoted(word)).join(how === "every" ? " AND " : " OR ");
      // The scope in the match makes it quick; that nothing of another organisation is given is the join's part.
      const ranked = (columns: string): number[] =>
        all<{ id: number }>(
          `SELECT c.id FROM words JOIN chunks c ON c.id = words.rowid
           WHERE words MATCH ? AND c.source IN (${sources.join(",")})
           ORDER BY bm25(words, 0, 3, 1), c.id LIMIT ${most}`,
          [...scope, `{${columns}} : (${asked})`].join(" AND "),
        ).map(({ id }) => id);
      return { anywhere: ranked("title body"), inTitle: ranked("title") };
    },
    async byMeaning({ model, values }, { sources, types }, most) {
      return all<{ id: number }>(
        `SELECT v.chunk id FROM vectors v JOIN chunks c ON c.id = v.chunk
         WHERE v.source IN (${sources.join(",")}) AND v.model = ? AND length(v.embedding) = ?
           AND c.type IN (${types.map((type) => `'${type}'`).join(",")})
         ORDER BY vec_distance_cosine(v.embedding, ?), v.chunk LIMIT ${most}`,
        model,
        values.byteLength,
        bytesOf(values),
      ).map(({ id }) => id);
    },
  };
}

function indexOver(writer: DatabaseSync, reader: DatabaseSync, hasVectors: boolean): Index {
  const tables = tablesOf(writer);
  let last: Promise<unknown> = Promise.resolve();

  async function write<T>(work: (tables: IndexTables) => Promise<T>): Promise<T> {
    writer.exec("BEGIN IMMEDIATE");
    try {
      const result = await work(tables);
      await tables.run(
        "INSERT INTO meta VALUES ('revision', 1) ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
      );
      writer.exec("COMMIT");
      return result;
    } catch (error) {
      if (writer.isTransaction) writer.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    ...tablesOf(reader),
    mostRows: MOST_ROWS,
    hasVectors,
    write(work) {
      const mine = last.then(() => write(work));
      last = mine.catch(() => {});
      return mine;
    },
    async close() {
      await last;
      writer.close();
      reader.close();
    },
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

/** A value to narrow a search to as one word that no text has. */
function facetTerm(value: string): string {
  return `x${createHash("sha256").update(value.toLowerCase()).digest("hex").slice(0, 14)}0`;
}

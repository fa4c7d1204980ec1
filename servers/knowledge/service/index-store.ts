import { join } from "node:path";

import { dataFolder } from "../../kit/data.ts";
import type { SourceType } from "../wire.ts";

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

export interface NamedText {
  id: number;
  name: string;
  content: string;
}

/** A word, and in how many chunks it stands in any of its forms. */
export interface CountedWord {
  word: string;
  rows: number;
  /** How much it tells, for a store that ranks by that. */
  weight?: number;
}

/** Chunks, best first: by their titles and texts, and by their titles alone. */
export interface FoundByWords {
  anywhere: number[];
  inTitle: number[];
}

/** What alone a search may find. */
export interface Narrowed {
  sources: number[];
  types: SourceType[];
  /** Of each of these at least one, such as `language:go`. */
  facets: string[][];
}

export interface QueryVector {
  model: string;
  values: Float32Array;
}

/** A value as it goes into SQL, for a `?`. */
export type SqlValue = string | number | null;

/** The tables of the index. SQL that both stores understand goes through `all` and `run`. */
export interface IndexTables {
  all<T extends object>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  run(sql: string, ...values: SqlValue[]): Promise<void>;
  /** Changes whenever what is found may change, also by another process. */
  revision(): Promise<number>;
  /** All sources, of one organisation where one is named. */
  sources(organisation?: string): Promise<SourceRow[]>;
  /** Makes a source, or changes it to what it is now. */
  source(told: Omit<SourceRow, "id">): Promise<SourceRow>;
  /** Puts documents in place of what was there under their paths. */
  put(source: number, documents: Document[], seen: number): Promise<void>;
  /** Removes documents that a job has not seen; all of them without one. Gives how many. */
  removeUnseen(source: number, seen?: number): Promise<number>;
  /** Chunks of a source that have no vector of a model, so many at most, and how many there are. */
  withoutVectors(
    source: number,
    model: string,
    most: number,
  ): Promise<{ chunks: NamedText[]; total: number }>;
  /** Gives vectors to chunks. */
  putVectors(
    source: number,
    model: string,
    vectors: { chunk: number; vector: Float32Array }[],
  ): Promise<void>;
  /** In how many chunks each word stands; beyond `mostRows` they need not be counted. */
  countWords(words: string[]): Promise<CountedWord[]>;
  /** Chunks that have one of these words, or all of them; so many of each ranking at most. */
  byWords(
    words: CountedWord[],
    how: "any" | "every",
    narrowed: Narrowed,
    most: number,
  ): Promise<FoundByWords>;
  /** Chunks by meaning, best first, those with vectors of the same model alone. */
  byMeaning(vector: QueryVector, narrowed: Narrowed, most: number): Promise<number[]>;
}

/** What both stores read and write in the same words. */
export function commonTables(all: IndexTables["all"]): Pick<IndexTables, "revision" | "sources" | "source"> {
  return {
    async revision() {
      const [row] = await all<{ value: string }>("SELECT value FROM meta WHERE key = 'revision'");
      return Number(row?.value ?? 0);
    },
    async sources(organisation) {
      const [where, ...values] = organisation === undefined ? [""] : ["WHERE organisation = ?", organisation];
      const rows = await all<Omit<SourceRow, "channels"> & { channels: string }>(
        `SELECT id, organisation, key, name, channels, origin FROM sources ${where} ORDER BY organisation, key`,
        ...values,
      );
      return rows.map((row) => ({ ...row, channels: JSON.parse(row.channels) as string[] }));
    },
    async source({ organisation, key, name, channels, origin }) {
      const [row] = await all<{ id: number }>(
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
  };
}

/** The index: what is in it, and how it is changed. One process may write while others read. */
export interface Index extends IndexTables {
  /** All that `work` writes through the tables it is given, or nothing of it. One after the other, of all processes. */
  write<T>(work: (tables: IndexTables) => Promise<T>): Promise<T>;
  /** Chunks that one search by words may look at: what is everywhere is left out beyond it. */
  mostRows: number;
  /** Whether vectors are compared in the database. */
  hasVectors: boolean;
  close(): Promise<void>;
}

/**
 * Opens the index, which is made where there is none: in the Postgres of KNOWLEDGE_DATABASE_URL, which several machines
 * may share, else in the data folder. Rejects with `index_not_usable`.
 */
export async function openIndex(env: NodeJS.ProcessEnv): Promise<Index> {
  const url = env.KNOWLEDGE_DATABASE_URL?.trim() ?? "";
  if (url !== "") return (await import("./postgres-index.ts")).openPostgresIndex(url);
  return (await import("./sqlite-index.ts")).openSqliteIndex(join(dataFolder(env), "knowledge", "index.db"));
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

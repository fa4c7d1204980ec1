import pg from "pg";

import { messageOf, ToolFailure } from "../../kit/tool.ts";
import {
  type Document,
  type Index,
  type IndexTables,
  type NamedText,
  relationKey,
  type SourceRow,
  type SqlValue,
} from "./index-store.ts";
import { searchable, stemsOf } from "./terms.ts";

/** Of the tables. What an earlier version left is read anew from its sources. */
const VERSION = "1";
/** Where the tables are, beside whatever else the database has. */
const PLACE = "countersign_knowledge";
const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** How long a statement of a search may take, and one that writes. */
const READ_MS = 30_000;
const WRITE_MS = 600_000;
/** How often one word in one chunk counts. */
const MOST_POSITIONS = 50;
/** Of the different words of one chunk, in characters; Postgres takes a megabyte with all that belongs to them. */
const MOST_WORDS = 200_000;
/** What is near by the signs of its vector is compared exactly: so many times what is wanted. */
const OVERSAMPLED = 5;

const SCHEMA = `
  DROP TABLE IF EXISTS relations, definitions, vectors, chunks, documents, sources, jobs, meta;
  CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE sources (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, organisation text NOT NULL, key text NOT NULL,
    name text COLLATE "C" NOT NULL, channels text NOT NULL, origin text NOT NULL, indexed_at text,
    UNIQUE (organisation, key));
  CREATE TABLE documents (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source integer NOT NULL, path text COLLATE "C" NOT NULL,
    hash text NOT NULL, seen integer NOT NULL, UNIQUE (source, path));
  CREATE TABLE chunks (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source integer NOT NULL, type text NOT NULL,
    document integer NOT NULL REFERENCES documents ON DELETE CASCADE, source_id text NOT NULL, name text NOT NULL,
    metadata text NOT NULL, content text NOT NULL, facets text[] NOT NULL, words tsvector NOT NULL);
  CREATE INDEX ON chunks (document);
  CREATE INDEX ON chunks (source, type);
  CREATE INDEX ON chunks USING gin (words) WITH (fastupdate = off);
  CREATE TABLE vectors (
    chunk integer PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, source integer NOT NULL, type text NOT NULL,
    model text NOT NULL, signs bit varying NOT NULL, embedding bytea NOT NULL);
  ALTER TABLE vectors ALTER embedding SET STORAGE EXTERNAL;
  CREATE INDEX ON vectors (source, model);
  CREATE TABLE definitions (
    document integer NOT NULL REFERENCES documents ON DELETE CASCADE, source integer NOT NULL, name text NOT NULL,
    kind text NOT NULL, line integer NOT NULL);
  CREATE INDEX ON definitions (name);
  CREATE INDEX ON definitions (document);
  CREATE TABLE relations (
    document integer NOT NULL REFERENCES documents ON DELETE CASCADE, source integer NOT NULL, kind text NOT NULL,
    origin text COLLATE "C" NOT NULL, within text NOT NULL, target text COLLATE "C" NOT NULL, key text NOT NULL,
    line integer NOT NULL);
  CREATE INDEX ON relations (key, kind);
  CREATE INDEX ON relations (origin, kind);
  CREATE INDEX ON relations (within, kind) WHERE within <> '';
  CREATE INDEX ON relations (document);
  CREATE TABLE jobs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, organisation text NOT NULL, source text NOT NULL,
    definition text NOT NULL, mode text NOT NULL, state text NOT NULL, worker text NOT NULL, host text NOT NULL,
    pid integer NOT NULL, started_at text NOT NULL, beat_at bigint NOT NULL, report text NOT NULL);
  INSERT INTO meta VALUES ('version', '${VERSION}'), ('revision', '0');`;

/** Taken by whoever writes until the end of the transaction, so that one writes after the other. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtext('${PLACE}'))`;

/**
 * The index in a Postgres, in a schema of its own, for several machines at once. Words are searched by tsvector, made of
 * the same stems as in SQLite. Vectors are compared without an extension: by the signs of their numbers in the database,
 * and the nearest of these exactly. Rejects with `index_not_usable`.
 */
export async function openPostgresIndex(url: string): Promise<Index> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: READ_MS,
    // For a server that does not answer at all.
    query_timeout: WRITE_MS + READ_MS,
    application_name: "countersign knowledge",
    options: `-c search_path=${PLACE} -c jit=off`,
    types: {
      getTypeParser: (oid, format): ((text: string) => unknown) =>
        oid === pg.types.builtins.INT8
          ? Number
          : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
    },
  });
  // A connection that breaks rejects whoever uses it; one that nobody uses is replaced.
  pool.on("error", () => {});

  async function asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ToolFailure ? error : explain(error);
    }
  }

  async function write<T>(work: (tables: IndexTables, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await asked(() => pool.connect());
    let broken: Error | undefined;
    const onError = (error: Error): void => void (broken = error);
    client.on("error", onError);
    try {
      await client.query(`BEGIN; SET LOCAL statement_timeout = ${WRITE_MS}; ${LOCK}`);
      const result = await work(tablesOf(client, asked), client);
      await client.query("UPDATE meta SET value = (value::bigint + 1)::text WHERE key = 'revision'; COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch((failed: unknown) => (broken ??= new Error(messageOf(failed))));
      throw error instanceof pg.DatabaseError || broken !== undefined ? explain(error) : error;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  try {
    await prepare(write, pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    ...tablesOf(pool, asked),
    hasVectors: true,
    write: (work) => write((tables) => work(tables)),
    close: () => pool.end(),
  };
}

/** Makes the tables where there are none of this version. */
async function prepare(
  write: (work: (tables: IndexTables, client: pg.PoolClient) => Promise<void>) => Promise<void>,
  pool: pg.Pool,
): Promise<void> {
  const version = async (client: pg.Pool | pg.PoolClient): Promise<string | undefined> => {
    const { rows: there } = await client.query<{ meta: string | null }>("SELECT to_regclass('meta') AS meta");
    if (there[0]?.meta === null) return undefined;
    const { rows } = await client.query<{ value: string }>("SELECT value FROM meta WHERE key = 'version'");
    return rows[0]?.value;
  };
  const before = await version(pool).catch((error: unknown) => {
    throw explain(error);
  });
  if (before === VERSION) return;
  await write(async (_, client) => {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${PLACE}`);
    // Another process may have been first.
    if ((await version(client)) !== VERSION) await client.query(SCHEMA);
  });
}

function explain(error: unknown): ToolFailure {
  // Addresses and names of databases may be told, passwords never are part of these messages.
  return new ToolFailure(
    "index_not_usable",
    `the index in Postgres (knowledge.store_url) cannot be used: ${messageOf(error)}`,
    { cause: error },
  );
}

function tablesOf(
  client: pg.Pool | pg.PoolClient,
  asked: <T>(work: () => Promise<T>) => Promise<T>,
): IndexTables {
  const query = <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    asked(async () => (await client.query<T & pg.QueryResultRow>(sql, values)).rows);
  const all = <T extends object>(sql: string, ...values: SqlValue[]): Promise<T[]> => {
    let at = 0;
    return query(
      sql.replaceAll("?", () => `$${(at += 1)}`),
      values,
    );
  };

  async function insert(table: string, columns: string, rows: object[]): Promise<void> {
    if (rows.length === 0) return;
    const names = columns.replaceAll(/ [a-z]+(?:\[\])?(?=,|$)/g, "");
    await query(
      `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_to_recordset($1::json) AS given (${columns})`,
      [JSON.stringify(rows)],
    );
  }

  return {
    all,
    run: async (sql, ...values) => void (await all(sql, ...values)),
    async revision() {
      const [row] = await all<{ value: string }>("SELECT value FROM meta WHERE key = 'revision'");
      return Number(row?.value ?? 0);
    },
    async sources(organisation) {
      const rows = await query<Omit<SourceRow, "channels"> & { channels: string }>(
        `SELECT id, organisation, key, name, channels, origin FROM sources
         WHERE $1::text IS NULL OR organisation = $1 ORDER BY organisation, key`,
        [organisation ?? null],
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
    async put(source, documents, seen) {
      if (documents.length === 0) return;
      await query("DELETE FROM documents WHERE source = $1 AND path = ANY ($2)", [
        source,
        documents.map(({ path }) => path),
      ]);
      const rows = await query<{ id: number; path: string }>(
        `INSERT INTO documents (source, path, hash, seen)
         SELECT $1, path, hash, $2 FROM unnest($3::text[], $4::text[]) AS given (path, hash) RETURNING id, path`,
        [source, seen, documents.map(({ path }) => clean(path)), documents.map(({ hash }) => hash)],
      );
      const ids = new Map(rows.map(({ id, path }) => [path, id]));
      const rowsOf = <T extends object>(of: (document: Document) => T[]): object[] =>
        documents.flatMap((document) =>
          of(document).map((row) => ({ ...row, document: ids.get(clean(document.path)), source })),
        );
      await insert(
        "chunks",
        "source integer, type text, document integer, source_id text, name text, metadata text, content text, facets text[], words tsvector",
        rowsOf(({ chunks }) =>
          chunks.map(({ type, source_id, title, content, metadata, facets }) => ({
            type,
            source_id: clean(source_id),
            name: clean(title),
            metadata: JSON.stringify(metadata),
            content: clean(content),
            facets: facets.map((facet) => clean(facet).toLowerCase()),
            words: toVector(title, content),
          })),
        ),
      );
      await insert(
        "definitions",
        "document integer, source integer, name text, kind text, line integer",
        rowsOf(({ definitions }) => definitions.map((one) => ({ ...one, name: clean(one.name) }))),
      );
      await insert(
        "relations",
        "document integer, source integer, kind text, origin text, within text, target text, key text, line integer",
        rowsOf(({ relations }) =>
          relations.map((one) => ({
            ...one,
            origin: clean(one.origin),
            within: clean(one.within),
            target: clean(one.target),
            key: clean(relationKey(one.kind, one.target)),
          })),
        ),
      );
    },
    async removeUnseen(source, seen = -1) {
      const gone = await all(
        "DELETE FROM documents WHERE source = ? AND seen <> ? RETURNING id",
        source,
        seen,
      );
      return gone.length;
    },
    async withoutVectors(source, model, most) {
      const missing = `FROM chunks c LEFT JOIN vectors v ON v.chunk = c.id
        WHERE c.source = ? AND (v.chunk IS NULL OR v.model <> ?)`;
      const [count] = await all<{ n: number }>(`SELECT count(*) AS n ${missing}`, source, model);
      const chunks = await all<NamedText>(
        `SELECT c.id, c.name, c.content ${missing} ORDER BY c.id LIMIT ${most}`,
        source,
        model,
      );
      return { chunks, total: count?.n ?? 0 };
    },
    async putVectors(source, model, vectors) {
      await query(
        `INSERT INTO vectors (chunk, source, type, model, signs, embedding)
         SELECT c.id, $1, c.type, $2, given.signs::bit varying, given.embedding
         FROM unnest($3::integer[], $4::text[], $5::bytea[]) AS given (chunk, signs, embedding)
         JOIN chunks c ON c.id = given.chunk
         ON CONFLICT (chunk)
         DO UPDATE SET model = excluded.model, signs = excluded.signs, embedding = excluded.embedding`,
        [
          source,
          model,
          vectors.map(({ chunk }) => chunk),
          vectors.map(({ vector }) => signsOf(vector)),
          vectors.map(({ vector }) => bytesOf(vector)),
        ],
      );
    },
    async countWords(words, most) {
      const stems = words.map((word) => stemsOf(word)[0] ?? "");
      const rows = await query<{ at: number; n: number }>(
        `SELECT at::integer AS at, (SELECT count(*) FROM
           (SELECT 1 FROM chunks WHERE words @@ stem::tsquery LIMIT ${most + 1}) found) AS n
         FROM unnest($1::text[]) WITH ORDINALITY AS given (stem, at) WHERE stem <> ''`,
        [stems.map(lexeme)],
      );
      const counts = new Map(rows.map(({ at, n }) => [at, n]));
      return words.map((word, at) => ({ word, rows: counts.get(at + 1) ?? 0 }));
    },
    async byWords({ words, every, inTitle }, { sources, types, facets }, most) {
      const values: unknown[] = [sources, types];
      const value = (one: unknown): string => `$${values.push(one)}`;
      const stems = words.flatMap(({ word, rows }) =>
        stemsOf(word).map((stem) => ({ stem: `${lexeme(stem)}${inTitle ? ":A" : ""}`, rows })),
      );
      if (stems.length === 0) return [];
      const match = value(stems.map(({ stem }) => stem).join(every ? " & " : " | "));
      // What is rarer counts more, as in BM25; titles count three times as much as the text.
      const [counted] = await query<{ n: number }>(
        "SELECT count(*) AS n FROM (SELECT 1 FROM chunks LIMIT 20000) counted",
      );
      const rank = stems.map(({ stem, rows }) => {
        const weight = Math.log(1 + Math.max(0, (counted?.n ?? 0) - rows + 0.5) / (rows + 0.5));
        return `${weight.toFixed(4)} * ts_rank('{0.33, 0, 0, 1}', words, ${value(stem)}::tsquery)`;
      });
      const narrowed = facets.map((some) => ` AND facets && ${value(some)}::text[]`).join("");
      const rows = await query<{ id: number }>(
        `SELECT id FROM chunks
         WHERE words @@ ${match}::tsquery AND source = ANY ($1::integer[]) AND type = ANY ($2::text[])${narrowed}
         ORDER BY ${rank.join(" + ")} DESC, id LIMIT ${most}`,
        values,
      );
      return rows.map(({ id }) => id);
    },
    async byMeaning({ model, values }, { sources, types }, most) {
      const signs = signsOf(values);
      const rows = await query<{ chunk: number; embedding: Buffer }>(
        `SELECT chunk, embedding FROM vectors WHERE chunk IN (
           SELECT chunk FROM vectors
           WHERE source = ANY ($1::integer[]) AND type = ANY ($2::text[]) AND model = $3 AND length(signs) = $4
           ORDER BY bit_count(signs # $5::bit varying), chunk LIMIT ${most * OVERSAMPLED})`,
        [sources, types, model, signs.length, signs],
      );
      return rows
        .map(({ chunk, embedding }) => ({ chunk, near: cosine(values, embedding) }))
        .toSorted((a, b) => b.near - a.near || a.chunk - b.chunk)
        .slice(0, most)
        .map(({ chunk }) => chunk);
    },
  };
}

/** The words of a chunk as a tsvector, those of its title with the weight A. */
function toVector(title: string, content: string): string {
  const places = new Map<string, string[]>();
  let [at, chars] = [0, 0];
  for (const [text, weight] of [
    [title, "A"],
    [content, ""],
  ] as const)
    for (const stem of stemsOf(searchable(text))) {
      at += 1;
      const known = places.get(stem);
      // Postgres counts no further than that.
      const place = `${Math.min(at, 16_383)}${weight}`;
      if (known === undefined) {
        if ((chars += stem.length) > MOST_WORDS) break;
        places.set(stem, [place]);
      } else if (known.length < MOST_POSITIONS) known.push(place);
    }
  return Array.from(places, ([stem, list]) => `${lexeme(stem)}:${list.join(",")}`).join(" ");
}

/** A stem as it stands in a tsvector or tsquery: letters and digits alone. */
function lexeme(stem: string): string {
  return `'${stem}'`;
}

/** Postgres has neither NUL nor halves of characters in texts. */
function clean(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Which numbers of a vector are above zero: what is near has many of them in common. */
function signsOf(vector: Float32Array): string {
  return Array.from(vector, (number) => (number > 0 ? "1" : "0")).join("");
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function cosine(one: Float32Array, bytes: Buffer): number {
  let [dot, own, other] = [0, 0, 0];
  for (const [at, a] of one.entries()) {
    const b = bytes.readFloatLE(at * 4);
    dot += a * b;
    own += a * a;
    other += b * b;
  }
  return dot / (Math.sqrt(own * other) || 1);
}

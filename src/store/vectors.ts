import { type RawBuilder, sql } from "kysely";
import { getLoadablePath } from "sqlite-vec";

import type { Db } from "./schema.ts";

/**
 * Vectors that the database compares by itself, without handing over a row that is not wanted: sqlite-vec
 * (https://github.com/asg017/sqlite-vec) or pgvector (https://github.com/pgvector/pgvector). Exact, not approximate.
 */
export interface VectorSearch {
  name: "sqlite-vec" | "pgvector";
  /** A vector as the column keeps it. */
  column(vector: ArrayLike<number>): RawBuilder<never>;
  /** The cosine with a column's vector, from -1 to 1; null where that has another length. */
  similarity(column: "embedding", vector: ArrayLike<number>): RawBuilder<number | null>;
}

/** The file to load into SQLite; undefined where there is none for this platform. */
export function vectorExtension(): string | undefined {
  try {
    return getLoadablePath();
  } catch {
    return undefined;
  }
}

export const sqliteVectors: VectorSearch = {
  name: "sqlite-vec",
  column: (vector) => sql`${toBytes(vector)}`,
  similarity: (column, vector) =>
    sql`case when length(${sql.ref(column)}) = ${vector.length * 4}
      then 1 - vec_distance_cosine(${sql.ref(column)}, ${toBytes(vector)}) end`,
};

const postgresVectors: VectorSearch = {
  name: "pgvector",
  column: (vector) => sql`${toText(vector)}::vector`,
  similarity: (column, vector) =>
    sql`case when vector_dims(${sql.ref(column)}) = ${vector.length}
      then 1 - (${sql.ref(column)} <=> ${toText(vector)}::vector) end`,
};

/**
 * Prepares memories for pgvector where the database has it, or may be given it; undefined where not. Of replicas that
 * start together one does it, and the others find it done.
 */
export async function openPostgresVectors(db: Db): Promise<VectorSearch | undefined> {
  // Looked for first: changing a table, even to what it is, waits for everybody who reads it.
  if (await isPrepared(db)) return postgresVectors;
  try {
    await sql`create extension if not exists vector`.execute(db);
    await sql`alter table memories add column if not exists embedding vector`.execute(db);
    return postgresVectors;
  } catch {
    // It is not there, or may not be made; or another replica made it at the same moment.
    return (await isPrepared(db)) ? postgresVectors : undefined;
  }
}

async function isPrepared(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_attribute
    where attrelid = 'memories'::regclass and attname = 'embedding' and not attisdropped`.execute(db);
  return rows.length > 0;
}

function toBytes(vector: ArrayLike<number>): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

function toText(vector: ArrayLike<number>): string {
  return `[${Array.from(vector).join(",")}]`;
}

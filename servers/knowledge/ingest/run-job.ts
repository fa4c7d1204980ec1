import { resolve } from "node:path";

import { isFailure, messageOf } from "../../kit/tool.ts";
import type { Embedder } from "../service/embeddings.ts";
import type { Document, Index, SourceRow } from "../service/index-store.ts";
import { beginJob, type Job, type JobMode, type JobReport, keepAlive, recordJob } from "../service/jobs.ts";
import { cloneRepository } from "./clone.ts";
import { createCodeReaders } from "./code-language.ts";
import { isReadable, readBounded, readDocument, type Reading, type SourceFile } from "./read-file.ts";
import { listPages, listTickets } from "./sites.ts";
import { type SourceDefinition, sourceKey, sourceName } from "./sources.ts";
import { isWanted, walk } from "./walk.ts";

/** What is written at once: so much is read again after a kill. */
const BATCH_DOCUMENTS = 100;
const BATCH_CHUNKS = 250;
const EMBED_AT_ONCE = 32;
const MOST_FAILURES = 20;

export interface JobOptions {
  index: Index;
  embedder: Embedder | undefined;
  env: NodeJS.ProcessEnv;
  organisation: string;
  source: SourceDefinition;
  mode: JobMode;
  /** Whether the settings list it; one that they do not list stays until a command removes it. */
  isConfigured?: boolean;
  signal: AbortSignal;
  /** Told after every batch. Must not throw. */
  onProgress?: (job: Job) => void;
}

/** Something to be indexed, by what it is known by in its source. */
interface Item {
  path: string;
  /** Reads it, unless it is what was read with this hash. Rejects where it cannot be read. */
  read(knownHash: string | undefined, signal: AbortSignal): Promise<Reading>;
}

/**
 * Brings the index up to date with one source: what is new or changed is read, what is gone is removed. A job that was
 * killed goes on where it stood when it is run again. Gives the job as it ended; rejects with `already_running`, and
 * with the reason where the source cannot be listed.
 */
export async function runJob(options: JobOptions): Promise<Job> {
  const { index, organisation, source, mode, isConfigured = false } = options;
  const key = sourceKey(source);
  if (mode === "delete") return removeSource(index, organisation, key);
  const asked = { organisation, source: key, definition: source, mode };
  return runAs(index, asked, options.signal, async (job) => {
    const known = (await index.sources(organisation)).find((row) => row.key === key);
    const origin = isConfigured || known?.origin === "settings" ? "settings" : "command";
    const { channels } = source;
    const row = await index.write((tables) =>
      tables.source({ organisation, key, name: sourceName(source), channels, origin }),
    );
    const { items, close } = await listItems(options);
    try {
      await indexItems(items, row, job, options);
    } finally {
      await close();
    }
    await embedMissing(row, job, options);
  });
}

/** Takes a source out of the index. Rejects with `already_running`. */
export function removeSource(index: Index, organisation: string, key: string): Promise<Job> {
  const asked = { organisation, source: key, definition: null, mode: "delete" as const };
  return runAs(index, asked, undefined, (job) =>
    index.write(async (tables) => {
      for (const { id } of (await tables.sources(organisation)).filter((row) => row.key === key)) {
        job.report.removed += await tables.removeUnseen(id);
        await tables.run("DELETE FROM sources WHERE id = ?", id);
      }
    }),
  );
}

async function runAs(
  index: Index,
  asked: Parameters<typeof beginJob>[1],
  signal: AbortSignal | undefined,
  work: (job: Job) => Promise<void>,
): Promise<Job> {
  const job = await beginJob(index, asked);
  const letGo = keepAlive(index, job);
  try {
    await work(job);
    await finish(index, job, "done");
    return job;
  } catch (error) {
    job.report.error = messageOf(error);
    // Whoever has it now says how it ends.
    if (!isFailure(error, "taken_over"))
      await finish(index, job, signal?.aborted === true ? "cancelled" : "failed");
    throw error;
  } finally {
    letGo();
  }
}

async function finish(index: Index, job: Job, state: Job["state"]): Promise<void> {
  job.state = state;
  await index.write(async (tables) => {
    await recordJob(tables, job);
    if (state === "done")
      await tables.run(
        "UPDATE sources SET indexed_at = ? WHERE organisation = ? AND key = ?",
        new Date().toISOString(),
        job.organisation,
        job.source,
      );
  });
}

interface Listed {
  items: Item[];
  close: () => Promise<void>;
}

async function listItems({ source, env, signal }: JobOptions): Promise<Listed> {
  const close = async (): Promise<void> => {};
  if (source.type === "jira" || source.type === "confluence") {
    const list = source.type === "jira" ? listTickets : listPages;
    const items = (await list(source, env, signal)).map(({ path, stamp, load }): Item => ({
      path,
      read: async (knownHash, limit) =>
        knownHash === stamp ? { kind: "unchanged" } : { kind: "document", ...(await load(limit)) },
    }));
    return { items, close };
  }
  const isDocs = source.type === "files";
  const reader = { repo: sourceName(source), isDocs, code: createCodeReaders() };
  const itemsOf = (files: SourceFile[]): Item[] =>
    files
      .filter(({ path }) => isReadable(path, isDocs))
      .map((file) => ({
        path: file.path,
        read: (knownHash, limit) => readDocument(file, knownHash, reader, limit),
      }));
  if (source.url !== undefined) {
    const clone = await cloneRepository({ url: source.url, ref: source.ref }, env, signal);
    const files = clone.files
      .filter(({ path }) => isWanted(path, source))
      .map(({ path, blob }): SourceFile => ({ path, stamp: blob, read: (most) => clone.read(blob, most) }));
    return { items: itemsOf(files), close: clone.close };
  }
  const files = await walk(resolve(source.path ?? "."), source, signal);
  const found = files.map(({ path, full }): SourceFile => ({
    path,
    read: (most) => readBounded(full, most),
  }));
  return { items: itemsOf(found), close };
}

async function indexItems(items: Item[], source: SourceRow, job: Job, options: JobOptions): Promise<void> {
  const { index, mode, signal, onProgress } = options;
  const { report } = job;
  report.total = items.length;
  const before = await index.all<{ path: string; hash: string; seen: number }>(
    "SELECT path, hash, seen FROM documents WHERE source = ?",
    source.id,
  );
  const known = new Map(before.map(({ path, ...row }) => [path, row]));
  let documents: Document[] = [];
  let seen: string[] = [];
  let chunks = 0;

  async function flush(): Promise<void> {
    report.chunks += chunks;
    await index.write(async (tables) => {
      await recordJob(tables, job);
      await tables.put(source.id, documents, job.id);
      for (const path of seen)
        await tables.run(
          "UPDATE documents SET seen = ? WHERE source = ? AND path = ?",
          job.id,
          source.id,
          path,
        );
    });
    [documents, seen, chunks] = [[], [], 0];
    onProgress?.(job);
  }

  for (const item of items) {
    const { path } = item;
    signal.throwIfAborted();
    const had = known.get(path);
    report.done += 1;
    // Read by this very job, before its process was killed.
    if (had?.seen === job.id) continue;
    const hash = mode === "full" ? undefined : had?.hash;
    const reading = await item.read(hash, signal).catch((error: unknown) => failed(error, path, report));
    signal.throwIfAborted();
    if (reading.kind === "document") {
      documents.push(reading.document);
      chunks += reading.document.chunks.length;
      report.changed += 1;
      report.secrets += reading.secrets;
    } else if (reading.kind === "unchanged") {
      seen.push(path);
      report.unchanged += 1;
    } else {
      report.skipped[reading.reason] = (report.skipped[reading.reason] ?? 0) + 1;
      // What could not be read now stays as it was; what is no text any more goes.
      if (reading.reason === "not readable" && had !== undefined) seen.push(path);
    }
    if (documents.length + seen.length >= BATCH_DOCUMENTS || chunks >= BATCH_CHUNKS) await flush();
  }
  await flush();
  await index.write(async (tables) => {
    // Throws where another process has it by now, which has seen others.
    await recordJob(tables, job);
    report.removed += await tables.removeUnseen(source.id, job.id);
  });
}

function failed(error: unknown, path: string, report: JobReport): Reading {
  if (report.failures.length < MOST_FAILURES)
    report.failures.push(`${path}: ${messageOf(error).slice(0, 300)}`);
  return { kind: "skipped", reason: "not readable" };
}

/** Gives vectors to chunks that have none, where a model answers; what is left is done by the next job. */
async function embedMissing(source: SourceRow, job: Job, options: JobOptions): Promise<void> {
  const { index, embedder, signal, onProgress } = options;
  if (embedder === undefined || !index.hasVectors) return;
  const { report } = job;
  const { model } = embedder;
  for (let done = 0; ;) {
    signal.throwIfAborted();
    const { chunks, total } = await index.withoutVectors(source.id, model, EMBED_AT_ONCE);
    if (chunks.length === 0) return;
    const texts = chunks.map(({ name, content }) => `${name}\n${content}`.slice(0, 6000));
    const vectors = await embedder.ofChunks(texts, signal);
    signal.throwIfAborted();
    if (vectors === undefined) return;
    Object.assign(report, {
      phase: "embedding",
      done: (done += chunks.length),
      total: done + total - chunks.length,
    });
    await index.write(async (tables) => {
      const pairs = chunks.flatMap(({ id: chunk }, at) => {
        const vector = vectors[at];
        return vector === undefined ? [] : [{ chunk, vector }];
      });
      await recordJob(tables, job);
      await tables.putVectors(source.id, model, pairs);
    });
    onProgress?.(job);
  }
}

import { type Limit, limitOf } from "../limit.ts";
import {
  type Hit,
  queryRequest,
  type QueryAnswer,
  type QueryPath,
  type QueryRequest,
  RELATED_MS,
  type RelatedAnswer,
  relatedRequest,
  type RelatedRequest,
  searchRoutes,
} from "../wire.ts";
import type { Embedder } from "./embeddings.ts";
import type { Index } from "./index-store.ts";
import { indexingPercent } from "./jobs.ts";
import { relatedCode, relationsOf } from "./related.ts";
import { type FoundHit, scopeOf, search, typesOf, visibleSources } from "./search.ts";

const CACHE_MS = 300_000;
const CACHE_ENTRIES = 500;

/**
 * What a person or a program may ask of the index, each by its route. Bodies are checked; a wrong one throws a ZodError,
 * and what takes longer than its route may a ToolFailure `timeout`.
 */
export interface KnowledgeService {
  query(body: unknown, path?: QueryPath, signal?: AbortSignal): Promise<QueryAnswer>;
  related(body: unknown, signal?: AbortSignal): Promise<RelatedAnswer>;
  collections(organisation: string | undefined): Promise<Collection[]>;
  health(): Promise<Health>;
}

export interface Collection {
  /** A type of source, such as `code`. */
  name: string;
  /** Told to an organisation of its own sources alone. */
  source: string | null;
  documents: number;
  chunks: number;
  indexed_at: string | null;
}

export interface Health {
  status: "healthy" | "degraded" | "unhealthy";
  vector_store: { status: string; vectors: number; model: string | null };
  graph: { status: string; definitions: number; relations: number };
  cache: { status: string; entries: number; hits: number; misses: number };
  counts: { sources: number; documents: number; chunks: number };
  /** Percent of what is being indexed now; null where nothing is. */
  indexing: number | null;
}

export function createService(
  index: Index,
  embedder: Embedder | undefined,
  now = Date.now,
): KnowledgeService {
  let cache = new Map<string, { at: number; answer: QueryAnswer }>();
  let revision = -1;
  let [hits, misses] = [0, 0];
  let isModelThere: boolean | undefined;

  /** What was answered from the index as it is now; a new map once it has changed. */
  async function current(): Promise<Map<string, { at: number; answer: QueryAnswer }>> {
    const latest = await index.revision();
    if (latest !== revision) cache = new Map();
    revision = latest;
    return cache;
  }

  async function vectorOf(
    request: QueryRequest,
    { signal }: Limit,
  ): Promise<{ model: string; values: Float32Array } | undefined> {
    if (embedder === undefined || !index.hasVectors) return undefined;
    const [some] = await index.all("SELECT 1 FROM vectors WHERE model = ? LIMIT 1", embedder.model);
    if (some === undefined) return undefined;
    const values = await embedder.ofQuestion(request.query, signal);
    if (!signal.aborted) isModelThere = values !== undefined;
    return values && { model: embedder.model, values };
  }

  /** Whether there is nothing at all that whoever asks may find. */
  async function isEmpty(request: QueryRequest): Promise<boolean> {
    const ids = (await visibleSources(index, request)).map(({ id }) => id);
    if (ids.length === 0) return true;
    const [some] = await index.all(`SELECT 1 FROM chunks WHERE source IN (${ids.join(",")}) LIMIT 1`);
    return some === undefined;
  }

  async function toHit(
    { document, ...hit }: FoundHit,
    request: QueryRequest,
    sources: number[],
  ): Promise<Hit> {
    if (!request.include_metadata) return { ...hit, metadata: {} };
    const name = hit.metadata["name"];
    if (hit.source_type !== "code" || typeof name !== "string" || name === "") return hit;
    const relations = await relationsOf(index, { document, name, sources });
    return { ...hit, metadata: { ...hit.metadata, relations } };
  }

  return {
    async query(body, path, signal) {
      const started = now();
      const { types: only, ms } = searchRoutes[path ?? "/query"];
      const limit = limitOf(ms, signal);
      const parsed = queryRequest.parse(body);
      const request = only === undefined ? parsed : { ...parsed, source_types: [...only] };
      const key = JSON.stringify(request);
      const known = (await current()).get(key);
      const indexing = await indexingPercent(index, request.org_id);
      const also = indexing === undefined ? {} : { indexing };
      if (known !== undefined && now() - known.at < CACHE_MS) {
        hits += 1;
        return { ...known.answer, ...also, cached: true, query_time_ms: now() - started };
      }
      misses += 1;
      limit.check();
      const vector = await vectorOf(request, limit);
      limit.check();
      const searched = await current();
      const scope = await scopeOf(index, request);
      const ids = scope.sources.map(({ id }) => id);
      const found = await search(index, request, scope, limit, vector);
      const results = await Promise.all(found.map((one) => toHit(one, request, ids)));
      const answer: QueryAnswer = {
        results,
        query: request.query,
        total_results: results.length,
        source_types_queried: typesOf(request.source_types),
        cached: false,
        query_time_ms: now() - started,
        search: vector === undefined ? "lexical" : "hybrid",
        ...(results.length === 0 && (await isEmpty(request)) ? { empty: true as const } : {}),
      };
      const [oldest] = searched.keys();
      if (searched.size >= CACHE_ENTRIES && oldest !== undefined) searched.delete(oldest);
      searched.set(key, { at: now(), answer });
      return { ...answer, ...also };
    },
    async related(body, signal) {
      const started = now();
      const request: RelatedRequest = relatedRequest.parse(body);
      return {
        ...(await relatedCode(index, request, limitOf(RELATED_MS, signal))),
        query_time_ms: now() - started,
      };
    },
    collections(organisation) {
      const own = organisation === undefined ? [] : [organisation];
      return index.all<Collection>(
        `SELECT c.type name, ${own.length === 0 ? "NULL" : "s.key"} source, count(DISTINCT c.document) documents,
           count(*) chunks, max(s.indexed_at) indexed_at
         FROM sources s JOIN chunks c ON c.source = s.id
         WHERE s.origin <> 'withdrawn' ${own.length === 0 ? "" : "AND s.organisation = ?"}
         GROUP BY 1, 2 ORDER BY 1, 2`,
        ...own,
      );
    },
    async health() {
      const count = async (table: string): Promise<number> =>
        (await index.all<{ n: number }>(`SELECT count(*) n FROM ${table}`))[0]?.n ?? 0;
      const vectors = await count("vectors");
      const isWithoutModel = vectors > 0 && isModelThere === false;
      return {
        status: isWithoutModel ? "degraded" : "healthy",
        vector_store: {
          status: isWithoutModel ? "the model does not answer" : vectors > 0 ? "ready" : "empty",
          vectors,
          model: embedder?.model ?? null,
        },
        graph: {
          status: "ready",
          definitions: await count("definitions"),
          relations: await count("relations"),
        },
        cache: { status: "ready", entries: (await current()).size, hits, misses },
        counts: {
          sources: await count("sources"),
          documents: await count("documents"),
          chunks: await count("chunks"),
        },
        indexing: (await indexingPercent(index)) ?? null,
      };
    },
  };
}

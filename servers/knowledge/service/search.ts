import { matchesGlob } from "node:path";

import type { Limit } from "../limit.ts";
import { type Filters, type Hit, type QueryRequest, type SourceType, sourceTypes } from "../wire.ts";
import type { Index, IndexTables, Narrowed, QueryVector } from "./index-store.ts";
import { termsOf } from "./terms.ts";

/** How many of each ranking are fused. */
const DEEP = 120;
/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const RRF_K = 60;
/** Chunks that are read at once. */
const AT_ONCE = 40;
/** Chunks of one file among the results. */
const PER_FILE = 2;

/** What one question may find: its organisation's sources, of which some may be for other channels alone. */
export interface Scope {
  sources: { id: number; name: string }[];
  types: SourceType[];
  filters: Filters;
}

/** The sources that an organisation finds in a channel. */
export async function visibleSources(
  index: IndexTables,
  { org_id: organisation, channel }: { org_id: string; channel: string },
): Promise<{ id: number; name: string }[]> {
  return (await index.sources(organisation)).filter(
    ({ channels, origin }) => origin !== "withdrawn" && (channels.length === 0 || channels.includes(channel)),
  );
}

/** The types that are asked for. Written pages are one thing to ask for, whether a wiki or a folder has them. */
export function typesOf(asked: readonly string[]): SourceType[] {
  if (asked.length === 0) return [...sourceTypes];
  const wanted = new Set(asked.includes("confluence") ? [...asked, "docs"] : asked);
  return sourceTypes.filter((type) => wanted.has(type));
}

export async function scopeOf(index: IndexTables, request: QueryRequest): Promise<Scope> {
  const { filters } = request;
  const sources = (await visibleSources(index, request)).filter(
    ({ name }) => filters.repo === "" || matchesGlob(name.toLowerCase(), filters.repo.toLowerCase()),
  );
  return { sources, types: typesOf(request.source_types), filters };
}

interface ChunkRow {
  id: number;
  type: SourceType;
  document: number;
  source_id: string;
  metadata: string;
  content: string;
}

export interface FoundHit extends Hit {
  document: number;
}

/** Searches by words and, where the question has a vector, by meaning; fused, best first. */
export async function search(
  index: Index,
  { query, top_k: most }: Pick<QueryRequest, "query" | "top_k">,
  scope: Scope,
  limit: Limit,
  vector?: QueryVector,
): Promise<FoundHit[]> {
  if (scope.sources.length === 0 || scope.types.length === 0) return [];
  const narrowed: Narrowed = {
    sources: scope.sources.map(({ id }) => id),
    types: scope.types,
    facets: facetGroups(scope.filters),
  };
  const rankings = await lexicalRankings(index, termsOf(query), narrowed, limit);
  if (vector !== undefined)
    rankings.push({ weight: 1.5, ids: await index.byMeaning(vector, narrowed, DEEP) });
  const scores = new Map<number, number>();
  for (const { ids, weight } of rankings)
    for (const [rank, id] of ids.entries())
      scores.set(id, (scores.get(id) ?? 0) + weight / (RRF_K + rank + 1));
  const best = rankings.reduce((sum, { weight }) => sum + weight / (RRF_K + 1), 0);
  const ranked = [...scores].toSorted(([a, one], [b, other]) => other - one || a - b);

  const hits: FoundHit[] = [];
  const seen = new Set<string>();
  const ofDocument = new Map<number, number>();
  for (let at = 0; at < ranked.length && hits.length < most; at += AT_ONCE) {
    limit.check();
    const some = ranked.slice(at, at + AT_ONCE);
    const rows = await index.all<ChunkRow>(
      `SELECT id, type, document, source_id, metadata, content FROM chunks
       WHERE id IN (${some.map(([id]) => id).join(",")})`,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const [id, score] of some) {
      const row = byId.get(id);
      if (row === undefined || hits.length >= most) continue;
      const metadata = JSON.parse(row.metadata) as Record<string, unknown>;
      const taken = ofDocument.get(row.document) ?? 0;
      if (taken >= (row.type === "code" || row.type === "docs" ? PER_FILE : 1)) continue;
      if (!fits(metadata, scope.filters) || seen.has(row.content)) continue;
      seen.add(row.content);
      ofDocument.set(row.document, taken + 1);
      hits.push({
        content: row.content,
        source_type: row.type,
        source_id: row.source_id,
        relevance_score: Math.round((score / best) * 1000) / 1000,
        metadata,
        document: row.document,
      });
    }
  }
  return hits;
}

interface Ranking {
  weight: number;
  /** Chunks, best first. */
  ids: number[];
}

async function lexicalRankings(
  index: Index,
  terms: string[],
  narrowed: Narrowed,
  limit: Limit,
): Promise<Ranking[]> {
  if (terms.length === 0) return [];
  const counted = (await index.countWords(terms)).toSorted((a, b) => a.rows - b.rows);
  let budget = index.mostRows;
  const rare = counted.filter(({ rows }, at) => {
    budget -= rows;
    return at === 0 || budget > 0;
  });
  limit.check();
  const any = await index.byWords(rare, "any", narrowed, DEEP);
  const rankings = [
    { weight: 1, ids: any.anywhere },
    { weight: 0.5, ids: any.inTitle },
  ];
  limit.check();
  const there = counted.filter(({ rows }) => rows > 0);
  if (there.length > 1)
    rankings.push({ weight: 1, ids: (await index.byWords(there, "every", narrowed, DEEP)).anywhere });
  return rankings;
}

const FACETS = ["language", "project", "status", "space"] as const;

/** For each filter the values of which one has to be there. */
function facetGroups(filters: Filters): string[][] {
  return FACETS.filter((name) => filters[name] !== "").map((name) =>
    valuesOf(filters[name]).map((value) => `${name}:${value}`),
  );
}

function fits(metadata: Record<string, unknown>, filters: Filters): boolean {
  return FACETS.every((name) => {
    const wanted = valuesOf(filters[name]);
    return wanted.length === 0 || wanted.includes(textOf(metadata[name]).toLowerCase());
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function valuesOf(list: string): string[] {
  return list
    .split(",")
    .map((value) => value.trim().toLowerCase())
    .filter((value) => value !== "");
}

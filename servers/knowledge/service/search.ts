import { matchesGlob } from "node:path";

import { stemmer } from "stemmer";

import type { Limit } from "../limit.ts";
import { type Filters, type Hit, type QueryRequest, type SourceType, sourceTypes } from "../wire.ts";
import { facetTerm, type Index } from "./index-store.ts";
import { termsOf } from "./terms.ts";

/** Rows that one query of the full text may look at: words that are everywhere are left out beyond it. */
const MOST_ROWS = 12_000;
/** How many of each ranking are fused. */
const DEEP = 120;
/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const RRF_K = 60;
/** Chunks of one file among the results. */
const PER_FILE = 2;

/** What one question may find: its organisation's sources, of which some may be for other channels alone. */
export interface Scope {
  sources: { id: number; name: string }[];
  types: SourceType[];
  filters: Filters;
}

export interface QueryVector {
  model: string;
  values: Float32Array;
}

/** The sources that an organisation finds in a channel. */
export function visibleSources(
  index: Index,
  { org_id: organisation, channel }: { org_id: string; channel: string },
): { id: number; name: string }[] {
  return index
    .sources(organisation)
    .filter(
      ({ channels, origin }) =>
        origin !== "withdrawn" && (channels.length === 0 || channels.includes(channel)),
    );
}

/** The types that are asked for. Written pages are one thing to ask for, whether a wiki or a folder has them. */
export function typesOf(asked: readonly string[]): SourceType[] {
  if (asked.length === 0) return [...sourceTypes];
  const wanted = new Set(asked.includes("confluence") ? [...asked, "docs"] : asked);
  return sourceTypes.filter((type) => wanted.has(type));
}

export function scopeOf(index: Index, request: QueryRequest): Scope {
  const { filters } = request;
  const sources = visibleSources(index, request).filter(
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
export function search(
  index: Index,
  { query, top_k: most }: Pick<QueryRequest, "query" | "top_k">,
  scope: Scope,
  limit: Limit,
  vector?: QueryVector,
): FoundHit[] {
  if (scope.sources.length === 0 || scope.types.length === 0) return [];
  const rankings = [
    ...lexicalRankings(index, termsOf(query), scope, limit),
    ...(vector === undefined ? [] : [byMeaning(index, vector, scope)]),
  ];
  limit.check();
  const scores = new Map<number, number>();
  for (const { ids, weight } of rankings)
    for (const [rank, id] of ids.entries())
      scores.set(id, (scores.get(id) ?? 0) + weight / (RRF_K + rank + 1));
  const best = rankings.reduce((sum, { weight }) => sum + weight / (RRF_K + 1), 0);
  const ranked = [...scores].toSorted(([a, one], [b, other]) => other - one || a - b);

  const hits: FoundHit[] = [];
  const seen = new Set<string>();
  const ofDocument = new Map<number, number>();
  for (const [id, score] of ranked) {
    if (hits.length >= most) break;
    const [row] = index.all<ChunkRow>(
      "SELECT id, type, document, source_id, metadata, content FROM chunks WHERE id = ?",
      id,
    );
    if (row === undefined) continue;
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
  return hits;
}

interface Ranking {
  weight: number;
  /** Chunks, best first. */
  ids: number[];
}

function lexicalRankings(index: Index, terms: string[], scope: Scope, limit: Limit): Ranking[] {
  if (terms.length === 0) return [];
  const counted = terms
    .map((term) => ({ term, rows: rowsOf(index, term) }))
    .toSorted((a, b) => a.rows - b.rows);
  let budget = MOST_ROWS;
  const rare = counted.filter(({ rows }, at) => {
    budget -= rows;
    return at === 0 || budget > 0;
  });
  const any = rare.map(({ term }) => quoted(term)).join(" OR ");
  const rankings = [
    { weight: 1, ids: byWords(index, `{title body} : (${any})`, scope) },
    { weight: 0.5, ids: byWords(index, `{title} : (${any})`, scope) },
  ];
  limit.check();
  const there = counted.filter(({ rows }) => rows > 0);
  if (there.length > 1) {
    const every = there.map(({ term }) => quoted(term)).join(" AND ");
    rankings.push({ weight: 1, ids: byWords(index, `{title body} : (${every})`, scope) });
  }
  return rankings;
}

/** In how many chunks a word stands, in any of its forms. */
function rowsOf(index: Index, term: string): number {
  const stem = stemmer(term.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
  return index.all<{ doc: number }>("SELECT doc FROM vocabulary WHERE term = ?", stem)[0]?.doc ?? 0;
}

function byWords(index: Index, match: string, { sources, types, filters }: Scope): number[] {
  const ids = sources.map(({ id }) => id);
  const groups = [
    ...(isMost(index, ids) ? [] : [ids.map((id) => `source:${id}`)]),
    ...(types.length === sourceTypes.length ? [] : [types.map((type) => `type:${type}`)]),
    ...facetGroups(filters),
  ];
  const narrowed = [
    ...groups.map((values) => `{scope} : (${values.map((value) => quoted(facetTerm(value))).join(" OR ")})`),
    match,
  ].join(" AND ");
  // The scope in the match makes it quick; that nothing of another organisation is given is the join's part.
  return index
    .all<{ id: number }>(
      `SELECT c.id FROM words JOIN chunks c ON c.id = words.rowid
       WHERE words MATCH ? AND c.source IN (${ids.join(",")})
       ORDER BY bm25(words, 0, 3, 1), c.id LIMIT ${DEEP}`,
      narrowed,
    )
    .map(({ id }) => id);
}

/** Whether these sources have most of the index, so that looking each row up is cheaper than narrowing by them. */
function isMost(index: Index, ids: number[]): boolean {
  const [counts] = index.all<{ own: number; every: number }>(
    `SELECT (SELECT count(*) FROM documents WHERE source IN (${ids.join(",")})) own,
            (SELECT count(*) FROM documents) every`,
  );
  return counts !== undefined && counts.own * 2 > counts.every;
}

function byMeaning(index: Index, { model, values }: QueryVector, { sources, types }: Scope): Ranking {
  const rows = index.all<{ id: number }>(
    `SELECT v.chunk id FROM vectors v JOIN chunks c ON c.id = v.chunk
     WHERE v.source IN (${sources.map(({ id }) => id).join(",")}) AND v.model = ? AND length(v.embedding) = ?
       AND c.type IN (${types.map((type) => `'${type}'`).join(",")})
     ORDER BY vec_distance_cosine(v.embedding, ?) LIMIT ${DEEP}`,
    model,
    values.byteLength,
    new Uint8Array(values.buffer),
  );
  return { weight: 1.5, ids: rows.map(({ id }) => id) };
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

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

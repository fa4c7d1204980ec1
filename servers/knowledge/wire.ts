import { z } from "zod";

// What the service is asked and answers, as JSON over HTTP and inside this process alike.

export const sourceTypes = ["code", "jira", "confluence", "docs"] as const;
export type SourceType = (typeof sourceTypes)[number];

/** The routes that search: the types of what each finds (undefined: whatever is asked for), and how long it may take. */
export const searchRoutes = {
  "/query": { types: undefined, ms: 60_000 },
  "/query/code": { types: ["code"], ms: 60_000 },
  "/query/tickets": { types: ["jira"], ms: 30_000 },
  "/query/docs": { types: ["confluence", "docs"], ms: 30_000 },
} as const satisfies Record<string, { types: SourceType[] | undefined; ms: number }>;
export type QueryPath = keyof typeof searchRoutes;
export const RELATED_MS = 30_000;

export const relationKinds = ["calls", "called_by", "imports", "imported_by", "extends"] as const;
export type RelationKind = (typeof relationKinds)[number];

export const entityTypes = ["function", "class", "module", "file"] as const;

const text = z.string().trim().min(1).max(2000);
/** One value, or several with commas; `*` and nothing mean any. What is something else would widen the search. */
const wanted = z
  .string({ error: 'expected a text, such as "one" or "one,other"' })
  .trim()
  .max(300)
  .transform((value) => (value === "*" ? "" : value))
  .nullish()
  .transform((value) => value ?? "");

const filters = z.object({
  repo: wanted.describe("Glob of repositories"),
  language: wanted,
  project: wanted,
  status: wanted,
  space: wanted,
});
export type Filters = z.infer<typeof filters>;

/** Upstream's client sends its filters inside `filters`, upstream's service reads them at the top level. */
function flatten(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const given = body as Record<string, unknown>;
  const inner = given["filters"] ?? {};
  if (typeof inner !== "object" || Array.isArray(inner)) return body;
  const all: Record<string, unknown> = { ...inner, ...given };
  return { ...all, filters: { ...all, repo: all["repo_filter"] ?? all["repo"] } };
}

const scope = {
  org_id: z.string().trim().min(1).max(200),
  /** Where it is asked; a source that names channels is found in those alone. */
  channel: z.string().max(300).default(""),
};

const asked = z.object({
  query: text,
  ...scope,
  source_types: z
    .union([z.array(z.string()), z.string().transform((list) => list.split(","))])
    .default([])
    .transform((list) => list.map((one) => one.trim().toLowerCase()).filter((one) => one !== "")),
  top_k: z.coerce.number().int().min(1).max(100).default(10),
  include_metadata: z.boolean().default(true),
  filters,
});

export const queryRequest: z.ZodPreprocess<typeof asked> = z.preprocess(flatten, asked);
export type QueryRequest = z.infer<typeof queryRequest>;

export const relatedRequest = z.object({
  entity: text,
  entity_type: z.enum(entityTypes).default("function"),
  ...scope,
  relationship: z.enum(["all", ...relationKinds]).default("all"),
});
export type RelatedRequest = z.infer<typeof relatedRequest>;

export const hit = z.object({
  content: z.string(),
  source_type: z.string(),
  source_id: z.string(),
  relevance_score: z.number(),
  metadata: z.record(z.string(), z.unknown()),
});
export type Hit = z.infer<typeof hit>;

/** How it was searched: `lexical` where no model for embeddings answered. */
export const searchMode = z.enum(["hybrid", "lexical"]);

export interface QueryAnswer {
  results: Hit[];
  query: string;
  total_results: number;
  source_types_queried: string[];
  cached: boolean;
  query_time_ms: number;
  search: z.infer<typeof searchMode>;
  /** Percent of what is being indexed now; absent where nothing is. */
  indexing?: number;
  /** Nothing is indexed that whoever asks may find; absent where something is. */
  empty?: true;
}

export interface RelatedRow {
  relationship: string;
  name: string;
  file_path: string;
  line_number: number;
  file: string;
  line: number;
  repo: string;
}

export interface RelatedAnswer {
  entity: string;
  entity_type: string;
  relationship: string;
  results: RelatedRow[];
  /** The same by relationship. */
  related: Record<string, RelatedRow[]>;
  total_results: number;
  query_time_ms: number;
}

import { z } from "zod";

import { messageOf, ToolFailure } from "../kit/tool.ts";
import { configuredSources, followSettings } from "./ingest/configured.ts";
import { limitOf } from "./limit.ts";
import { createEmbedder } from "./service/embeddings.ts";
import { openIndex } from "./service/index-store.ts";
import { createService } from "./service/service.ts";
import { hit, type QueryPath, RELATED_MS, searchMode, searchRoutes } from "./wire.ts";

/** What the tools ask of the service, as its routes have it. */
export interface QueryBody {
  query: string;
  org_id: string;
  top_k: number;
  source_types?: string[];
  channel?: string;
  filters: Record<string, string>;
}

export interface RelatedBody {
  entity: string;
  entity_type: string;
  org_id: string;
  relationship: string;
  channel?: string;
}

// A service of somebody else may leave out what is not looked at.
const anyText = z.string().catch("");
const foundSchema = z.object({
  results: z.array(
    z.preprocess(
      (row): unknown => ({ source_type: "", source_id: "", metadata: {}, ...(row as object) }),
      hit.extend({ source_id: z.coerce.string(), relevance_score: z.number().catch(0) }),
    ),
  ),
  cached: z.boolean().catch(false),
  query_time_ms: z.number().catch(0),
  search: searchMode.optional().catch(undefined),
  indexing: z.number().optional().catch(undefined),
  empty: z.boolean().catch(false),
});
export type Found = z.infer<typeof foundSchema>;

const rowSchema = z.looseObject({
  name: anyText,
  file: z.string().optional(),
  file_path: z.string().optional(),
  line: z.number().optional().catch(undefined),
  line_number: z.number().optional().catch(undefined),
  relationship: z.string().optional(),
  relation: z.string().optional(),
  repo: z.string().optional().catch(undefined),
});

const relatedSchema = z.looseObject({
  results: z.array(rowSchema).optional(),
  related: z.record(z.string(), z.array(rowSchema)).optional(),
  relationships: z.record(z.string(), z.array(rowSchema)).optional(),
});

export interface Related {
  relationship: string;
  name: string;
  file: string;
  line: number;
  repo: string;
}

/** A service to ask. Methods reject with a ToolFailure: `service_down`, `timeout`, `service_error`. */
export interface Knowledge {
  query(path: QueryPath, body: QueryBody, signal: AbortSignal): Promise<Found>;
  related(body: RelatedBody, signal: AbortSignal): Promise<Related[]>;
}

/** The service at `LLAMAINDEX_URL`, or the index, searched in this process. */
export async function chooseKnowledge(env: NodeJS.ProcessEnv): Promise<Knowledge> {
  const url = env.LLAMAINDEX_URL?.trim() ?? "";
  return url === "" ? openEmbedded(env) : remoteKnowledge(url);
}

async function openEmbedded(env: NodeJS.ProcessEnv): Promise<Knowledge> {
  const index = await openIndex(env);
  const listed = configuredSources(env);
  if (listed !== undefined) await followSettings(index, listed);
  const service = createService(index, createEmbedder(env));
  return {
    query: async (path, body, signal) => foundSchema.parse(await service.query(body, path, signal)),
    related: async (body, signal) => rowsOf(await service.related(body, signal)),
  };
}

function remoteKnowledge(base: string): Knowledge {
  const root = URL.parse(base);
  if (root?.protocol !== "http:" && root?.protocol !== "https:")
    throw new ToolFailure(
      "bad_url",
      `LLAMAINDEX_URL: expected http://HOST:PORT, got "${base.slice(0, 100)}"`,
    );

  async function post(path: string, body: object, signal: AbortSignal, ms: number): Promise<unknown> {
    const limit = limitOf(ms, signal);
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(`${root?.pathname.replace(/\/$/, "") ?? ""}${path}`, root ?? base), {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(body),
        signal: limit.signal,
      });
      text = await response.text();
    } catch (error) {
      limit.check();
      const why =
        error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
      throw new ToolFailure(
        "service_down",
        `the knowledge service at ${root?.host ?? base} cannot be reached: ${why}`,
        {
          cause: error,
        },
      );
    }
    if (!response.ok)
      throw new ToolFailure(
        "service_error",
        `the knowledge service answered ${response.status}: ${detailOf(text)}`,
      );
    return jsonOf(text);
  }

  return {
    async query(path, { channel: _own, filters, ...body }, signal) {
      // Upstream's client sends filters inside `filters`, its service reads them at the top.
      const asked = { ...body, ...filters, filters };
      return shaped(foundSchema, await post(path, asked, signal, searchRoutes[path].ms));
    },
    async related({ channel: _own, ...body }, signal) {
      return rowsOf(await post("/graph/related", body, signal, RELATED_MS));
    },
  };
}

function rowsOf(answer: unknown): Related[] {
  const { results = [], related, relationships } = shaped(relatedSchema, answer);
  const grouped = Object.entries(related ?? relationships ?? {}).flatMap(([relationship, rows]) =>
    rows.map((row) => ({ ...row, relationship })),
  );
  return (grouped.length > 0 ? grouped : results).map((row) => ({
    relationship: row.relationship ?? row.relation ?? "related",
    name: row.name,
    file: row.file_path ?? row.file ?? "",
    line: row.line_number ?? row.line ?? 0,
    repo: row.repo ?? "",
  }));
}

function shaped<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(answer);
  if (success) return data;
  throw new ToolFailure(
    "service_error",
    `the knowledge service answered in another shape: ${z.prettifyError(error).slice(0, 500)}`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ToolFailure("service_error", `the knowledge service answered no JSON: ${text.slice(0, 200)}`, {
      cause: error,
    });
  }
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return (typeof detail === "string" ? detail : JSON.stringify(detail ?? text)).slice(0, 500);
  } catch {
    return text.slice(0, 200);
  }
}

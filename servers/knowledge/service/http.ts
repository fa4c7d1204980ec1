import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";

import { messageOf, ToolFailure } from "../../kit/tool.ts";
import { sourceDefinition } from "../ingest/sources.ts";
import { type QueryPath, searchRoutes } from "../wire.ts";
import type { Job } from "./jobs.ts";
import type { KnowledgeService } from "./service.ts";

const MOST_BYTES = 1_000_000;

/** What the routes need to have jobs run. */
export interface JobDesk {
  /** Runs jobs one after another; gives them as they are queued. */
  start(request: JobRequest): { source: string; mode: string }[];
  list(organisation: string | undefined): Promise<Job[]>;
}

const jobRequest = z.object({
  org_id: z.string().trim().min(1).max(200),
  sources: z.array(sourceDefinition).min(1).max(50),
  mode: z.enum(["full", "incremental", "delete"]).default("incremental"),
});
export type JobRequest = z.infer<typeof jobRequest>;

/** The service over HTTP: JSON in and out, `{detail}` with 400, 404 and 503. */
export function createRoutes(
  service: KnowledgeService,
  jobs: JobDesk,
): ReturnType<typeof getRequestListener> {
  const app = new Hono();
  app.use(
    bodyLimit({
      maxSize: MOST_BYTES,
      onError: (context) => context.json({ detail: `expected at most ${MOST_BYTES} bytes of JSON` }, 400),
    }),
  );
  for (const path of Object.keys(searchRoutes) as QueryPath[])
    app.post(path, async (context) =>
      context.json(await service.query(await bodyOf(context), path, context.req.raw.signal)),
    );
  app.post("/graph/related", async (context) =>
    context.json(await service.related(await bodyOf(context), context.req.raw.signal)),
  );
  app.get("/collections", async (context) =>
    context.json({ collections: await service.collections(context.req.query("org_id")) }),
  );
  app.get("/health", async (context) => {
    try {
      return context.json(await service.health());
    } catch (error) {
      return context.json({ status: "unhealthy", detail: messageOf(error) }, 503);
    }
  });
  app.post("/jobs", async (context) => {
    const accepted = jobs.start(jobRequest.parse(await bodyOf(context)));
    return context.json({ accepted }, 202);
  });
  app.get("/jobs", async (context) => context.json({ jobs: await jobs.list(context.req.query("org_id")) }));
  app.notFound((context) =>
    context.json({ detail: `there is no ${context.req.method} ${context.req.path}` }, 404),
  );
  app.onError((error, context) => {
    if (error instanceof z.ZodError) return context.json({ detail: describe(error) }, 400);
    if (error instanceof WrongBody) return context.json({ detail: error.message }, 400);
    process.stderr.write(`knowledge: ${context.req.path}: ${messageOf(error)}\n`);
    const detail = error instanceof ToolFailure ? error.message : "the index cannot be read now: see the log";
    return context.json({ detail }, 503);
  });
  return getRequestListener(app.fetch);
}

class WrongBody extends Error {}

async function bodyOf(context: Context): Promise<unknown> {
  try {
    return (await context.req.json()) as unknown;
  } catch (error) {
    throw new WrongBody(`expected JSON: ${messageOf(error)}`, { cause: error });
  }
}

function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => [path.join("."), message].filter((part) => part !== "").join(": "))
    .join("; ");
}

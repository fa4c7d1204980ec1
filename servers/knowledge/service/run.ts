import { setPriority } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { z } from "zod";

import { listen } from "../../kit/http.ts";
import { messageOf, ToolFailure } from "../../kit/tool.ts";
import { runJob } from "../ingest/run-job.ts";
import { parseSource, type SourceDefinition, sourceDefinition, sourceKey } from "../ingest/sources.ts";
import { createEmbedder } from "./embeddings.ts";
import { createRoutes, type JobDesk } from "./http.ts";
import { type Index, indexPath, openIndex } from "./index-store.ts";
import { type Job, type JobMode, listJobs, lostJobs } from "./jobs.ts";
import { progressText, reportText } from "./progress.ts";
import { createService } from "./service.ts";

/** Indexes sources, serves the index over HTTP, and says what is in it. Exit codes: 0 done, 1 failed, 2 wrong use. */

const PORT = 8002;
const DEFAULT_ORGANISATION = "default";

const USAGE = `Usage: node servers/knowledge/service/main.ts COMMAND [options]

  serve   [--port N] [--host ADDRESS]       the service over HTTP (port ${PORT}, loopback)
  ingest  [SOURCE…] [--org ID] [--channel ID] [--full] [--delete] [--json]
          index sources: a folder or repository, files:FOLDER, jira, jira:JQL, confluence, confluence:ENG,OPS;
          without SOURCE those of KNOWLEDGE_SOURCES (JSON), and what a killed process left
  status  [--json]                          what is indexed, and the latest jobs`;

/** A source of the configuration: the same for each of its organisations. */
const configured = z.array(
  z
    .looseObject({ organisations: z.array(z.string().min(1)).min(1).default([DEFAULT_ORGANISATION]) })
    .transform(({ organisations, ...rest }) => ({ organisations, source: sourceDefinition.parse(rest) })),
);

interface Task {
  organisation: string;
  source: SourceDefinition;
  mode: JobMode;
}

class WrongUse extends Error {}

async function main(): Promise<number> {
  const { values, positionals } = parseCommandLine();
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return command === undefined && !values.help ? 2 : 0;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  if (process.env.KNOWLEDGE_ENDS_WITH_STDIN === "1") {
    // Whoever launched it is gone: nobody else would end it.
    process.stdin
      .resume()
      .once("close", () => stop.abort())
      .unref();
  }
  const index = openIndex(indexPath(process.env));
  try {
    if (command === "serve") return await serve(index, values, stop.signal);
    if (command === "status") return status(index, values.json);
    if (command === "ingest") return await ingest(index, tasksOf(index, rest, values), values, stop.signal);
    throw new WrongUse(`expected serve, ingest or status, got "${command}"`);
  } finally {
    index.close();
  }
}

function parseCommandLine(): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: "string", default: String(PORT) },
        host: { type: "string", default: "127.0.0.1" },
        org: { type: "string", default: DEFAULT_ORGANISATION },
        channel: { type: "string", multiple: true, default: [] },
        full: { type: "boolean", default: false },
        delete: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        progress: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new WrongUse(messageOf(error).split(". ")[0] ?? "", { cause: error });
  }
}

interface Flags {
  port: string;
  host: string;
  org: string;
  channel: string[];
  full: boolean;
  delete: boolean;
  json: boolean;
  /** Tells how far it is, in lines that begin with … */
  progress: boolean;
  help: boolean;
}

/** Paths of the configuration are relative to the product. */
function fromRoot(source: SourceDefinition): SourceDefinition {
  const root = process.env.KNOWLEDGE_ROOT?.trim() || ".";
  return source.path === undefined ? source : { ...source, path: resolve(root, source.path) };
}

function tasksOf(index: Index, named: string[], flags: Flags): Task[] {
  const mode = flags.delete ? "delete" : flags.full ? "full" : "incremental";
  if (named.length > 0) {
    return named.map((text) => ({
      organisation: flags.org,
      source: { ...parseSource(text), channels: flags.channel },
      mode,
    }));
  }
  const text = process.env.KNOWLEDGE_SOURCES?.trim() || "[]";
  const parsed = configured.safeParse(jsonOf(text));
  if (!parsed.success) throw new WrongUse(`KNOWLEDGE_SOURCES: ${z.prettifyError(parsed.error)}`);
  const tasks: Task[] = parsed.data.flatMap(({ organisations, source }) =>
    organisations.map((organisation) => ({ organisation, source: fromRoot(source), mode })),
  );
  const isListed = (job: Job): boolean =>
    tasks.some((task) => task.organisation === job.organisation && sourceKey(task.source) === job.source);
  const lost = lostTasks(index, (job) => !isListed(job));
  if (tasks.length + lost.length === 0)
    throw new WrongUse("name a source, such as `jira` or a folder, or list some in `knowledge.sources`");
  return [...lost, ...tasks];
}

function lostTasks(index: Index, isWanted: (job: Job) => boolean = () => true): Task[] {
  return lostJobs(index)
    .filter(isWanted)
    .flatMap(({ organisation, definition, mode }) => {
      const { success, data } = sourceDefinition.safeParse(definition);
      return success ? [{ organisation, source: data, mode }] : [];
    });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new WrongUse(`KNOWLEDGE_SOURCES: expected JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** One source after another; one that fails does not keep the others from being indexed. */
async function ingest(index: Index, tasks: Task[], flags: Flags, signal: AbortSignal): Promise<number> {
  // Whoever works on this machine comes first.
  setPriority(10);
  const embedder = createEmbedder(process.env);
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  let failed = 0;
  for (const task of tasks) {
    const key = sourceKey(task.source);
    try {
      const started = performance.now();
      const onProgress = (job: Job): void => {
        if (flags.json) tell(JSON.stringify(job));
        else if (flags.progress) tell(`… ${progressText(job, started)}`);
      };
      const job = await runJob({ index, embedder, env: process.env, ...task, signal, onProgress });
      tell(flags.json ? JSON.stringify(job) : reportText(job));
    } catch (error) {
      failed += 1;
      process.stderr.write(`${key}: ${messageOf(error)}\n`);
      if (signal.aborted) break;
    }
  }
  return failed === 0 ? 0 : 1;
}

async function serve(index: Index, flags: Flags, signal: AbortSignal): Promise<number> {
  if (!/^\d{1,5}$/.test(flags.port) || Number(flags.port) > 65_535)
    throw new WrongUse(`--port: expected a number from 0 to 65535, got "${flags.port}"`);
  if (!["127.0.0.1", "::1", "localhost"].includes(flags.host))
    // It asks nobody who they are.
    throw new WrongUse(`--host: expected a loopback address, got "${flags.host}"`);
  const embedder = createEmbedder(process.env);
  let last = Promise.resolve();
  const queue = (task: Task): void => {
    last = last.then(async () => {
      try {
        await runJob({ index, embedder, env: process.env, ...task, signal });
      } catch (error) {
        if (!signal.aborted) process.stderr.write(`${sourceKey(task.source)}: ${messageOf(error)}\n`);
      }
    });
  };
  const desk: JobDesk = {
    start({ org_id: organisation, sources, mode }) {
      for (const source of sources) queue({ organisation, source, mode });
      return sources.map((source) => ({ source: sourceKey(source), mode }));
    },
    list: (organisation) => listJobs(index, organisation),
  };
  const routes = createRoutes(createService(index, embedder), desk);
  const listener = await listen(
    { path: "/", handle: async (request, response) => routes(request, response), close: async () => {} },
    { host: flags.host, port: Number(flags.port) },
  );
  process.stderr.write(`listening on ${listener.url}\n`);
  for (const task of lostTasks(index)) queue(task);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await listener.close();
  await last;
  return 0;
}

function status(index: Index, isJson: boolean): number {
  const jobs = listJobs(index);
  const sources = index.all<{
    organisation: string;
    source: string;
    chunks: number;
    indexed_at: string | null;
  }>(
    `SELECT organisation, key source, (SELECT count(*) FROM chunks c WHERE c.source = s.id) chunks, indexed_at
     FROM sources s ORDER BY organisation, key`,
  );
  if (isJson) process.stdout.write(`${JSON.stringify({ sources, jobs })}\n`);
  else {
    const rows = sources.map(
      ({ organisation, source, chunks, indexed_at: at }) =>
        `${organisation}  ${source}  ${chunks} pieces  ${at === null ? "not complete" : `indexed ${at}`}`,
    );
    const running = jobs.filter(({ state }) => state === "running").map(reportText);
    process.stdout.write(`${[...rows, ...running].join("\n") || "Nothing is indexed yet."}\n`);
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isKnown = error instanceof ToolFailure || error instanceof WrongUse;
  process.stderr.write(
    `knowledge: ${isKnown || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message)}\n`,
  );
  process.exitCode = error instanceof WrongUse ? 2 : 1;
}

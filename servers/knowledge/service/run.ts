import { setPriority } from "node:os";
import { parseArgs } from "node:util";

import { listen } from "../../kit/http.ts";
import { isFailure, messageOf, ToolFailure } from "../../kit/tool.ts";
import {
  configuredSources,
  DEFAULT_ORGANISATION,
  followSettings,
  type OwnedSource,
} from "../ingest/configured.ts";
import { removeSource, runJob } from "../ingest/run-job.ts";
import { parseSource, sourceDefinition, sourceKey } from "../ingest/sources.ts";
import { createEmbedder } from "./embeddings.ts";
import { createRoutes, type JobDesk } from "./http.ts";
import { type Index, openIndex } from "./index-store.ts";
import { type Job, type JobMode, listJobs, lostJobs } from "./jobs.ts";
import { createService } from "./service.ts";

/** Indexes sources, serves the index over HTTP, and says what is in it. Exit codes: 0 done, 1 failed, 2 wrong use. */

const PORT = 8002;
/** Characters of the bar that says how far a job is. */
const WIDTH = 24;

const USAGE = `Usage: node servers/knowledge/service/main.ts COMMAND [options]

  serve   [--port N] [--host ADDRESS]       the service over HTTP (port ${PORT}, loopback)
  ingest  [SOURCE…] [--org ID] [--channel ID] [--full] [--delete] [--json]
          index sources: a folder or repository, its URL, files:FOLDER, jira, jira:JQL, confluence, confluence:ENG,OPS;
          without SOURCE those of KNOWLEDGE_SOURCES (JSON), and what a killed process left; what is not listed any
          more is removed, with --withdrawn that alone
  status  [--json]                          what is indexed, and the latest jobs`;

interface Task extends OwnedSource {
  mode: JobMode;
  isConfigured?: boolean;
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
  const index = await openIndex(process.env);
  try {
    if (command === "serve") return await serve(index, values, stop.signal);
    if (command === "status") return await status(index, values.json);
    if (command === "ingest") return await ingest(index, rest, values, stop.signal);
    throw new WrongUse(`expected serve, ingest or status, got "${command}"`);
  } finally {
    await index.close();
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
        withdrawn: { type: "boolean", default: false },
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
  withdrawn: boolean;
  json: boolean;
  /** Tells how far it is, in lines that begin with … */
  progress: boolean;
  help: boolean;
}

async function tasksOf(index: Index, named: string[], listed: OwnedSource[], flags: Flags): Promise<Task[]> {
  const mode = flags.delete ? "delete" : flags.full ? "full" : "incremental";
  if (named.length > 0) {
    return named.map((text) => ({
      organisation: flags.org,
      source: { ...parseSource(text), channels: flags.channel },
      mode,
    }));
  }
  const tasks = listed.map((one): Task => ({ ...one, mode, isConfigured: true }));
  const isListed = (job: Job): boolean =>
    tasks.some((task) => task.organisation === job.organisation && sourceKey(task.source) === job.source);
  return [...(await lostTasks(index, (job) => !isListed(job))), ...tasks];
}

/** What killed processes left, save what nobody wants any more. */
async function lostTasks(index: Index, isWanted: (job: Job) => boolean = () => true): Promise<Task[]> {
  const rows = await index.sources();
  const isWithdrawn = ({ organisation, source }: Job): boolean =>
    rows.some((row) => row.organisation === organisation && row.key === source && row.origin === "withdrawn");
  return (await lostJobs(index))
    .filter((job) => isWanted(job) && !isWithdrawn(job))
    .flatMap(({ organisation, definition, mode }) => {
      const { success, data } = sourceDefinition.safeParse(definition);
      return success ? [{ organisation, source: data, mode }] : [];
    });
}

/** One source after another; one that fails does not keep the others from being indexed. */
async function ingest(index: Index, named: string[], flags: Flags, signal: AbortSignal): Promise<number> {
  // Whoever works on this machine comes first.
  setPriority(10);
  const listed = named.length > 0 ? undefined : configuredSources(process.env);
  const withdrawn = listed === undefined ? [] : await followSettings(index, listed);
  const tasks = flags.withdrawn ? [] : await tasksOf(index, named, listed ?? [], flags);
  if (tasks.length + withdrawn.length === 0 && !flags.withdrawn)
    throw new WrongUse("name a source, such as `jira` or a folder, or list some in `knowledge.sources`");
  const embedder = createEmbedder(process.env);
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  let failed = 0;
  async function run(key: string, work: (onProgress: (job: Job) => void) => Promise<Job>): Promise<void> {
    if (signal.aborted) return;
    const started = performance.now();
    try {
      const job = await work((running) => {
        if (flags.json) tell(JSON.stringify(running));
        else if (flags.progress) tell(`… ${progressText(running, started)}`);
      });
      tell(flags.json ? JSON.stringify(job) : reportText(job));
    } catch (error) {
      // Another replica was first, and does the same.
      const isDone = listed !== undefined && isFailure(error, "already_running");
      if (isDone && !flags.json) tell(messageOf(error));
      if (isDone) return;
      failed += 1;
      process.stderr.write(`${key}: ${messageOf(error)}\n`);
    }
  }
  for (const { organisation, key } of withdrawn) await run(key, () => removeSource(index, organisation, key));
  for (const task of tasks)
    await run(sourceKey(task.source), (onProgress) =>
      runJob({ index, embedder, env: process.env, ...task, signal, onProgress }),
    );
  return failed === 0 ? 0 : 1;
}

async function serve(index: Index, flags: Flags, signal: AbortSignal): Promise<number> {
  if (!/^\d{1,5}$/.test(flags.port) || Number(flags.port) > 65_535)
    throw new WrongUse(`--port: expected a number from 0 to 65535, got "${flags.port}"`);
  if (!["127.0.0.1", "::1", "localhost"].includes(flags.host))
    // It asks nobody who they are.
    throw new WrongUse(`--host: expected a loopback address, got "${flags.host}"`);
  const listed = configuredSources(process.env);
  if (listed !== undefined) await followSettings(index, listed);
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
  for (const task of await lostTasks(index)) queue(task);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await listener.close();
  await last;
  return 0;
}

async function status(index: Index, isJson: boolean): Promise<number> {
  const jobs = await listJobs(index);
  const sources = await index.all<{
    organisation: string;
    source: string;
    origin: string;
    chunks: number;
    indexed_at: string | null;
  }>(
    `SELECT organisation, key source, origin, (SELECT count(*) FROM chunks c WHERE c.source = s.id) chunks, indexed_at
     FROM sources s ORDER BY organisation, key`,
  );
  if (isJson) process.stdout.write(`${JSON.stringify({ sources, jobs })}\n`);
  else {
    const rows = sources.map(
      ({ organisation, source, origin, chunks, indexed_at: at }) =>
        `${organisation}  ${source}  ${chunks} pieces  ${at === null ? "not complete" : `indexed ${at}`}` +
        (origin === "withdrawn" ? "  not listed any more, so nobody finds it" : ""),
    );
    const running = jobs.filter(({ state }) => state === "running").map(reportText);
    process.stdout.write(`${[...rows, ...running].join("\n") || "Nothing is indexed yet."}\n`);
  }
  return 0;
}

/** How far a job is, as a line with a bar; `started` by performance.now(). */
function progressText({ source, report }: Job, started: number): string {
  const { done, total = 0, phase } = report;
  const part = total === 0 ? 0 : Math.min(1, done / total);
  const bar = "#".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, ".");
  const left = part === 0 ? 0 : Math.round(((performance.now() - started) / 1000 / part) * (1 - part));
  return `${source} [${bar}] ${Math.floor(part * 100)} %, ${phase} ${done} of ${total}, ${left} s left`;
}

/** What a job did, in words. */
function reportText({ source, organisation, state, report }: Job): string {
  const { changed, unchanged, removed, chunks, secrets, skipped, failures, done, total } = report;
  const parts = [
    state === "running" ? `${done} of ${total ?? "?"} looked at` : "",
    `${changed} indexed in ${chunks} pieces`,
    `${unchanged} unchanged`,
    removed === 0 ? "" : `${removed} removed`,
    ...Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`),
    secrets === 0 ? "" : `${secrets} secrets left out`,
  ];
  return [
    `${source} (${organisation}): ${parts.filter((part) => part !== "").join(", ")}`,
    ...failures.map((failure) => `  ${failure}`),
  ].join("\n");
}

try {
  process.exitCode = await main();
} catch (error) {
  const isKnown = error instanceof ToolFailure || error instanceof WrongUse;
  process.stderr.write(
    `knowledge: ${isKnown || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message)}\n`,
  );
  process.exitCode = error instanceof WrongUse || isFailure(error, "bad_sources") ? 2 : 1;
}

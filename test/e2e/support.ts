import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import type { Wanted } from "../product-host.ts";
import { type Shared, sharedAddress } from "../shared.ts";

export const projectRoot: string = fileURLToPath(new URL("../../", import.meta.url));

export interface ProductOptions {
  env?: Record<string, string>;
  /** The text of a configuration file, or its data; the demo configuration without it. */
  config?: string | object;
  /** A data folder that outlives this process; a fresh one without it. */
  dataDir?: string;
  /** Another folder to run it in than this project's. */
  root?: string;
  /** What starts it, before Node's path: a sandbox with its arguments. */
  within?: readonly string[];
  /** When it is killed at the latest; `file` goes with `cleanUpAll`. Default: with the test that started it. */
  endsWith?: "test" | "file";
}

export type LogLine = Record<string, unknown>;

/** The product as a real process, listening on a free loopback port. */
export interface RunningProduct {
  url: string;
  dataDir: string;
  pid: number;
  /** Every log line so far, parsed. */
  log: LogLine[];
  /** Resolves with the first line, past or to come, that matches. */
  line(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** Resolves when the process has ended, by whatever cause, with how it did. */
  ended: Promise<Ending>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Shorter than the tests' time limits, so that a line that never comes fails with what came instead. */
const PATIENCE_MS = 50_000;

/** No model server answers there: tests that want one name their own. */
const NO_MODEL = { OLLAMA_HOST: "http://127.0.0.1:9", KNOWLEDGE_AFTER: "1h" };

/** Starts the product and waits until it is ready. It ends with the test that started it. */
export async function startProduct(options: ProductOptions = {}): Promise<RunningProduct> {
  const product = await launchProduct(options);
  const listening = await product.line((line) => typeof line.url === "string");
  await product.line(isReady);
  return { ...product, url: String(listening.url) };
}

/** A whole product in the process that test files share: for what asks nothing of its process. */
export type HostedProduct = Omit<RunningProduct, "pid" | "kill">;

type HostedOptions = Pick<ProductOptions, "env" | "config" | "dataDir" | "endsWith">;

/** Starts a product in the shared process, for a tenth of what one of its own takes, and waits until it is ready. */
export async function startHosted(options: HostedOptions = {}): Promise<HostedProduct> {
  const product = await launchHosted(options);
  const listening = await product.line((line) => typeof line.url === "string");
  await product.line(isReady);
  return { ...product, url: String(listening.url) };
}

/** The same without waiting for anything. */
export async function launchHosted(options: HostedOptions = {}): Promise<Omit<HostedProduct, "url">> {
  const address = await sharedAddress("products");
  if (address === undefined) return launchProduct(options);
  if (options.env?.COUNTERSIGN_FAIL_POINT !== undefined)
    throw new Error("what dies needs a process of its own: start it with startProduct");
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const [, config] = await configArguments(options.config);
  const wanted: Wanted = {
    ...(config === undefined ? {} : { config }),
    env: environmentOf(options, dataDir),
  };
  const socket = connect(Number(address), "127.0.0.1");
  socket.write(`${JSON.stringify(wanted)}\n`);
  const closed = once(socket, "close").then((): Ending => ({
    code: product.log.at(-1)?.msg === "stopped" ? 0 : 1,
    signal: null,
  }));
  const product = watch(socket, closed, () => "");
  async function stop(): Promise<number | null> {
    socket.end();
    return (await product.ended).code;
  }
  cleanUp(stop, options.endsWith);
  return { ...product, dataDir, stop };
}

/** For `offer`: the process that `startHosted` has products in. */
export async function offeredProducts(): Promise<Shared> {
  const child = spawn(process.execPath, ["--max-semi-space-size=32", "test/product-host.ts"], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(projectRoot, "node_modules/.cache/compile") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { address, stop: async () => void child.stdin.end() };
}

function environmentOf({ env }: ProductOptions, dataDir: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...NO_MODEL,
    PORT: "0",
    COUNTERSIGN_DATA: dataDir,
    LOG_LEVEL: "debug",
    ...env,
  };
}

/** Starts the product and does not wait for anything. */
export async function launchProduct(options: ProductOptions = {}): Promise<Omit<RunningProduct, "url">> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const args = ["countersign.js", "start", ...(await configArguments(options.config))];
  const [program = process.execPath, ...rest] = [...(options.within ?? []), process.execPath, ...args];
  const child = spawn(program, rest, {
    cwd: options.root ?? projectRoot,
    env: environmentOf(options, dataDir),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // `close` comes after the last line of output.
  const closed = (once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>).then(
    ([code, signal]): Ending => ({ code, signal }),
  );
  const product = watch(child.stdout, closed, () => stderr);
  // A process that has ended takes no signal.
  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<Ending> {
    child.kill(signal);
    return product.ended;
  }
  cleanUp(() => end("SIGKILL"), options.endsWith);
  return {
    ...product,
    dataDir,
    pid: child.pid ?? 0,
    stop: async () => (await end("SIGTERM")).code,
    kill: async () => void (await end("SIGKILL")),
  };
}

export function isReady(line: LogLine): boolean {
  return typeof line.msg === "string" && line.msg.startsWith("ready");
}

/** The processes of a product's servers that live. */
export function serversOf({ log }: Pick<RunningProduct, "log">): number[] {
  return log
    .filter(({ msg }) => msg === "server launched")
    .map(({ pid }) => Number(pid))
    .filter((pid) => existsSync(`/proc/${pid}`));
}

/** The servers of a product stand still, as in a call that takes its time, until what this returns is called. */
export function freezeServers(product: Pick<RunningProduct, "log">): () => void {
  const servers = serversOf(product);
  for (const one of servers) process.kill(one, "SIGSTOP");
  return () => {
    for (const one of servers) process.kill(one, "SIGCONT");
  };
}

/** Starts the product where it is expected to refuse; resolves to its exit code and what it said. */
export async function startRefused(
  options: ProductOptions & { args?: string[] } = {},
): Promise<{ code: number | null; stderr: string }> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const args = ["countersign.js", ...(options.args ?? ["start", ...(await configArguments(options.config))])];
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, ...NO_MODEL, PORT: "0", COUNTERSIGN_DATA: dataDir, ...options.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

/** Why the product refuses to start, as its error says it, in the process that tests share. */
export async function refusalOf(options: HostedOptions): Promise<string> {
  const product = await launchHosted(options);
  await product.ended;
  return String((await product.line(({ level }) => level === "fatal")).msg);
}

async function configArguments(config: string | object | undefined): Promise<string[]> {
  if (config === undefined) return [];
  const [name, text] =
    typeof config === "string"
      ? ["countersign.yaml", config]
      : ["countersign.json", JSON.stringify(withCompileCache(config))];
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  return ["--config", file];
}

/** Servers see nothing of our environment, and a fifth of their start is stripping and compiling without it. */
function withCompileCache(config: {
  servers?: readonly { command?: readonly string[]; env?: object }[];
}): object {
  const { NODE_COMPILE_CACHE } = process.env;
  const servers = config.servers?.map((server) =>
    server.command?.[0] === "node" ? { ...server, env: { NODE_COMPILE_CACHE, ...server.env } } : server,
  );
  return { ...config, ...(servers === undefined ? {} : { servers }) };
}

/** A folder that is removed when the test, or the file's hooks, end. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-test-"));
  cleanUp(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}

/** Registered with the running test; in a beforeAll, with the file. */
export function cleanUp(action: () => Promise<unknown>, endsWith: "test" | "file" = "test"): void {
  if (endsWith === "file") return void leftovers.push(action);
  try {
    onTestFinished(async () => void (await action()));
  } catch {
    leftovers.push(action);
  }
}

const leftovers: (() => Promise<unknown>)[] = [];

/** For files that start a product in beforeAll: call it in afterAll. */
export async function cleanUpAll(): Promise<void> {
  while (leftovers.length > 0) await leftovers.pop()?.();
}

/** Reads the log of a product; `stderr` is what it said else. */
function watch(
  output: Readable,
  closed: Promise<Ending>,
  stderr: () => string,
): Pick<RunningProduct, "log" | "line" | "ended"> {
  const log: LogLine[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  createInterface({ input: output }).on("line", (text) => {
    log.push(JSON.parse(text) as LogLine);
    for (const wake of waiting) wake();
  });
  const ended = closed.then((ending) => {
    isOver = true;
    for (const wake of waiting) wake();
    return ending;
  });
  return {
    log,
    ended,
    async line(matches) {
      for (let seen = 0; ;) {
        for (; seen < log.length; seen += 1) {
          const line = log[seen];
          if (line !== undefined && matches(line)) return line;
        }
        if (isOver) {
          throw new Error(
            `the product ended before the expected log line:\n${JSON.stringify(log.at(-1))}\n${stderr()}`,
          );
        }
        await new Promise<void>((resolve, reject) => {
          const patience = setTimeout(() => {
            waiting.delete(wake);
            const lines = log.slice(-10).map((line) => JSON.stringify(line).slice(0, 400));
            reject(
              new Error(`no expected log line, nor any other for ${PATIENCE_MS} ms:\n${lines.join("\n")}`),
            );
          }, PATIENCE_MS);
          const wake = (): void => {
            clearTimeout(patience);
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
  };
}

/** A light configuration: the demo's Jira alone, planned without a model. `more` adds and replaces. */
export function jiraOnly(
  more: {
    delayMs?: number;
    provider?: string;
    /** Who plans what is anchored in every value; the model here, as most tests script one. */
    anchored?: "builtin" | "model";
    policy?: object;
    ollama?: object;
    budget?: object;
    limits?: object;
    privacy?: object;
  } = {},
): object {
  const {
    delayMs = 0,
    provider = "builtin",
    anchored = "model",
    policy = {},
    ollama = {},
    budget = {},
    ...rest
  } = more;
  return {
    model: { anchored, provider, ollama: { base_url: "${OLLAMA_HOST}", ...ollama }, budget },
    servers: [
      {
        name: "jira",
        command: ["node", "servers/jira/main.ts"],
        env: {
          JIRA_DEMO_DELAY_MS: delayMs,
        },
        use_persistent_session: true,
        trust_annotations: true,
      },
    ],
    policy,
    views: { get_jira_issue: "JiraIssueView", search_issues: "JiraSearchView" },
    commands: {
      jira: {
        server: "jira",
        default: "get_jira_issue",
        subcommands: {
          search: "search_issues",
          create: "create_issue",
          export: "export_issues",
          delete: "delete_issue",
        },
      },
    },
    ...rest,
  };
}

/** The issues of the demo's Jira with exactly this title, read from its own file in the data folder. */
export function storedIssues(dataDir: string, title: string): { key: string; summary: string }[] {
  const text = readFileSync(join(dataDir, "jira-demo.json"), "utf8");
  const { issues } = JSON.parse(text) as { issues: { key: string; summary: string }[] };
  return issues.filter((issue) => issue.summary === title);
}

/** Rows of the product's database, also while it runs. */
export function readStore<Row>(dataDir: string, sql: string, ...values: string[]): Row[] {
  const db = new DatabaseSync(join(dataDir, "countersign.db"), { readOnly: true, timeout: 5_000 });
  try {
    return db.prepare(sql).all(...values) as Row[];
  } finally {
    db.close();
  }
}

/** What the product counted, by sample as it is written: name and labels. */
export async function readMetrics(from: { url: string }, token?: string): Promise<Record<string, number>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${from.url}/metrics`, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** What `result` of the HTTP API looks like to a client, as far as tests read it. */
export interface WireResult {
  reply: string;
  planner: string;
  tool_result: WireToolResult | null;
  tool_results: WireToolResult[];
  pending_confirmation?: WirePending;
  pending_confirmations?: WirePending[];
  question?: { tool: string; args: Record<string, unknown>; fields: string[] };
  choices?: { tool_id: string; title: string; args: Record<string, unknown>; fields: string[] }[];
  log: { at_ms: number; stage: string; message: string }[];
  timings: Record<string, number>;
  turn_id?: string;
}

export interface WireToolResult {
  tool_id: string;
  server: string;
  args: Record<string, unknown>;
  ok: boolean;
  data: Record<string, unknown>;
  is_error: boolean;
  error?: { code: string; message: string };
  view: string;
  card: { kind: string; title: string; elements: unknown[] };
  rows?: number;
  duration_ms: number;
}

/** An approval, also where it no longer waits. */
export interface WirePending {
  approval_id: string;
  state: string;
  key: string;
  tool_id: string;
  args: Record<string, unknown>;
  statement: { ask: string; later?: string[] };
  effect?: { before: unknown; after: unknown };
  requested_by: string;
  eligible: string[];
  quorum: number;
  approvals: unknown[];
  expires_at: string | number;
  note?: string;
  replaced_by?: string;
}

export interface WireDecision {
  outcome: string;
  message: string;
  approval: WirePending;
  turn_id: string;
}

export interface WireError {
  error: { code: string; message: string; details?: unknown };
}

export interface WireEvent {
  event: string;
  data: Record<string, unknown>;
}

/** One request with a JSON answer. */
export async function request<Body>(
  product: { url: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${product.url}${path}`, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** Says something and waits for the answer. */
export async function say(
  product: { url: string },
  message: string,
  extra: Record<string, unknown> = {},
): Promise<{ status: number; body: WireResult }> {
  return request<WireResult>(product, "POST", "/agent/turn", { session_id: "test", message, ...extra });
}

/** Decides a request, by default as the person who asked. */
export function decide(
  product: { url: string },
  approvalId: string,
  decision: "approve" | "deny",
  extra: { actor?: string; reason?: string } = {},
): Promise<{ status: number; body: WireDecision }> {
  return request<WireDecision>(product, "POST", `/approvals/${approvalId}/decision`, { decision, ...extra });
}

/** Asks for a change and gives the request that waits for it. */
export async function askFor(
  product: { url: string },
  message: string,
  extra: Record<string, unknown> = {},
): Promise<{ turnId: string; pending: WirePending }> {
  const { body } = await say(product, message, extra);
  const { pending_confirmation: pending, turn_id: turnId } = body;
  if (pending === undefined || turnId === undefined)
    throw new Error(`expected a request for approval, got ${JSON.stringify(body)}`);
  return { turnId, pending };
}

/** One turn as `GET /agent/turns/{id}` shows it. */
export interface WireTurn {
  turn_id: string;
  state: string;
  result?: WireResult;
  error?: { code: string; error: string };
  stopped_by?: string;
  events: WireEvent[];
  steps: WireStep[];
}

export interface WireStep {
  seq: number;
  kind: string;
  state: string;
  data: {
    planner?: string;
    outcome?: { kind: string };
    attempts?: { prompt?: string; raw: string; fault?: string }[];
    prompt?: string;
  };
}

export async function readTurn(product: { url: string }, turnId: string): Promise<WireTurn> {
  return (await request<WireTurn>(product, "GET", `/agent/turns/${turnId}`)).body;
}

/** Follows a turn's event stream until it ends, and returns its events. */
export async function follow(product: { url: string }, turnId: string, after = 0): Promise<WireEvent[]> {
  const response = await fetch(`${product.url}/agent/turns/${turnId}?after=${after}`, {
    headers: { accept: "text/event-stream" },
  });
  return parseEventStream(await response.text());
}

/** A turn that was submitted and runs, with its events as they come. */
export interface LiveTurn {
  turnId: string;
  events: WireEvent[];
  /** Resolves with the first event, past or to come, that matches; rejects when there is none. */
  until(matches: (event: WireEvent) => boolean): Promise<WireEvent>;
  /** The last event, when the stream has ended; also when the line was cut. */
  end(): Promise<WireEvent | undefined>;
}

/** Says something and resolves as soon as the message is acknowledged. Rejects when it is not. */
export async function sayLive(
  product: { url: string },
  message: string,
  extra: Record<string, unknown> = {},
): Promise<LiveTurn> {
  const response = await fetch(`${product.url}/agent/turn`, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ session_id: "test", message, ...extra }),
  });
  if (!response.ok || response.body === null)
    throw new Error(`not accepted: ${response.status} ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events: WireEvent[] = [];
  let rest = "";
  let isOver = false;

  /** Reads on; false at the end of the stream or when the line was cut. */
  async function pull(): Promise<boolean> {
    if (isOver) return false;
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    isOver = done;
    const blocks = (rest + (value ?? "")).split("\n\n");
    rest = blocks.pop() ?? "";
    events.push(...parseEventStream(blocks.join("\n\n")));
    return !isOver;
  }

  while (events.length === 0 && (await pull()));
  const turnId = events[0]?.data.turn_id;
  if (typeof turnId !== "string") throw new Error("the line was cut before the message was acknowledged");
  return {
    turnId,
    events,
    async until(matches) {
      for (;;) {
        const found = events.find((event) => matches(event));
        if (found !== undefined) return found;
        if (!(await pull())) throw new Error(`no such event among ${JSON.stringify(events)}`);
      }
    },
    async end() {
      while (await pull());
      return events.at(-1);
    },
  };
}

/** The events of a complete stream. */
export function parseEventStream(text: string): WireEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data:"))
    .map((block) => ({
      event: /^event: ?(.*)$/m.exec(block)?.[1] ?? "message",
      data: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? "null") as Record<string, unknown>,
    }));
}

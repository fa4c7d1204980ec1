import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

export const projectRoot: string = fileURLToPath(new URL("../../", import.meta.url));

export interface ProductOptions {
  env?: Record<string, string>;
  /** The text of a configuration file; the demo configuration without it. */
  config?: string;
  /** A data folder that outlives this process; a fresh one without it. */
  dataDir?: string;
}

/** The product as a real process, listening on a free loopback port. */
export interface RunningProduct {
  url: string;
  dataDir: string;
  pid: number;
  /** Every log line so far, parsed. */
  log: Record<string, unknown>[];
  /** Resolves with the first line, past or to come, that matches. */
  line(matches: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** Starts the product and waits until it is ready. It ends with the test that started it. */
export async function startProduct(options: ProductOptions = {}): Promise<RunningProduct> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const args = ["src/main.ts", "start"];
  if (options.config !== undefined) {
    const { writeFile } = await import("node:fs/promises");
    const file = join(await temporaryFolder(), "countersign.yaml");
    await writeFile(file, options.config);
    args.push("--config", file);
  }
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, PORT: "0", COUNTERSIGN_DATA: dataDir, LOG_LEVEL: "debug", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const product = watch(child, dataDir);
  cleanUp(async () => {
    await product.kill();
  });
  const listening = await product.line((line) => typeof line.url === "string");
  await product.line((line) => typeof line.msg === "string" && line.msg.startsWith("ready"));
  return { ...product, url: String(listening.url) };
}

/** Starts the product where it is expected to refuse; resolves to its exit code and what it said. */
export async function startRefused(options: ProductOptions = {}): Promise<{ code: number | null; stderr: string }> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const child = spawn(process.execPath, ["src/main.ts", "start"], {
    cwd: projectRoot,
    env: { ...process.env, PORT: "0", COUNTERSIGN_DATA: dataDir, ...options.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

/** A folder that is removed when the test, or the file's hooks, end. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-test-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Registered with the running test; in a beforeAll, with the process. */
function cleanUp(action: () => Promise<void>): void {
  try {
    onTestFinished(action);
  } catch {
    leftovers.push(action);
  }
}

const leftovers: (() => Promise<void>)[] = [];

/** For files that start a product in beforeAll: call it in afterAll. */
export async function cleanUpAll(): Promise<void> {
  while (leftovers.length > 0) await leftovers.pop()?.();
}

function watch(child: ChildProcess, dataDir: string): Omit<RunningProduct, "url"> {
  const log: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const exited = once(child, "exit") as Promise<[number | null]>;
  let ended = false;
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (text) => {
      log.push(JSON.parse(text) as Record<string, unknown>);
      for (const wake of waiting) wake();
    });
  }
  void exited.then(() => {
    ended = true;
    for (const wake of waiting) wake();
  });
  return {
    dataDir,
    pid: child.pid ?? 0,
    log,
    async line(matches) {
      for (let seen = 0; ;) {
        for (; seen < log.length; seen += 1) {
          const line = log[seen];
          if (line !== undefined && matches(line)) return line;
        }
        if (ended) throw new Error(`the product ended before the expected log line:\n${JSON.stringify(log.at(-1))}\n${stderr}`);
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    async stop() {
      if (!ended) child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
    async kill() {
      if (!ended) child.kill("SIGKILL");
      await exited;
    },
  };
}

/** What `result` of the HTTP API looks like to a client, as far as tests read it. */
export interface WireResult {
  reply: string;
  planner: string;
  tool_result: WireToolResult | null;
  tool_results: WireToolResult[];
  pending_confirmation?: WirePending;
  log: unknown[];
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

export interface WirePending {
  approval_id: string;
  key: string;
  tool_id: string;
  args: Record<string, unknown>;
  effect?: { before: unknown; after: unknown };
  requested_by: string;
  eligible: string[];
  quorum: number;
  approvals: unknown[];
  expires_at: string | number;
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
    headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
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

/** One turn as `GET /agent/turns/{id}` shows it. */
export interface WireTurn {
  turn_id: string;
  state: string;
  result?: WireResult;
  events: { event: string; data: Record<string, unknown> }[];
  steps: unknown[];
}

/** Follows a turn's event stream until it ends, and returns its events. */
export async function follow(
  product: { url: string },
  turnId: string,
  after = 0,
): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const response = await fetch(`${product.url}/agent/turns/${turnId}?after=${after}`, { headers: { accept: "text/event-stream" } });
  return parseEventStream(await response.text());
}

/** The events of a complete stream. */
export function parseEventStream(text: string): { event: string; data: Record<string, unknown> }[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data:"))
    .map((block) => ({
      event: /^event: ?(.*)$/m.exec(block)?.[1] ?? "message",
      data: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? "null") as Record<string, unknown>,
    }));
}

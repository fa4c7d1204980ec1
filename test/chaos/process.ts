import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface ProcessOptions {
  /** The configuration file. */
  config: string;
  dataDir: string;
  /** Where the process kills itself, see src/base/fail-point.ts. */
  failPoint?: string;
  /** Further arguments for Node itself. */
  nodeArguments?: string[];
  /** Called with each line of its log; must not throw. */
  onLine?: (line: ProductLine) => void;
}

interface ProductLine {
  msg?: string;
  url?: string;
}

interface ProcessEnding {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The product as a process of its own. Whoever starts it ends it. */
export interface ProductProcess {
  pid: number;
  /** Resolves with its address once it listens; undefined when it ended before. */
  listening: Promise<string | undefined>;
  /** Resolves once it is ready, or has ended: true when it is ready. */
  ready: Promise<boolean>;
  /** Resolves when it has ended. */
  ended: Promise<ProcessEnding>;
  isOver(): boolean;
  /** The newest lines it logged. */
  tail(): string[];
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, and resolves when it is gone. */
  kill(): Promise<ProcessEnding>;
  /** SIGTERM, and resolves when it is gone. */
  stop(): Promise<ProcessEnding>;
}

const KEPT_LINES = 40;

/** Only what the product needs: no account, proxy or model of the machine reaches it. */
export function productEnvironment(options: ProcessOptions): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    OLLAMA_HOST: "http://127.0.0.1:9",
    PORT: "0",
    COUNTERSIGN_DATA: options.dataDir,
    COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    ...(options.failPoint === undefined ? {} : { COUNTERSIGN_FAIL_POINT: options.failPoint }),
  };
}

export function startProcess(options: ProcessOptions): ProductProcess {
  const args = [...(options.nodeArguments ?? []), "countersign.js", "start", "--config", options.config];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: productEnvironment(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return watch(child, options.onLine);
}

/** Runs a command of the product to its end, such as `["audit", "verify"]`. */
export async function runCommand(
  options: ProcessOptions & { command: string[] },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["countersign.js", ...options.command, "--config", options.config], {
    cwd: root,
    env: productEnvironment(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

function watch(child: ChildProcess, onLine?: (line: ProductLine) => void): ProductProcess {
  const lines: string[] = [];
  const url = Promise.withResolvers<string | undefined>();
  const ready = Promise.withResolvers<boolean>();
  let ending: ProcessEnding | undefined;

  function keep(line: string): void {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  }
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      keep(line);
      const parsed = JSON.parse(line) as ProductLine;
      onLine?.(parsed);
      if (parsed.url !== undefined) url.resolve(parsed.url);
      if (parsed.msg?.startsWith("ready") === true) ready.resolve(true);
    });
  }
  if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", keep);
  const ended = (once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>).then(
    ([code, signal]) => {
      ending = { code, signal };
      url.resolve(undefined);
      ready.resolve(false);
      return ending;
    },
  );

  function end(signal: NodeJS.Signals): Promise<ProcessEnding> {
    if (ending === undefined) child.kill(signal);
    return ended;
  }
  return {
    pid: child.pid ?? 0,
    listening: url.promise,
    ready: ready.promise,
    ended,
    isOver: () => ending !== undefined || child.exitCode !== null || child.signalCode !== null,
    tail: () => [...lines],
    signal: (name) => void child.kill(name),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, extname, join } from "node:path";

import { messageOf } from "../../kit/tool.ts";
import { asText, isObject, parsedJson } from "./references.ts";

/** What a script gets on its standard input. */
export interface ScriptInput {
  agent_name: string;
  input_data: unknown;
  context: Record<string, unknown>;
  dependencies: Record<string, unknown>;
}

export interface ScriptCall extends Launch {
  input: ScriptInput;
  parameters: Record<string, unknown>;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ScriptAnswer {
  success: boolean;
  /** What it answered in `data`; the whole of another object, and the text of what is no JSON. */
  data: unknown;
  error?: string;
  /** What it wrote, as it is. */
  output: string;
  sandboxed: boolean;
}

export type RunScript = (call: ScriptCall) => Promise<ScriptAnswer>;

/** Bytes that a script may answer; one that writes more is ended. */
const MOST_OUTPUT = 1_000_000;
const MOST_WORDS = 4_000;
/** Longest value in a variable, in bytes, which Linux bounds; a script has the whole on its standard input. */
const MOST_VARIABLE = 100_000;

/**
 * Runs a script as the contract has it: JSON on stdin and in variables, `{success, data, error}` on stdout. Without
 * network and in the sandbox where there is one, with the allow-listed environment always. It and all it started end
 * with the call: after its time, when it floods, when it is cancelled. Rejects with the signal's reason alone.
 */
export function createScriptRunner(env: NodeJS.ProcessEnv): RunScript {
  return async (call) => {
    call.signal.throwIfAborted();
    const isSandboxed = hasSandbox();
    const parameters = JSON.stringify(call.parameters);
    const size = Buffer.byteLength(parameters);
    if (size > MOST_VARIABLE) {
      // Half of a JSON would be worse than none: they are nowhere but in their variable.
      const error = `parameters: expected at most ${MOST_VARIABLE} bytes as JSON, got ${size}: put what is long into the input`;
      return { success: false, data: null, error, output: "", sandboxed: isSandboxed };
    }
    const [program = "", ...args] = commandOf(call, isSandboxed, env.PATH ?? "");
    const child = spawn(program, args, {
      cwd: call.cwd,
      env: scriptEnvironment(env, {
        INPUT_DATA: cut(JSON.stringify(call.input)),
        INPUT_TEXT: cut(asText(call.input.input_data).replaceAll("\0", "")),
        AGENT_PARAMETERS: parameters,
      }),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    };
    return new Promise((resolve, reject) => {
      const output: Buffer[] = [];
      let bytes = 0;
      let words = "";
      let ended: string | undefined;
      const end = (why: string): void => {
        ended ??= why;
        kill();
      };
      const timer = setTimeout(
        () => end(`ran longer than ${call.timeoutMs / 1000} s and was ended: set timeout_seconds`),
        call.timeoutMs,
      );
      const onAbort = (): void => end("cancelled");
      call.signal.addEventListener("abort", onAbort, { once: true });
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_OUTPUT) end(`wrote more than ${MOST_OUTPUT} bytes and was ended`);
        else output.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        words = (words + chunk.toString()).slice(-MOST_WORDS);
      });
      // A script need not read its input.
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(call.input));
      const settle = (code: number | null, failure?: string): void => {
        clearTimeout(timer);
        call.signal.removeEventListener("abort", onAbort);
        // What it left behind in its group must not outlive it.
        kill();
        if (call.signal.aborted) return reject(call.signal.reason as Error);
        const text = Buffer.concat(output).toString();
        const why = failure ?? (ended === undefined ? undefined : `the script ${ended}`);
        resolve({ ...answerOf(text, why, code, words), output: text.trim(), sandboxed: isSandboxed });
      };
      child.once("error", (error) => settle(null, `${program} cannot be started: ${messageOf(error)}`));
      child.once("exit", (code) => {
        // A child of its own that it left behind may hold the pipe open.
        const late = setTimeout(() => child.stdout.destroy(), 200);
        kill();
        child.once("close", () => {
          clearTimeout(late);
          settle(code);
        });
      });
    });
  };
}

/** As much of a text as a variable holds, without half a character at its end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, MOST_VARIABLE);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function answerOf(
  output: string,
  ended: string | undefined,
  code: number | null,
  words: string,
): Omit<ScriptAnswer, "output" | "sandboxed"> {
  if (ended !== undefined) return { success: false, data: null, error: ended };
  const json = parsedJson(output.trim());
  const said = words.trim() === "" ? "" : `: ${words.trim().split("\n").slice(-4).join(" | ")}`;
  if (isObject(json) && typeof json.success === "boolean") {
    const { success, data = null, error } = json;
    if (success && code === 0) return { success, data };
    return {
      success: false,
      data,
      error: typeof error === "string" && error !== "" ? error : `the script failed${said}`,
    };
  }
  if (code !== 0)
    return { success: false, data: null, error: `the script ended with code ${code ?? "none"}${said}` };
  return { success: true, data: json === undefined ? output.trim() : json };
}

/** What scripts need to run at all: programs and their libraries. */
const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/** What programs look up there; the rest of /etc, such as its passwords and keys, is nobody's business. */
const SETTINGS = [
  "alternatives",
  "fonts",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/ca-trust/extracted",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
].map((name) => `/etc/${name}`);

/** How deep and in how many folders of the project files of secrets are looked for. */
const MOST_LEVELS = 3;
const MOST_FOLDERS = 500;

/** Bytes that a script may write into its own /tmp. */
const TMP_BYTES = 64_000_000;

/** What a script may take of the memory. */
const MOST_MEMORY_KIB = 1.5 * 1024 * 1024;

/** Variables of the server that a script sees; whatever holds a key is none of them. */
const ALLOWED = ["PATH", "LANG", "LC_ALL", "TZ", "TERM"];

interface Launch {
  /** The whole path of the script. */
  file: string;
  /** The scripts/ folder it is in, which it may read. */
  root: string;
  /** Where it runs, and what it may read beside. */
  cwd: string;
  /** What the product keeps, which it never sees. It need not be there. */
  hidden: string;
}

/** The environment of a script: a short list of harmless names, and what it is given. */
function scriptEnvironment(env: NodeJS.ProcessEnv, given: Record<string, string>): Record<string, string> {
  const passed = ALLOWED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(passed), HOME: "/tmp", TMPDIR: "/tmp", ...given };
}

/**
 * The command that runs a script; in a sandbox where bubblewrap works on this machine. `path` is the PATH that its
 * interpreter is found by.
 */
function commandOf(launch: Launch, isSandboxed: boolean, path: string): string[] {
  const command = (file: string): string[] => [
    "sh",
    "-c",
    `ulimit -v ${MOST_MEMORY_KIB}; exec "$@"`,
    "sh",
    ...interpreterOf(file),
    file,
  ];
  if (!isSandboxed) return command(launch.file);
  // Bubblewrap follows no link at the place that it covers.
  const root = realpathSync(launch.root);
  const cwd = realpathSync(launch.cwd);
  // What covers the whole disk would cover the sandbox's own folders as well.
  const project = cwd === "/" ? root : cwd;
  const shown = [...nodeFolders(), ...foldersInOpt(path), project, root];
  const hidden = folderAt(launch.hidden);
  const isSeen = hidden !== undefined && [...PROGRAMS, ...shown].some((one) => isIn(one, hidden));
  const covers = isSeen ? [hidden] : [];
  return [
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    ...[...PROGRAMS, ...SETTINGS].flatMap((one) => ["--ro-bind-try", one, one]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    String(TMP_BYTES),
    "--tmpfs",
    "/tmp",
    // Node and the project may lie below /tmp themselves.
    ...shown.flatMap(bind),
    ...covers.flatMap((one) => ["--tmpfs", one]),
    // The project may lie in what the product keeps.
    ...shown.filter((one) => covers.some((cover) => cover !== one && isIn(cover, one))).flatMap(bind),
    ...secretsOf(project).flatMap((one) => ["--ro-bind", "/dev/null", one]),
    ...[...covers, "/"].flatMap((one) => ["--remount-ro", one]),
    "--chdir",
    project,
    "--",
    ...command(realpathSync(launch.file)),
  ];
}

function bind(folder: string): string[] {
  return ["--ro-bind", folder, folder];
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The folder at a path with its links followed; undefined where there is none. */
function folderAt(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  return realpathSync(path);
}

/** Node's program and its libraries, but not what else may lie beside them, as in a home folder with a bin/. */
function nodeFolders(): string[] {
  const bin = dirname(process.execPath);
  const lib = join(dirname(bin), "lib");
  return [bin, ...(existsSync(lib) ? [lib] : [])];
}

/** Where Python is installed below /opt, as in images whose virtual environment lies there. */
function foldersInOpt(path: string): string[] {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, "python3"))
    .find((program) => existsSync(program));
  if (found === undefined) return [];
  const parts = [found, realpathSync(found)].map((program) => program.split("/"));
  const names = parts.flatMap(([, top, name]) => (top === "opt" && name !== undefined ? [name] : []));
  return [...new Set(names.map((name) => `/opt/${name}`))];
}

/** Files named `.env…` of the project, which hold keys by custom. */
function secretsOf(project: string): string[] {
  const found = new Set<string>();
  let folders = [project];
  let left = MOST_FOLDERS;
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    const next: string[] = [];
    for (const folder of folders.slice(0, left)) {
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") next.push(path);
        else if (entry.name.startsWith(".env") && !entry.isDirectory()) found.add(path);
      }
    }
    left = Math.max(0, left - folders.length);
    folders = next;
  }
  // A link is covered where it leads; one that leads out of the project leads nowhere in the sandbox.
  const targets = [...found].flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
  return targets.filter((path) => isIn(project, path) && !statSync(path).isDirectory());
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function interpreterOf(file: string): string[] {
  switch (extname(file)) {
    case ".py":
      return ["python3", "-B"];
    case ".sh":
      return ["sh"];
    default:
      // With little memory to address, a trap handler for WebAssembly finds no room.
      return [process.execPath, "--max-old-space-size=512", "--disable-wasm-trap-handler"];
  }
}

let known: boolean | undefined;

/** Whether bubblewrap is installed and allowed to work; tried once. */
function hasSandbox(): boolean {
  const check = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  known ??= spawnSync("bwrap", check, { stdio: "ignore", timeout: 10_000 }).status === 0;
  return known;
}

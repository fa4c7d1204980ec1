import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { z } from "zod";

import { dataFolder } from "../../kit/data.ts";
import { messageOf, ToolFailure } from "../../kit/tool.ts";

/** What one clone may take: time in milliseconds, bytes over the wire and on the disk, files. */
const CLONE_MS = 600_000;
const MOST_BYTES = 1024 ** 3;
const MOST_FILES = 200_000;
/** Larger files are not asked for; a PDF of a repository is read up to the same size. In bytes. */
const MOST_BLOB = 1_048_576;
const LOOK_MS = 500;
/** Of clones that a killed process left, in milliseconds. */
const STALE_MS = 24 * 3_600_000;
const TOLD_CHARS = 400;

const PROTOCOLS = ["https", "ssh", "http", "file"] as const;

export interface CloneLimits {
  ms: number;
  bytes: number;
  files: number;
}

/** A file of a repository, by the name that git has for its content. */
export interface ClonedFile {
  path: string;
  blob: string;
}

/** The latest commit of a repository. Nothing of it stands as a file on this machine. */
export interface Clone {
  files: ClonedFile[];
  /** The content of one; undefined where it is larger than that, or than what was asked for. One at a time. */
  read: (blob: string, most: number) => Promise<Buffer | undefined>;
  /** Removes it. */
  close: () => Promise<void>;
}

/**
 * Fetches the latest commit of a branch (the repository's own where none is named) with the machine's git, without a
 * shell, hooks, links or submodules. KNOWLEDGE_GIT_PROTOCOLS says what a URL may begin with (https and ssh), and
 * KNOWLEDGE_GIT_TOKENS (JSON: token by host) what a host is shown; git gets it in its environment, never as an argument.
 * Rejects with `source_not_allowed`, `source_not_found` or `source_too_large`.
 */
export async function cloneRepository(
  { url, ref }: { url: string; ref?: string | undefined },
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  limits: CloneLimits = { ms: CLONE_MS, bytes: MOST_BYTES, files: MOST_FILES },
): Promise<Clone> {
  const allowed = (env.KNOWLEDGE_GIT_PROTOCOLS?.trim() || "https,ssh")
    .split(",")
    .filter((name) => (PROTOCOLS as readonly string[]).includes(name));
  const { protocol } = new URL(url);
  if (!allowed.includes(protocol.slice(0, -1)))
    throw new ToolFailure(
      "source_not_allowed",
      `${url}: expected a URL that begins with ${allowed.map((name) => `${name}://`).join(" or ")}; ` +
        "knowledge.git_protocols may allow others",
    );
  const token = tokenFor(new URL(url), env);
  const gitEnv = environmentOf(env, allowed, url, token);
  const place = await makePlace(env);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)]);
  const tooLarge = new AbortController();
  const run = (args: string[], use: (out: Readable) => Promise<void> = drain): Promise<void> =>
    runGit(args, { cwd: place, env: gitEnv, signal: AbortSignal.any([stop, tooLarge.signal]), token }, use);
  const watch = setInterval(() => {
    sizeOf(join(place, "repo/objects/pack")).then(
      (bytes) => {
        if (bytes > limits.bytes) tooLarge.abort();
      },
      () => {},
    );
  }, LOOK_MS);
  try {
    const branch = ref === undefined ? [] : ["--branch", ref];
    const options = [
      "--bare",
      "--depth=1",
      "--single-branch",
      "--no-tags",
      `--filter=blob:limit=${MOST_BLOB}`,
    ];
    await run(["clone", "--quiet", "--template=", ...options, ...branch, "--", url, "repo"]);
    if ((await sizeOf(join(place, "repo/objects/pack"))) > limits.bytes) tooLarge.abort();
    tooLarge.signal.throwIfAborted();
    // What was left out stays out: git would fetch it when it is looked at.
    await run(["-C", "repo", "config", "--remove-section", "remote.origin"]);
    const files: ClonedFile[] = [];
    await run(["-C", "repo", "ls-tree", "-r", "-z", "HEAD"], (out) =>
      takeFiles(out, files, limits.files, tooLarge),
    );
    const { read, end } = openReader(join(place, "repo"), gitEnv);
    return {
      files,
      read,
      async close() {
        await end();
        await remove(place);
      },
    };
  } catch (error) {
    await remove(place);
    if (signal.aborted) throw error;
    if (tooLarge.signal.aborted)
      throw new ToolFailure(
        "source_too_large",
        `${url} has more than ${limits.files} files or ${Math.round(limits.bytes / 1024 ** 2)} MB: clone it yourself and name the folder as its path`,
      );
    if (stop.aborted)
      throw new ToolFailure("source_not_found", `${url} took longer than ${limits.ms / 1000} s`, {
        cause: error,
      });
    throw error;
  } finally {
    clearInterval(watch);
  }
}

/** A folder of its own in the data folder, without those that killed processes left. */
async function makePlace(env: NodeJS.ProcessEnv): Promise<string> {
  const above = join(dataFolder(env), "knowledge", "clones");
  await mkdir(above, { recursive: true, mode: 0o700 });
  for (const name of await readdir(above)) {
    const left = join(above, name);
    const made = await stat(left).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > STALE_MS) await remove(left);
  }
  return mkdtemp(join(above, "clone-"));
}

async function remove(place: string): Promise<void> {
  await rm(place, { recursive: true, force: true, maxRetries: 3 });
}

/** What a host is shown, over HTTPS alone; within this machine nobody listens. */
function tokenFor({ protocol, host, hostname }: URL, env: NodeJS.ProcessEnv): string | undefined {
  const isPrivate = protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
  const text = env.KNOWLEDGE_GIT_TOKENS?.trim() ?? "";
  if (text === "" || !isPrivate) return undefined;
  const tokens = z.record(z.string(), z.string()).parse(JSON.parse(text));
  return tokens[host] ?? tokens[hostname];
}

/** What git sees: nobody's configuration, nobody to ask, and what it needs to reach the place. */
function environmentOf(
  env: NodeJS.ProcessEnv,
  protocols: string[],
  url: string,
  token: string | undefined,
): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(([name]) =>
    /^(?:PATH|HOME|USER|LANG|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_(?:FILE|DIR)|(?:https?|all|no)_proxy)$/i.test(
      name,
    ),
  );
  const settings = [
    ["core.hooksPath", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["credential.helper", ""],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
  ];
  if (token !== undefined) {
    const words = token.includes(":") ? token : `x-access-token:${token}`;
    const header = `Authorization: Basic ${Buffer.from(words).toString("base64")}`;
    // Shown to this host alone.
    settings.push([`http.${new URL(url).origin}/.extraHeader`, header], ["http.followRedirects", "false"]);
  }
  return {
    ...Object.fromEntries(passed),
    GIT_ALLOW_PROTOCOL: protocols.join(":"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

interface GitOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  token: string | undefined;
}

/** Runs git to its end, and hands on what it writes. Rejects with what it says. */
async function runGit(
  args: string[],
  { cwd, env, signal, token }: GitOptions,
  use: (out: Readable) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  // In a group of its own, so that whatever it started ends with it.
  const child = spawn("git", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  signal.addEventListener("abort", end);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(0, 4_000)));
  try {
    const ended = once(child, "close") as Promise<[number | null]>;
    const [[code]] = await Promise.all([ended, use(child.stdout)]);
    signal.throwIfAborted();
    if (code !== 0) throw new Error(said.trim() || `git ended with ${code}`);
  } catch (error) {
    end();
    signal.throwIfAborted();
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const words = isMissing ? "there is no git on this machine: install it" : messageOf(error);
    throw new ToolFailure(
      "source_not_found",
      (token === undefined ? words : words.replaceAll(token, "…"))
        .replaceAll(/\s+/g, " ")
        .slice(0, TOLD_CHARS),
    );
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function drain(out: Readable): Promise<void> {
  for await (const _ of out);
}

/** Files as `ls-tree -r -z` lists them: no links, no other repositories. */
async function takeFiles(
  out: Readable,
  files: ClonedFile[],
  most: number,
  tooMany: AbortController,
): Promise<void> {
  let rest = "";
  for await (const text of out.setEncoding("utf8")) {
    const entries = (rest + String(text)).split("\0");
    rest = entries.pop() ?? "";
    for (const entry of entries) {
      const [, mode = "", blob = "", path = ""] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
      if (mode === "100644" || mode === "100755") files.push({ path, blob });
    }
    if (files.length > most) tooMany.abort();
  }
}

/** Reads contents by one process that stays, which is asked for one at a time. */
function openReader(cwd: string, env: NodeJS.ProcessEnv): { read: Clone["read"]; end: () => Promise<void> } {
  const child = spawn("git", ["cat-file", "--batch-command"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "close").catch(() => {});
  child.stdin.on("error", () => {});
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest = Buffer.alloc(0);

  async function take(bytes: number | "line"): Promise<Buffer> {
    for (;;) {
      const end = bytes === "line" ? rest.indexOf("\n") + 1 : bytes;
      if (end <= rest.length && (bytes !== "line" || end > 0)) {
        const taken = rest.subarray(0, end);
        rest = rest.subarray(end);
        return taken;
      }
      const next: IteratorResult<Buffer, unknown> = await chunks.next();
      if (next.done === true) throw new Error("git ended while it read a file");
      rest = Buffer.concat([rest, next.value]);
    }
  }

  return {
    async read(blob, most) {
      child.stdin.write(`info ${blob}\n`);
      const size = Number(/^\S+ blob (\d+)$/m.exec(String(await take("line")))?.[1] ?? Infinity);
      if (size > most) return undefined;
      child.stdin.write(`contents ${blob}\n`);
      await take("line");
      const content = await take(size);
      await take(1);
      return content;
    },
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

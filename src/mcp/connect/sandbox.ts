import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

import { codeOf, CountersignError, messageOf } from "../../base/errors.ts";
import type { McpServerConfig, SandboxConfig } from "../config.ts";

/** What a program needs to run at all, where only listed folders may be read. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt"];

/**
 * The command that runs `command` under bubblewrap: namespaces of its own, no network unless allowed,
 * nothing to write but the listed folders, /tmp and /run empty and its own, and the product's data
 * hidden. It ends with its parent, and everything in it ends with it.
 */
export function sandboxed(
  [program = "", ...args]: string[],
  { config, cwd, env }: { config: SandboxConfig; cwd: string; env: Record<string, string> },
): string[] {
  const { read, write = [], network = false } = config;
  const { TMPDIR: temporary, COUNTERSIGN_DATA: data } = env;
  // What the product keeps is no business of a server that is shut in.
  const empty = ["/tmp", "/var/tmp", "/run", ...(data === undefined ? [] : [data])];
  const covered = [...empty, "/dev", ...(temporary === undefined ? [] : [temporary])];
  const isCovered = (folder: string): boolean => covered.some((one) => folder.startsWith(`${one}/`));
  const visible = (folder: string): string[] => ["--ro-bind-try", folder, folder];
  const needed = [cwd, dirname(dirname(process.execPath))];
  return [
    "bwrap",
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...(read === undefined ? ["--ro-bind", "/", "/"] : [...system, ...needed, ...read].flatMap(visible)),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...empty.flatMap((folder) => ["--tmpfs", folder]),
    // The temporary folder that the environment names is private as well.
    ...(temporary === undefined || temporary.startsWith("/tmp/") ? [] : ["--tmpfs", temporary]),
    ...(temporary === undefined ? [] : ["--dir", temporary]),
    // What the empty folders have covered and is to be seen all the same, after what it may lie in.
    ...[...(read ?? []), cwd].filter(isCovered).flatMap(visible),
    ...write.flatMap((folder) => ["--bind", real(folder), folder]),
    "--chdir",
    cwd,
    "--",
    program === "node" ? process.execPath : program,
    ...args,
  ];
}

/** Bubblewrap follows no link at the place it binds to. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/**
 * Rejects with `sandbox_missing` where a server asks for a sandbox and bubblewrap is not installed or
 * not allowed to work: such a server must not run without one.
 */
export async function requireSandbox(
  servers: McpServerConfig[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const asking = servers.filter((server) => server.sandbox !== undefined).map((server) => server.name);
  if (asking.length === 0) return;
  try {
    const check = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
    await promisify(execFile)("bwrap", check, { env, timeout: 10_000 });
  } catch (error) {
    const found = codeOf(error) === "ENOENT" ? "no program bwrap" : messageOf(error).trim();
    const message = `servers: expected bubblewrap for the sandbox of ${asking.join(", ")}, found ${found}. Install it (apt-get install bubblewrap), allow it to make namespaces, or take sandbox out of the configuration.`;
    throw new CountersignError("sandbox_missing", message, { cause: error });
  }
}

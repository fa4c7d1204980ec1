import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

import { CountersignError, messageOf } from "../../base/errors.ts";
import type { McpServerConfig, SandboxConfig } from "../config.ts";

/** What a program needs to run at all, where only listed folders may be read. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt"];

/**
 * The command that runs `command` under bubblewrap: namespaces of its own, no network unless allowed,
 * nothing to write but the listed folders, /tmp and /run empty and its own, and the product's data
 * hidden. It ends with its parent, and everything in it ends with it.
 */
export function sandboxed(
  command: string[],
  options: { config: SandboxConfig; cwd: string; env: Record<string, string>; hide: string[] },
): string[] {
  const { config, cwd, env, hide } = options;
  const write = config.write ?? [];
  const [program, ...args] = command;
  const run = [program === "node" ? process.execPath : (program ?? ""), ...args];
  return [
    "bwrap",
    "--unshare-all",
    ...(config.network === true ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...readable(config, [cwd, dirname(dirname(process.execPath))]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...["/tmp", "/var/tmp", "/run", ...hide].flatMap((folder) => ["--tmpfs", folder]),
    // The temporary folder that the environment names is private as well.
    ...(env.TMPDIR === undefined || env.TMPDIR.startsWith("/tmp/") ? [] : ["--tmpfs", env.TMPDIR]),
    ...(env.TMPDIR === undefined ? [] : ["--dir", env.TMPDIR]),
    // After what they may lie in.
    ...again(config, cwd, hide),
    ...write.flatMap((folder) => ["--bind", real(folder), folder]),
    "--chdir",
    cwd,
    "--",
    ...run,
  ];
}

function readable(config: SandboxConfig, needed: string[]): string[] {
  if (config.read === undefined) return ["--ro-bind", "/", "/"];
  return [...system, ...needed, ...config.read].flatMap((folder) => ["--ro-bind-try", folder, folder]);
}

/** What the empty folders have covered and is to be seen all the same: a listed folder, or where the server lives. */
function again(config: SandboxConfig, cwd: string, hide: string[]): string[] {
  const covered = ["/tmp", "/var/tmp", "/run", ...hide];
  const isCovered = (folder: string): boolean => covered.some((one) => folder.startsWith(`${one}/`));
  return [...(config.read ?? []), cwd]
    .filter(isCovered)
    .flatMap((folder) => ["--ro-bind-try", folder, folder]);
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
    const found =
      (error as { code?: unknown }).code === "ENOENT" ? "no program bwrap" : messageOf(error).trim();
    const message = `servers: expected bubblewrap for the sandbox of ${asking.join(", ")}, found ${found}. Install it (apt-get install bubblewrap), allow it to make namespaces, or take sandbox out of the configuration.`;
    throw new CountersignError("sandbox_missing", message, { cause: error });
  }
}

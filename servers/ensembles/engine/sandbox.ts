import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, extname } from "node:path";

/** What scripts need to run at all: programs, their libraries and how names are resolved. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt"];

/** Bytes that a script may write into its own /tmp. */
const TMP_BYTES = 64_000_000;

/** What a script may take of the memory. */
const MOST_MEMORY_KIB = 1.5 * 1024 * 1024;

/** Variables of the server that a script sees; whatever holds a key is none of them. */
const ALLOWED = ["PATH", "LANG", "LC_ALL", "TZ", "TERM"];

export interface Launch {
  /** The whole path of the script. */
  file: string;
  /** The scripts/ folder it is in, which it may read. */
  root: string;
  /** Where it runs, and what it may read beside. */
  cwd: string;
  /** What the product keeps, which it never sees. */
  hidden: string | undefined;
}

/** The environment of a script: a short list of harmless names, and what it is given. */
export function scriptEnvironment(
  env: NodeJS.ProcessEnv,
  given: Record<string, string>,
): Record<string, string> {
  const passed = ALLOWED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(passed), HOME: "/tmp", TMPDIR: "/tmp", ...given };
}

/** The command that runs a script; in a sandbox where bubblewrap works on this machine. */
export function commandOf(launch: Launch, isSandboxed: boolean): string[] {
  const command = [
    "sh",
    "-c",
    `ulimit -v ${MOST_MEMORY_KIB}; exec "$@"`,
    "sh",
    ...interpreterOf(launch.file),
    launch.file,
  ];
  if (!isSandboxed) return command;
  const { root, cwd, hidden } = launch;
  // What covers the whole disk would cover the sandbox's own folders as well.
  const project = cwd === "/" ? root : cwd;
  const node = dirname(dirname(process.execPath));
  return [
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    String(TMP_BYTES),
    "--tmpfs",
    "/tmp",
    // Node and the project may lie below /tmp themselves.
    ...bind(node),
    ...bind(project),
    ...(isInside(hidden, project) ? ["--tmpfs", hidden] : []),
    ...bind(root),
    "--chdir",
    project,
    "--",
    ...command,
  ];
}

function bind(folder: string): string[] {
  return ["--ro-bind", folder, folder];
}

/** What is kept elsewhere is not seen anyway. */
function isInside(path: string | undefined, folder: string): path is string {
  return path !== undefined && path.startsWith(`${folder}/`) && existsSync(path);
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
export function hasSandbox(): boolean {
  const check = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  known ??= spawnSync("bwrap", check, { stdio: "ignore", timeout: 10_000 }).status === 0;
  return known;
}

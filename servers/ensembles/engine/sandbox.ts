import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, extname, join } from "node:path";

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

export interface Launch {
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
export function scriptEnvironment(
  env: NodeJS.ProcessEnv,
  given: Record<string, string>,
): Record<string, string> {
  const passed = ALLOWED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(passed), HOME: "/tmp", TMPDIR: "/tmp", ...given };
}

/**
 * The command that runs a script; in a sandbox where bubblewrap works on this machine. `path` is the PATH that its
 * interpreter is found by.
 */
export function commandOf(launch: Launch, isSandboxed: boolean, path: string): string[] {
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
export function hasSandbox(): boolean {
  const check = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  known ??= spawnSync("bwrap", check, { stdio: "ignore", timeout: 10_000 }).status === 0;
  return known;
}

/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out: it drops those
 * that the registry in use does not carry, and `npm ci` then refuses the lock file as incomplete
 * (https://github.com/npm/cli/issues/4828). Prints what it added. Run it after `npm install`.
 */
import { readFile, writeFile } from "node:fs/promises";

export interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/** Where npm would look for a package from the package at `path`, nearest first. */
function lookups(path: string, name: string): string[] {
  const places = [`${path === "" ? "" : `${path}/`}node_modules/${name}`];
  if (path === "") return places;
  const parent = path.lastIndexOf("/node_modules/");
  return [...places, ...lookups(parent < 0 ? "" : path.slice(0, parent), name)];
}

/** The platform that a native package names, such as `@oxlint/binding-linux-x64-musl`. */
function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  const words = name.split(/[/-]/);
  const os = /^(?:aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|windows)$/;
  const cpu = /^(?:arm|arm64|ia32|loong64|ppc64|riscv64|s390x|x64)$/;
  const system = words.find((word) => os.test(word));
  const processor = words.find((word) => cpu.test(word));
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : "glibc";
  return {
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(system === undefined ? {} : { os: [system === "windows" ? "win32" : system] }),
    ...(system === "linux" && words.some((word) => /^(?:musl|gnu)/.test(word)) ? { libc: [libc] } : {}),
  };
}

/** The entries that a lock file lacks, by path. */
export function missingEntries(packages: Readonly<Record<string, LockEntry>>): Map<string, LockEntry> {
  const missing = new Map<string, LockEntry>();
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = lookups(path, name).some((place) => Object.hasOwn(packages, place));
      if (found || !/^\d+\.\d+\.\d+$/.test(version)) continue;
      const dev = entry.dev === true ? { dev: true } : {};
      missing.set(`node_modules/${name}`, { version, ...dev, optional: true, ...platformOf(name) });
    }
  }
  return missing;
}

if (import.meta.main) {
  const file = new URL("../package-lock.json", import.meta.url);
  const lock = JSON.parse(await readFile(file, "utf8")) as { packages: Record<string, LockEntry> };
  const missing = missingEntries(lock.packages);
  const byPath = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(byPath.toSorted(([a], [b]) => a.localeCompare(b, "en")));
  if (missing.size > 0) await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
  for (const [path, { version }] of missing) console.log(`added ${path} ${version}`);
}

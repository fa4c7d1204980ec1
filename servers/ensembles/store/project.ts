import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

import { closest, distance } from "fastest-levenshtein";
import { stringify } from "yaml";

import { ToolFailure } from "../../kit/tool.ts";
import type { Ensemble, Profile } from "../engine/definition.ts";
import { type Fault, type Parsed, parseEnsemble, parseProfiles } from "../engine/parse.ts";
import { checkName, entriesOf, filesBelow, inside, writeWhole } from "./paths.ts";

/** Where something comes from: the project's own stands before what is for all projects, and that before the library. */
export type Source = "local" | "global" | "library";

/** What is kept in three folders: ensembles, profiles and scripts. */
export interface Project {
  /** In the order in which they are asked; `path` holds ensembles/, profiles/ and scripts/. */
  readonly folders: readonly { source: Source; path: string }[];
  /** The project's own folder, `.llm-orc`, the only one that is written. */
  readonly local: string;
  readonly library: string;
  ensembles(): FoundEnsemble[];
  /** Throws a ToolFailure `unknown_ensemble` that names those there are. */
  ensemble(name: string): FoundEnsemble;
  profiles(): FoundProfile[];
  profile(name: string): FoundProfile | undefined;
  /** What is wrong in files of profiles; each says of which profile, where that can be told. */
  profileFaults(): Fault[];
}

export interface FoundEnsemble {
  name: string;
  source: Source;
  /** The whole path of its file. */
  path: string;
  /** Its path below ensembles/. */
  relativePath: string;
  /** The folder below ensembles/; empty where it is in none. */
  category: string;
  parsed: Parsed<Ensemble>;
}

export interface FoundProfile {
  profile: Profile;
  source: Source;
  path: string;
}

const YAML = [".yaml", ".yml"];

/**
 * The folders that the environment names: `ENSEMBLES_PROJECT` (default the working folder) with its `.llm-orc`,
 * `ENSEMBLES_GLOBAL` (default ~/.config/llm-orc), and the library that ships.
 */
export function openProject(env: NodeJS.ProcessEnv, cwd: string): Project {
  const folder = resolve(cwd, env.ENSEMBLES_PROJECT?.trim() || ".");
  const local = basename(folder) === ".llm-orc" ? folder : join(folder, ".llm-orc");
  const config = env.XDG_CONFIG_HOME?.trim() || join(env.HOME?.trim() || homedir(), ".config");
  const global = resolve(cwd, env.ENSEMBLES_GLOBAL?.trim() || join(config, "llm-orc"));
  const library = join(import.meta.dirname, "../library");
  const folders = [
    { source: "local", path: local },
    { source: "global", path: global },
    { source: "library", path: library },
  ] as const;
  const ensembleFile = createReader((text, file) => parseEnsemble(text, file));
  const profileFile = createReader((text, file) => parseProfiles(text, file));

  function ensembles(): FoundEnsemble[] {
    const found = new Map<string, FoundEnsemble>();
    for (const { source, path } of folders) {
      const root = join(path, "ensembles");
      for (const relativePath of filesBelow(root, YAML)) {
        const file = join(root, relativePath);
        const parsed = ensembleFile(file, `ensembles/${relativePath}`);
        const name = nameOf(file, parsed);
        const category = dirname(relativePath) === "." ? "" : dirname(relativePath);
        if (!found.has(name)) found.set(name, { name, source, path: file, relativePath, category, parsed });
      }
    }
    return [...found.values()];
  }

  function readProfiles(): { found: Map<string, FoundProfile>; faults: Fault[] } {
    const found = new Map<string, FoundProfile>();
    const faults: Fault[] = [];
    for (const { source, path } of folders) {
      const files = [
        ...filesBelow(join(path, "profiles"), YAML).map((one) => `profiles/${one}`),
        "config.yaml",
      ];
      for (const file of files) {
        if (statSync(join(path, file), { throwIfNoEntry: false })?.isFile() !== true) continue;
        const parsed = profileFile(inside(path, file), file);
        faults.push(...parsed.faults);
        for (const profile of parsed.value ?? []) {
          if (!found.has(profile.name)) found.set(profile.name, { profile, source, path: join(path, file) });
        }
      }
    }
    return { found, faults };
  }

  return {
    folders,
    local,
    library,
    ensembles,
    ensemble(name) {
      checkName("an ensemble", name);
      const all = ensembles();
      const found = all.find((one) => one.name === name);
      if (found !== undefined) return found;
      const names = all.map((one) => one.name);
      throw new ToolFailure(
        "unknown_ensemble",
        `there is no ensemble "${name}"${meant(name, names)}. There are: ${names.join(", ")}`,
      );
    },
    profiles: () => [...readProfiles().found.values()],
    profile: (name) => readProfiles().found.get(name),
    profileFaults: () => readProfiles().faults,
  };
}

export function meant(name: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const nearest = closest(name, [...names]);
  return distance(name, nearest) <= 3 ? ` (did you mean ${nearest}?)` : "";
}

function nameOf(path: string, { value }: Parsed<Ensemble>): string {
  return value?.name ?? basename(path).replace(/\.ya?ml$/, "");
}

/** The name of the ensemble in a file; undefined where there is no such file. */
export function ensembleIn(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return nameOf(path, parseEnsemble(readFileSync(path, "utf8"), path));
}

/** Reads files and keeps what it made of them until they change. */
function createReader<T>(read: (text: string, file: string) => T): (path: string, file: string) => T {
  const kept = new Map<string, { version: string; value: T }>();
  return (path, file) => {
    const { mtimeMs, size, ino } = statSync(path);
    const version = `${mtimeMs}:${size}:${ino}`;
    const known = kept.get(path);
    if (known?.version === version) return known.value;
    const value = read(readFileSync(path, "utf8"), file);
    if (kept.size >= 4000) kept.clear();
    kept.set(path, { version, value });
    return value;
  };
}

/** Writes a new profile into a file of its own in the project's folder. Answers its path. Throws where it is taken. */
export function writeProfile(project: Project, profile: Profile): string {
  const file = `profiles/${checkName("a profile", profile.name)}.yaml`;
  const path = inside(project.local, file);
  if (existsSync(path)) {
    const others = parseProfiles(readFileSync(path, "utf8"), file).value?.map(({ name }) => name) ?? [];
    const found = others.length === 0 ? "has no profile that can be read" : `has ${others.join(", ")}`;
    throw new ToolFailure(
      "exists",
      `${file} is there already and ${found}: add the profile there by hand, or choose another name`,
    );
  }
  writeWhole(path, stringify(profile));
  return path;
}

/** Takes a local profile away. Throws a ToolFailure where it is not in a file of its own in the project's folder. */
export function removeProfile({ profile, source, path }: FoundProfile, project: Project): void {
  if (source !== "local") {
    throw new ToolFailure(
      "not_local",
      `the profile "${profile.name}" is of the ${source} folder, which is only read`,
    );
  }
  const own = entriesOf(join(project.local, "profiles")).map((entry) =>
    join(project.local, "profiles", entry.name),
  );
  const { value, faults } = parseProfiles(readFileSync(path, "utf8"), path);
  const isAlone = own.includes(path) && value?.length === 1 && faults.length === 0;
  if (!isAlone) {
    throw new ToolFailure(
      "shared_file",
      `${path} has other things beside the profile "${profile.name}": take it out there by hand`,
    );
  }
  rmSync(path);
}

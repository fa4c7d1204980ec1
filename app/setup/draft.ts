import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { CountersignError } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { isSecretKey } from "#src/base/redact.ts";
import { parseConfig, readConfigText } from "#src/settings/document.ts";
import { configToWrite, loadSettings, OWN_HEADER, type Settings } from "#src/settings/load.ts";
import type { Path } from "#src/settings/problem.ts";

import type { Source } from "../checks/settings.ts";
import { envFile, outsideEnvFile, readEnvFile, setVariables } from "../env-file.ts";
import { mergeConfig } from "../merge-config.ts";
import { setConfig } from "../set-config.ts";
import { writeWhole } from "../write-file.ts";

/** What a set-up would write: nothing is, before `write`. */
export interface Draft {
  /** The configuration and the environment file as people know them. */
  readonly named: { config: string; env: string };
  /** As the configuration and the environment are now, without what is not written yet. */
  readonly settings: Settings;
  /** A variable as it would be; empty where it is not set. */
  variable(name: string): string;
  /** Sets variables; a value that is empty already is not written. */
  setVariables(values: Readonly<Record<string, string>>): void;
  /** Has the configuration read these variables at a path, unless it does already. */
  bind(path: Path, variable: string): void;
  /** What stands at a path, before variables are filled in. */
  at(path: Path): unknown;
  set(path: Path, value: unknown): void;
  merge(part: object): void;
  /** Lines for people, values of secrets hidden; none where nothing would change. */
  changes(): string[];
  /** Variables of `changes` that are set outside the file to something else, which counts. */
  shadowed(): string[];
  write(): Promise<void>;
  /** Forgets what was not written. */
  drop(): void;
}

const delivered: string = fileURLToPath(new URL("../../config/countersign.yaml", import.meta.url));

/**
 * Opens what is there; a configuration that is not there yet begins as the delivered one. Rejects with a ConfigError
 * where it has another fault than variables that are not set.
 */
export async function openDraft(source: Source): Promise<Draft> {
  const { cwd } = source;
  const { file, named, from } = configToWrite(source);
  const first = existsSync(from) ? from : delivered;
  const variables = envFile(source.env, cwd);
  const outside = outsideEnvFile(source.env, cwd);
  const written = {
    config: await readConfigText(first, named),
    env: existsSync(variables) ? await readFile(variables, "utf8") : "",
  };
  let now = { ...written, isNew: !existsSync(file) };
  let values: Record<string, string> = {};
  let settings = await read();

  function read(): Promise<Settings> {
    const env = { ...blank(written.config), ...readEnvFile(variables), ...outside };
    return loadSettings({ file: existsSync(file) ? file : first, env, cwd });
  }

  function variable(name: string): string {
    return values[name] ?? outside[name] ?? readEnvFile(variables)[name] ?? "";
  }

  function at(path: Path): unknown {
    let found: unknown = parseConfig(now.config, named).data;
    for (const key of path) {
      if (Array.isArray(found)) found = (found as unknown[])[Number(key)];
      else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return found;
  }

  const draft: Draft = {
    named: { config: named, env: shortPath(cwd, variables) },
    get settings() {
      return settings;
    },
    variable,
    at,
    setVariables(given) {
      const changed = Object.entries(given).filter(([name, value]) => value !== variable(name));
      values = { ...values, ...Object.fromEntries(changed) };
      now.env = setVariables(now.env, Object.fromEntries(changed));
    },
    bind(path, name) {
      const there = at(path);
      if (typeof there === "string" && there.includes(`\${${name}`)) return;
      draft.set(path, `\${${name}:-}`);
    },
    set(path, value) {
      now.config = setConfig(now.config, path, value);
    },
    merge(part) {
      now.config = mergeConfig(now.config, part);
    },
    changes() {
      const ofConfig = changedLines(written.config, now.config).map(hideSecret);
      const ofEnv = changedLines(written.env, now.env).map(hideSecret);
      return [
        ...(ofConfig.length === 0 ? [] : [`${named}${now.isNew ? " (new)" : ""}:`, ...ofConfig]),
        ...(ofEnv.length === 0 ? [] : [`${draft.named.env} (for its owner alone):`, ...ofEnv]),
      ];
    },
    shadowed: () => Object.keys(values).filter((name) => outside[name] !== undefined),
    async write() {
      requireSame(named, written.config, await readConfigText(existsSync(file) ? file : first, named));
      requireSame(
        draft.named.env,
        written.env,
        existsSync(variables) ? await readFile(variables, "utf8") : "",
      );
      // The variables first: a configuration that names one that is not set would not start.
      if (now.env !== written.env) await writeWhole(variables, now.env, 0o600);
      // One that was named has to be there for the next start; without one of their own people have the delivered one.
      if (now.config !== written.config || (now.isNew && from === file)) {
        if (now.isNew && from !== file) now.config = OWN_HEADER + now.config;
        if (now.isNew) await mkdir(dirname(file), { recursive: true });
        await writeWhole(file, now.config, now.isNew ? 0o644 : undefined);
        now.isNew = false;
      }
      Object.assign(written, { config: now.config, env: now.env });
      values = {};
      settings = await read();
    },
    drop() {
      now = { ...written, isNew: now.isNew };
      values = {};
    },
  };
  return draft;
}

/** Whoever edits a file while questions are asked keeps what they wrote. Throws `changed_meanwhile`. */
function requireSame(named: string, before: string, now: string): void {
  if (now === before) return;
  throw new CountersignError(
    "changed_meanwhile",
    `${named} was changed by somebody else meanwhile: expected it as it was when this began. Nothing was written; begin again.`,
  );
}

/** As people would write it. */
function shortPath(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}

/** Every variable that the configuration needs, as an empty one: what is missing is what a set-up asks for. */
function blank(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = ""]) => [name, ""] as const);
  return Object.fromEntries(names);
}

/** The rest of a line from the first value on that is called like a secret, unless a variable stands there. */
function hideSecret(line: string): string {
  for (const { 0: key, 1: name = "", index } of line.matchAll(/([\w-]+)["']?\s*[:=]\s*/g)) {
    const at = index + key.length;
    const value = line.slice(at);
    // What stands in braces or brackets has names of its own.
    if (!isSecretKey(name) || value === "" || /^["']?\$\{|^\[?\{/.test(value)) continue;
    return `${line.slice(0, at)}(hidden)`;
  }
  return line;
}

/** More than that is no change that a set-up makes. */
const MOST_LINES = 2_000;

/** Lines that went (`- `) and came (`+ `), in the order of the text. */
function changedLines(before: string, after: string): string[] {
  let [old = [], now = []] = [before, after].map((text) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .filter((line, _, all) => all.length > 1 || line !== ""),
  );
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < shorter - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  [old, now] = [old, now].map((all) => all.slice(first, all.length - last)) as [string[], string[]];
  if (old.length > MOST_LINES || now.length > MOST_LINES) return [`${now.length} lines are written anew`];
  /** How many lines are the same from a place on, at best. */
  const width = now.length + 1;
  const same = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      same[i * width + j] =
        old[i] === now[j]
          ? 1 + (same[(i + 1) * width + j + 1] ?? 0)
          : Math.max(same[(i + 1) * width + j] ?? 0, same[i * width + j + 1] ?? 0);
  const lines: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (
      j >= now.length ||
      (i < old.length && (same[(i + 1) * width + j] ?? 0) >= (same[i * width + j + 1] ?? 0))
    ) {
      lines.push(`- ${old[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${now[j]}`);
      j += 1;
    }
  }
  return lines;
}

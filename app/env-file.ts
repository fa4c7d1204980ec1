import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";

import { CountersignError, messageOf } from "#src/base/errors.ts";

/** The file with the secrets of the configuration: `COUNTERSIGN_ENV`, else .env in the working folder. */
export function envFile(env: NodeJS.ProcessEnv, cwd: string): string {
  return resolve(cwd, env["COUNTERSIGN_ENV"] || ".env");
}

/** What stands in the file; empty without one. Throws `env_unreadable`. */
export function readEnvFile(file: string): NodeJS.Dict<string> {
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new CountersignError(
      "env_unreadable",
      `Expected lines such as NAME=value in ${file}, got: ${messageOf(cause)}. Make it readable for this user.`,
      { cause },
    );
  }
}

/** Adds what the file says to the environment; what is set there already counts. Throws `env_unreadable`. */
export function loadEnvFile(env: NodeJS.ProcessEnv, cwd: string): void {
  for (const [name, value] of Object.entries(readEnvFile(envFile(env, cwd)))) env[name] ??= value;
}

/** The environment without what the file gave it. */
export function outsideEnvFile(env: NodeJS.ProcessEnv, cwd: string): NodeJS.ProcessEnv {
  const given = readEnvFile(envFile(env, cwd));
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== given[name]));
}

/** Whether others on this machine may read it; Windows has no such rights. */
export function isOpenToOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/**
 * The text of an environment file in which these variables have these values. Lines that are there are changed in
 * their places, others come at the end; everything else stays. Throws for a value with a line break.
 */
export function setVariables(text: string, values: Readonly<Record<string, string>>): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}=${quoted(name, value)}`;
    const at = assignmentsIn(lines).findLast((one) => one.name === name);
    if (at === undefined) lines.push(line);
    else lines.splice(at.from, at.to - at.from + 1, line);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** Where each variable is set; a value in quotes may have several lines. */
function assignmentsIn(lines: readonly string[]): { name: string; from: number; to: number }[] {
  const found: { name: string; from: number; to: number }[] = [];
  for (let from = 0; from < lines.length; from += 1) {
    const [, name, quote = "", rest = ""] =
      /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(["'`]?)(.*)$/s.exec(lines[from] ?? "") ?? [];
    if (name === undefined) continue;
    const isOpen = quote !== "" && !rest.includes(quote);
    const end = isOpen ? lines.findIndex((line, at) => at > from && line.includes(quote)) : -1;
    const to = end === -1 ? from : end;
    found.push({ name, from, to });
    from = to;
  }
  return found;
}

/** As `parseEnv` of Node reads it back. */
function quoted(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return value;
  const quote = ["'", "`", '"'].find((one) => !value.includes(one));
  if (quote === undefined || /[\r\n]/.test(value)) {
    throw new CountersignError(
      "wrong_value",
      `${name}: expected one line without all three of ' " and \`, got something else.`,
    );
  }
  return `${quote}${value}${quote}`;
}

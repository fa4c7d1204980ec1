import { createSecretKey, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { messageOf } from "#src/base/errors.ts";
import { bareHost } from "#src/base/http.ts";

import { checkMeaning, checkPeople } from "./checks.ts";
import { parseConfig, readConfigText, substituteEnv } from "./document.ts";
import {
  countProblems,
  problemAt,
  type ProblemContext,
  problemsOfIssues,
  withTypedReplacements,
} from "./issues.ts";
import { peopleList, type PersonSettings } from "./people-schema.ts";
import { ConfigError, type ConfigProblem } from "./problem.ts";
import { fileSchema, type FileSettings } from "./schema.ts";
import type { ServerSettings } from "./server-schema.ts";

/** The file and the environment, validated: everything an operator can set. Keys are those of the file. */
export interface Settings extends FileSettings {
  /** Absolute path of the file. */
  file: string;
  /** Absolute path; nothing says that it exists. */
  data_dir: string;
  /** 32 bytes; a KeyObject, so that printing settings does not print it. */
  secret_key?: KeyObject;
  /** Keys that only open what they sealed, until it is sealed anew. */
  old_secret_keys: KeyObject[];
}

const deliveredFile = "config/countersign.yaml";
/** The operator's own, which no new version of the delivered one gets in the way of. */
const localFile = "config/local.yaml";

/**
 * Reads the configuration: `file`, else `COUNTERSIGN_CONFIG`, else config/local.yaml where that is there, else
 * config/countersign.yaml, relative to `cwd`; then `HOST`, `PORT`, `COUNTERSIGN_DATA`, `COUNTERSIGN_SECRET_KEY` and `COUNTERSIGN_SECRET_KEY_OLD` of
 * the environment.
 * Rejects with a ConfigError (code `config_invalid`) that lists what is wrong, and with nothing else.
 */
export async function loadSettings(options: {
  file?: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
}): Promise<Settings> {
  const { env, cwd } = options;
  const { named, file } = configFile(options);
  const overrides = readOverrides(env);
  const text = await readConfigText(file, named);
  const settings = validate(text, named, env, overrides.problems);
  if (settings.store.url !== "" && overrides.key.secret_key === undefined)
    throw new ConfigError([sharedKeyMissing]);
  return {
    ...settings,
    servers: settings.servers.map((server) => withAbsolutePaths(server, cwd)),
    model: withPrompts(settings.model, cwd),
    channels: Object.fromEntries(
      Object.entries(settings.channels).map(([name, channel]) => [name, withPrompts(channel, cwd)]),
    ),
    http: { ...settings.http, ...overrides.http },
    people: {
      ...settings.people,
      list: [...settings.people.list, ...(await readPeople(settings, dirname(file)))],
    },
    file,
    data_dir: resolve(cwd, env["COUNTERSIGN_DATA"] || "data"),
    ...overrides.key,
  };
}

/**
 * Which file the configuration is: as people name it, and its absolute path. `others`: those that it stands in the
 * place of.
 */
export function configFile(options: { file?: string; env: NodeJS.ProcessEnv; cwd: string }): {
  named: string;
  file: string;
  others: string[];
} {
  const given = givenFile(options);
  const there = [localFile, deliveredFile].filter((name) => existsSync(resolve(options.cwd, name)));
  const [named = deliveredFile, ...others] = given === undefined ? there : [given];
  return { named, file: resolve(options.cwd, named), others };
}

/** Where changes of the configuration are written, and the file whose text they begin with: the same, once it is there. */
export function configToWrite(options: Parameters<typeof configFile>[0]): {
  named: string;
  file: string;
  from: string;
} {
  const named = givenFile(options) ?? localFile;
  return { named, file: resolve(options.cwd, named), from: configFile(options).file };
}

function givenFile({
  file,
  env,
}: Pick<Parameters<typeof configFile>[0], "file" | "env">): string | undefined {
  return file ?? (env["COUNTERSIGN_CONFIG"] || undefined);
}

/** First lines of a configuration that begins as another one. */
export const OWN_HEADER =
  "# Your own configuration: it is read in place of config/countersign.yaml, and git leaves it alone.\n";

/** Validates the text of a configuration; `earlier` problems are reported with those found here. */
function validate(
  text: string,
  named: string,
  env: NodeJS.ProcessEnv,
  earlier: readonly ConfigProblem[],
): FileSettings {
  const document = parseConfig(text, named);
  try {
    let substituted = substituteEnv(document.data, env);
    const missing = substituted.missing.map(({ path, reference, name }) => ({
      ...problemAt({ file: named, document, substituted }, path, {
        expected: name === undefined ? "${NAME} or ${NAME:-default}" : `the environment variable ${name}`,
        fix: name === undefined ? "write $${ for a literal ${" : `set ${name}, or write \${${name}:-default}`,
      }),
      found: name === undefined ? "something else in ${…}" : `${reference}, which is not set`,
    }));
    let parsed = fileSchema.safeParse(substituted.data);
    if (!parsed.success && substituted.replaced.size > 0) {
      substituted = withTypedReplacements(substituted, parsed.error.issues);
      parsed = fileSchema.safeParse(substituted.data);
    }
    const context: ProblemContext = { file: named, document, substituted };
    const missingPaths = new Set(missing.map((problem) => problem.path));
    const found = parsed.success
      ? checkMeaning(parsed.data, context)
      : problemsOfIssues(context, parsed.error.issues);
    const problems = [...earlier, ...missing, ...found.filter((problem) => !missingPaths.has(problem.path))];
    const further = parsed.success ? 0 : countProblems(parsed.error.issues) - found.length;
    if (!parsed.success || problems.length > 0) throw new ConfigError(problems, { further });
    return parsed.data;
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    // Data that refers to itself, or grows without bound with the environment, ends here as a RangeError.
    const expected = "a configuration of moderate size";
    throw new ConfigError([{ file: named, path: "", expected, found: messageOf(cause) }], { cause });
  }
}

/** The people of the file that `people.file` names, relative to the configuration's folder. */
async function readPeople({ people, servers }: FileSettings, folder: string): Promise<PersonSettings[]> {
  if (!("file" in people) || people.file === undefined) return [];
  const named = people.file;
  const document = parseConfig(await readConfigText(resolve(folder, named), named), named);
  const context = { file: named, document, substituted: substituteEnv(document.data, {}) };
  const parsed = peopleList.safeParse(document.data ?? []);
  if (!parsed.success) throw new ConfigError(problemsOfIssues(context, parsed.error.issues));
  const problems: ConfigProblem[] = [];
  checkPeople(parsed.data, servers, (path, expected, fix) => {
    problems.push(problemAt(context, path, fix === undefined ? { expected } : { expected, fix }));
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/** On one machine a key is made in the data folder; replicas have no folder in common. */
const sharedKeyMissing: ConfigProblem = {
  file: "environment",
  path: "COUNTERSIGN_SECRET_KEY",
  expected: "32 bytes in base64, the same for every replica, as store.url names a Postgres",
  found: "nothing",
  fix: "make one with `openssl rand -base64 32`",
};

function withAbsolutePaths(server: ServerSettings, cwd: string): ServerSettings {
  const all = (folders: string[]): string[] => folders.map((folder) => resolve(cwd, folder));
  const absolute = { ...server, cwd: resolve(cwd, server.cwd), roots: all(server.roots) };
  const { sandbox } = server;
  if (sandbox === undefined) return absolute;
  const read = sandbox.read === undefined ? {} : { read: all(sandbox.read) };
  return { ...absolute, sandbox: { ...sandbox, ...read, write: all(sandbox.write) } };
}

function withPrompts<Part extends { prompts?: string }>(part: Part, cwd: string): Part {
  return part.prompts === undefined ? part : { ...part, prompts: resolve(cwd, part.prompts) };
}

/** What the environment says beside and above the file. */
interface Overrides {
  http: { host?: string; port?: number };
  key: { secret_key?: KeyObject; old_secret_keys: KeyObject[] };
  problems: ConfigProblem[];
}

function readOverrides(env: NodeJS.ProcessEnv): Overrides {
  const read: Overrides = { http: {}, key: { old_secret_keys: [] }, problems: [] };
  const { HOST: host, PORT: port } = env;
  if (host) read.http.host = bareHost(host);
  if (port) {
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) read.http.port = Number(port);
    else
      read.problems.push(wrongVariable("PORT", "a port from 0 to 65535", JSON.stringify(port.slice(0, 60))));
  }
  const { COUNTERSIGN_SECRET_KEY: secret, COUNTERSIGN_SECRET_KEY_OLD: old } = env;
  if (secret) {
    const key = readKey("COUNTERSIGN_SECRET_KEY", secret, read.problems);
    if (key !== undefined) read.key.secret_key = key;
  }
  for (const text of old?.split(",") ?? []) {
    if (text.trim() === "") continue;
    const key = readKey("COUNTERSIGN_SECRET_KEY_OLD", text.trim(), read.problems);
    if (key !== undefined) read.key.old_secret_keys.push(key);
  }
  return read;
}

function readKey(name: string, text: string, problems: ConfigProblem[]): KeyObject | undefined {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what is not base64, so only a text that comes back the same is one.
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
  if (isBase64 && bytes.length === 32) return createSecretKey(bytes);
  const found = isBase64 ? `${bytes.length} bytes` : "text that is not base64";
  problems.push({
    ...wrongVariable(name, "32 bytes in base64", found),
    fix: "make one with `openssl rand -base64 32`",
  });
  return undefined;
}

function wrongVariable(name: string, expected: string, found: string): ConfigProblem {
  return { file: "environment", path: name, expected, found };
}

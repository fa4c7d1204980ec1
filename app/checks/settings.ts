import { statSync } from "node:fs";
import { createServer } from "node:net";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import { isLoopbackHost } from "#adapters/http/guard.ts";
import { codeOf, messageOf } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";
import { loadPrompts } from "#src/plan/prompts.ts";
import { configFile, loadSettings, type Settings } from "#src/settings/load.ts";
import { ConfigError, type ConfigProblem } from "#src/settings/problem.ts";

import { envFile, isOpenToOthers, readEnvFile } from "../env-file.ts";
import { failed, type Finding, look, note, ok, sentence, skipped } from "./finding.ts";

/** Where the configuration is read from. */
export interface Source {
  file?: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** The configuration as the product would read it, or one finding for each fault. */
export async function checkConfig(source: Source): Promise<{ findings: Finding[]; settings?: Settings }> {
  try {
    const settings = await loadSettings(source);
    const { file, others } = configFile(source);
    const beside = others.length === 0 ? "" : ` ${others.join(", ")} is not read beside it.`;
    return { findings: [ok("config", `${relative(source.cwd, file)} is fine.${beside}`)], settings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: error.problems.slice(0, 20).map(findingOf) };
  }
}

function findingOf({ file, line, path, expected, found, fix }: ConfigProblem): Finding {
  const place = line === undefined ? file : `${file}, line ${line}`;
  const what = path === "" ? "" : `${path}: `;
  const written = file === "environment" || path === "" ? "" : ` (${place})`;
  return failed(
    "config",
    sentence(`${place}: ${what}expected ${expected}, found ${found}`),
    sentence(fix ?? (path === "" ? `make it ${expected}` : `write ${expected} at ${path}${written}`)),
  );
}

/** Secrets are for their owner alone, and the environment goes before the file. */
export function checkEnvFile({ env, cwd }: Source): Finding[] {
  const file = envFile(env, cwd);
  const named = relative(cwd, file).startsWith("..") ? file : relative(cwd, file);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    return [skipped("env_file", `There is no ${named}.`)];
  const values = readEnvFile(file);
  const others = Object.keys(values).filter((name) => env[name] !== undefined && env[name] !== values[name]);
  return [
    isOpenToOthers(file)
      ? failed(
          "env_file",
          `Others on this machine can read the secrets in ${named}.`,
          `Type: chmod 600 ${named}`,
        )
      : ok("env_file", `${named} is for its owner alone.`),
    ...others.map((name) =>
      note(
        "env_file.shadowed",
        `${name} is set outside ${named} to something else, and that counts.`,
        `Type: unset ${name}`,
      ),
    ),
  ];
}

const root: string = fileURLToPath(new URL("../../", import.meta.url));

export async function checkPrompts({ model, channels }: Settings): Promise<Finding[]> {
  const usual = await loadPrompts(`${root}prompts`);
  const folders = [model.prompts, ...Object.values(channels).map(({ prompts }) => prompts)];
  const own = new Set(folders.filter((folder) => folder !== undefined));
  if (own.size === 0) return [ok("prompts", "The product's own prompts are used.")];
  const looks = [...own].map((folder) =>
    look("prompts", `Mend the file, or take ${folder} out of the configuration.`, async () => {
      await loadPrompts(folder, usual);
      return [ok("prompts", `The prompts of ${folder} are whole.`)];
    }),
  );
  return (await Promise.all(looks)).flat();
}

/** Whether the product could listen where it is to. `isRunning`: another process holds the data folder. */
export async function checkPort({ http, slack, metrics }: Settings, isRunning: boolean): Promise<Finding[]> {
  if (http.tokens.length === 0 && !isLoopbackHost(http.host)) {
    return [
      failed(
        "port",
        `Other machines can reach ${http.host}, and without http.tokens anybody could act as anybody.`,
        "Type: HOST=127.0.0.1 npm start, or list http.tokens (docs/configuration.md#http).",
      ),
    ];
  }
  const isSlackHttp = (slack.bot_token !== "" || slack.client_id !== "") && slack.app_token === "";
  const places = [
    { host: http.host, port: http.port, variable: "PORT" },
    ...(isSlackHttp
      ? [
          {
            host: slack.host ?? http.host,
            port: slack.port ?? (http.port === 0 ? 0 : http.port + 1),
            variable: "slack.port",
          },
        ]
      : []),
    ...(metrics.port === 0 ? [] : [{ host: metrics.host, port: metrics.port, variable: "metrics.port" }]),
  ];
  return Promise.all(
    places.map(async ({ host, port, variable }) => {
      const where = httpUrl(host, port);
      const fault = port === 0 ? undefined : await whyNotFree(host, port);
      if (fault === undefined)
        return ok("port", port === 0 ? "Any free port is taken." : `${where} is free.`);
      if (fault.code === "EADDRINUSE" && isRunning && (variable !== "PORT" || (await isCountersign(where))))
        return ok("port", `Countersign answers at ${where}.`);
      if (fault.code === "EADDRINUSE") {
        const cure =
          variable === "PORT"
            ? `Type: PORT=${port + 10} npm start`
            : `Set ${variable} to one that is free, such as ${port + 10}.`;
        return failed("port", `Another program listens on port ${port} of ${host}.`, cure);
      }
      return failed(
        "port",
        sentence(`${where} cannot be listened on: ${fault.message}`),
        "Set HOST and PORT to an address of this machine, such as HOST=127.0.0.1.",
      );
    }),
  );
}

function whyNotFree(host: string, port: number): Promise<{ code: string; message: string } | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve({ code: codeOf(error) ?? "", message: messageOf(error) }));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isCountersign(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null && "version" in body;
  } catch {
    return false;
  }
}

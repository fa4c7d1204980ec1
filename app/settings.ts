import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { CommandInfo } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isSecretKey } from "#src/base/redact.ts";
import type { NoticeSettings } from "#src/present/notices.ts";
import { loadSettings, type Settings } from "#src/settings/load.ts";
import type { CommandTool } from "#src/settings/schema.ts";

import { createPicker } from "#views/picker.ts";

import type { CommandCall } from "./command-line.ts";

/** The configuration that `--config` or the environment names. */
export function readSettings(
  { config }: CommandCall["options"],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Settings> {
  return loadSettings({
    ...(config === undefined ? {} : { file: config }),
    env,
    cwd: process.cwd(),
  });
}

/** The slash commands of the configuration. */
export function commandsOf(settings: Settings): CommandInfo[] {
  return Object.entries(settings.commands).map(([name, command]) => ({
    name,
    server: command.server,
    ...defaultOf(command.default),
    subcommands: Object.entries(command.subcommands).map(([sub, run]) => ({ name: sub, ...toRun(run) })),
    completes: Object.keys(command.complete),
  }));
}

/** How people of a channel are told of approvals. */
export function noticeSettings({ approvals, channels }: Settings, channel: string): NoticeSettings {
  const own = Object.hasOwn(channels, channel) ? channels[channel]?.approvals : undefined;
  const quietHours = own?.quiet_hours ?? approvals.quiet_hours;
  return { notify: own?.notify ?? approvals.notify, ...(quietHours === undefined ? {} : { quietHours }) };
}

function defaultOf(run: CommandTool | undefined): Pick<CommandInfo, "defaultTool" | "defaultArgs"> {
  if (run === undefined) return {};
  return typeof run === "string" ? { defaultTool: run } : { defaultTool: run.tool, defaultArgs: run.args };
}

function toRun(run: CommandTool): { tool: string; args?: JsonObject } {
  return typeof run === "string" ? { tool: run } : run;
}

/** What people read in a channel is written in; undefined: English, and a model answers as it is asked. */
export function languageIn(settings: Settings): (channel: string) => string | undefined {
  return (channel) => settings.channels[channel]?.language ?? settings.language;
}

/** What the bundled knowledge server and its service read of the configuration. */
export function knowledgeEnvironment({ knowledge, model }: Settings, root: string): Record<string, string> {
  return {
    KNOWLEDGE_ROOT: root,
    KNOWLEDGE_SOURCES: JSON.stringify(knowledge.sources),
    OLLAMA_HOST: model.ollama.base_url,
    KNOWLEDGE_EMBED_MODEL: model.ollama.embed_model,
    ...(knowledge.store_url === "" ? {} : { KNOWLEDGE_DATABASE_URL: knowledge.store_url }),
    ...(knowledge.llamaindex_url === "" ? {} : { LLAMAINDEX_URL: knowledge.llamaindex_url }),
  };
}

/**
 * The servers as the tool box takes them. The bundled ones keep nothing of a channel in their processes, so that one
 * is enough for all.
 */
export function serversOf(settings: Settings, root: string): Settings["servers"] {
  const bundled = `${resolve(root)}/servers/`;
  return settings.servers.map((given) => {
    const { command = [], url, sse_url: sse, session_scope: scope, cwd } = given;
    const [program, script = "", ...rest] = command;
    const own = resolve(root, cwd, script);
    // Started from another folder, `servers/jira/main.ts` is still the bundled one.
    const isElsewhere = cwd === process.cwd() && !existsSync(own) && script.endsWith("/main.ts");
    const path = isElsewhere ? resolve(root, script) : own;
    if (program !== "node" || !path.startsWith(bundled)) return given;
    const [name = "", file] = path.slice(bundled.length).split("/");
    // Launched without what reads TypeScript.
    const lean = [program, resolve(root, "serve.js"), name, ...rest];
    const server = file === "main.ts" ? { ...given, command: lean, cwd: isElsewhere ? root : cwd } : given;
    if (url !== undefined || sse !== undefined) return server;
    const env =
      name === "knowledge" ? { ...knowledgeEnvironment(settings, resolve(root)), ...server.env } : server.env;
    return { ...server, env, session_scope: scope ?? ("shared" as const) };
  });
}

/** The arguments that the configuration fixes for a tool, beside those of its server. */
export function fixedArguments({
  tools,
}: Settings): (tool: { id: string; name: string }) => JsonObject | undefined {
  const pick = createPicker(tools);
  return (tool) => pick(tool)?.fixed_arguments;
}

/** Every secret the process knows of, so that none can leave by log, audit or card. */
export function secretsOf(settings: Settings, env: NodeJS.ProcessEnv): string[] {
  const fromEnv = Object.entries(env).flatMap(([key, value]) =>
    value !== undefined && isSecretKey(key) ? [value] : [],
  );
  const fromServers = settings.servers.flatMap((server) =>
    Object.entries(server.env).flatMap(([key, value]) => (isSecretKey(key) ? [value] : [])),
  );
  // What a header holds is taken for a secret, with and without its scheme (`Bearer …`).
  const fromHeaders = settings.servers.flatMap((server) =>
    [server.headers, ...Object.values(server.person_headers)]
      .flatMap((headers) => Object.values(headers))
      .flatMap((value) => [value, value.split(" ").at(-1) ?? value]),
  );
  const fromOAuth = settings.servers.flatMap((server) => server.oauth?.client_secret ?? []);
  return [
    ...fromEnv,
    ...fromServers,
    ...fromHeaders,
    ...fromOAuth,
    ...settings.http.tokens.map((one) => one.token),
    settings.metrics.token,
    ...Object.values(settings.knowledge.git_tokens),
    settings.model.gemini.api_key,
    settings.model.openai.api_key,
    settings.slack.bot_token,
    settings.slack.app_token,
    settings.slack.signing_secret,
    settings.slack.client_secret,
    settings.discord.token,
  ];
}

/** The product's version, as package.json has it. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;

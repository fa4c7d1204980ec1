import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type APIApplication, type REST, Routes } from "discord.js";

import type { CommandInfo, Core, ToolListing } from "#contract/core.ts";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import type { DiscordOptions } from "../options.ts";
import { createRest } from "../receive/client.ts";
import { buildCommands, type Commands, subcommandsOf } from "./commands.ts";

/** Overwrites all commands of the app: everywhere, or in these guilds. */
async function putCommands(
  rest: REST,
  app: string,
  guilds: readonly string[],
  commands: Commands,
): Promise<void> {
  if (guilds.length === 0) {
    await rest.put(Routes.applicationCommands(app), { body: commands });
    return;
  }
  for (const guild of guilds) {
    await rest.put(Routes.applicationGuildCommands(app, guild), { body: commands });
  }
}

export interface Registration {
  core: Pick<Core, "commands" | "tools" | "health">;
  rest: REST;
  log: ChatLog;
  /** By place: the digest of the commands that were registered there last. */
  registered: ChatState<string>;
  guilds: readonly string[];
}

/** So long a server may take to say what it offers. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 250;
const REPEAT_MS = 60_000;

/** Keeps what is registered as the configuration and the tools have it, until the signal aborts. Never rejects. */
export async function keepRegistered(app: string, parts: Registration, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  while (!signal.aborted) {
    const isWhole = await isEverythingThere(parts.core);
    const isLate = performance.now() - began > PATIENCE_MS;
    if (isWhole || isLate) await registerChanged(app, parts, isWhole);
    const rest = isWhole ? REPEAT_MS : isLate ? REPEAT_MS / 6 : LOOK_MS;
    await sleep(rest, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether every tool that a command runs is known, or is one that an account has to be connected for. */
async function isEverythingThere(core: Registration["core"]): Promise<boolean> {
  const tools = core.tools();
  const { servers } = await core.health();
  const waiting = new Set(servers.flatMap(({ name, status }) => (status === "waiting" ? [name] : [])));
  return core
    .commands()
    .every(
      (command) =>
        waiting.has(command.server) || subcommandsOf(command, tools).every(({ tool }) => tool !== undefined),
    );
}

async function registerChanged(
  app: string,
  { core, rest, log, registered, guilds }: Registration,
  isWhole: boolean,
): Promise<void> {
  const commands = buildCommands(core.commands(), core.tools());
  const digest = createHash("sha256").update(JSON.stringify(commands)).digest("hex");
  try {
    for (const guild of guilds.length === 0 ? [undefined] : guilds) {
      const place = `${app}:${guild ?? "everywhere"}`;
      const before = await registered.get(place);
      // While a server is down, what is known of its commands stays.
      if (before === digest || (before !== undefined && !isWhole)) continue;
      await putCommands(rest, app, guild === undefined ? [] : [guild], commands);
      await registered.set(place, digest);
      log.info({ guild, commands: commands.length }, "commands registered with Discord");
    }
  } catch (error) {
    log.warn({ error }, "commands could not be registered with Discord, will be tried again");
  }
}

/** Registers commands by themselves, without listening; resolves to their names. */
export async function registerOnce(
  options: Pick<DiscordOptions, "token" | "api_url" | "guilds">,
  commands: readonly CommandInfo[],
  tools: readonly ToolListing[],
): Promise<string[]> {
  const rest = createRest(options);
  const { id } = (await rest.get(Routes.currentApplication())) as APIApplication;
  const built = buildCommands(commands, tools);
  await putCommands(rest, id, options.guilds, built);
  return built.map(({ name }) => name);
}

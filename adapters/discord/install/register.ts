import { createHash } from "node:crypto";

import { type APIApplication, type REST, Routes } from "discord.js";

import type { CommandInfo, ToolListing } from "#contract/core.ts";
import { MINUTE_MS, sleep } from "#src/base/time.ts";

import type { DiscordDeps, DiscordOptions } from "../options.ts";
import { createRest } from "../receive/client.ts";
import { buildCommands, type Commands, subcommandsOf } from "./commands.ts";

/** How long a server may take to say what it offers. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 250;

/** Keeps what is registered as the configuration and the tools have it, until the signal aborts. Never rejects. */
export async function keepRegistered(deps: DiscordDeps, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  while (!signal.aborted) {
    const isWhole = await isEverythingThere(deps);
    const isLate = performance.now() - began > PATIENCE_MS;
    if (isWhole || isLate) await registerChanged(deps, isWhole);
    await sleep(isWhole ? MINUTE_MS : isLate ? MINUTE_MS / 6 : LOOK_MS, signal);
  }
}

/** Whether every tool that a command runs is known, or is one that an account has to be connected for. */
async function isEverythingThere({ core }: DiscordDeps): Promise<boolean> {
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
  { core, rest, log, me, registered, options }: DiscordDeps,
  isWhole: boolean,
): Promise<void> {
  const { app } = me();
  const commands = buildCommands(core.commands(), core.tools());
  const digest = createHash("sha256").update(JSON.stringify(commands)).digest("hex");
  try {
    for (const guild of guildsOf(options)) {
      const place = `${app}:${guild ?? "everywhere"}`;
      const before = await registered.get(place);
      // While a server is down, what is known of its commands stays.
      if (before === digest || (before !== undefined && !isWhole)) continue;
      await putCommands(rest, app, guild, commands);
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
  for (const guild of guildsOf(options)) await putCommands(rest, id, guild, built);
  return built.map(({ name }) => name);
}

/** Where commands are registered; undefined stands for everywhere. */
function guildsOf({ guilds }: Pick<DiscordOptions, "guilds">): readonly (string | undefined)[] {
  return guilds.length === 0 ? [undefined] : guilds;
}

/** Overwrites all commands of the app, everywhere or in a guild. */
async function putCommands(
  rest: REST,
  app: string,
  guild: string | undefined,
  commands: Commands,
): Promise<void> {
  const route =
    guild === undefined ? Routes.applicationCommands(app) : Routes.applicationGuildCommands(app, guild);
  await rest.put(route, { body: commands });
}

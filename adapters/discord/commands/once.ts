import type { CommandInfo, ToolListing } from "#contract/core.ts";

import { type APIApplication, Routes } from "discord.js";

import { createRest } from "../client.ts";
import type { DiscordOptions } from "../options.ts";
import { buildCommands } from "./build.ts";
import { putCommands } from "./register.ts";

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

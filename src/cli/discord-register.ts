import { fileURLToPath } from "node:url";

import { CountersignError, messageOf } from "../base/errors.ts";
import { createToolBox } from "../mcp/pool.ts";
import { commandsOf } from "./command-info.ts";
import type { CommandCall } from "./command-line.ts";
import { readSettings } from "./read-settings.ts";
import { version } from "./version.ts";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Registers the commands of the configuration with Discord, also while the product runs. */
export async function register({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const { discord } = settings;
  if (discord.token === "") {
    throw new CountersignError(
      "discord_off",
      "discord.token is empty: set DISCORD_TOKEN to the bot's token.",
    );
  }
  const tools = createToolBox({
    servers: settings.servers,
    version,
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { ...process.env, COUNTERSIGN_DATA: settings.data_dir },
    log: silent,
  });
  try {
    await tools.start();
    for (const { name, error } of tools.servers().filter(({ status }) => status !== "up")) {
      process.stderr.write(
        `${name} is not reachable, its commands get no options: ${error ?? "no answer"}\n`,
      );
    }
    const { registerOnce } = await import("#adapters/discord/commands/once.ts");
    const listings = tools.tools().map((tool) => ({ tool, decision: "allow" as const }));
    const names = await registerOnce(discord, commandsOf(settings), listings);
    const where = discord.guilds.length === 0 ? "everywhere" : `in ${discord.guilds.join(", ")}`;
    process.stdout.write(`registered ${where}: ${names.join(", ")}\n`);
    return 0;
  } catch (error) {
    throw new CountersignError(
      "discord_failed",
      `expected Discord at ${discord.api_url} to take the commands, got: ${messageOf(error)}. Check DISCORD_TOKEN and discord.guilds.`,
      { cause: error },
    );
  } finally {
    await tools.stop();
  }
}

import { CountersignError, messageOf } from "../base/errors.ts";
import { commandsOf } from "./command-info.ts";
import type { CommandCall } from "./command-line.ts";
import { complain, print } from "./output.ts";
import { readSettings } from "./read-settings.ts";
import { withToolBox } from "./tool-box.ts";

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
  return withToolBox(settings, async (tools) => {
    for (const { name, error } of tools.servers().filter(({ status }) => status !== "up")) {
      complain(`${name} is not reachable, its commands get no options: ${error ?? "no answer"}`);
    }
    const { registerOnce } = await import("#adapters/discord/commands/once.ts");
    const listings = tools.tools().map((tool) => ({ tool, decision: "allow" as const }));
    const names = await registerOnce(discord, commandsOf(settings), listings).catch((error: unknown) => {
      throw new CountersignError(
        "discord_failed",
        `expected Discord at ${discord.api_url} to take the commands, got: ${messageOf(error)}. Check DISCORD_TOKEN and discord.guilds.`,
        { cause: error },
      );
    });
    const where = discord.guilds.length === 0 ? "everywhere" : `in ${discord.guilds.join(", ")}`;
    print(`registered ${where}: ${names.join(", ")}`);
    return 0;
  });
}

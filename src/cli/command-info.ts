import type { CommandInfo } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";

import type { Settings } from "../settings/load.ts";
import type { CommandTool } from "../settings/schema.ts";

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

function defaultOf(run: CommandTool | undefined): Pick<CommandInfo, "defaultTool" | "defaultArgs"> {
  if (run === undefined) return {};
  return typeof run === "string" ? { defaultTool: run } : { defaultTool: run.tool, defaultArgs: run.args };
}

function toRun(run: CommandTool): { tool: string; args?: JsonObject } {
  return typeof run === "string" ? { tool: run } : run;
}

import type { CommandInfo } from "#contract/core.ts";

import type { Settings } from "../settings/load.ts";

/** The slash commands of the configuration. */
export function commandsOf(settings: Settings): CommandInfo[] {
  return Object.entries(settings.commands).map(([name, command]) => ({
    name,
    server: command.server,
    ...(command.default === undefined ? {} : { defaultTool: command.default }),
    subcommands: Object.entries(command.subcommands).map(([sub, tool]) => ({ name: sub, tool })),
    completes: Object.keys(command.complete),
  }));
}

import type { CommandInfo, Core } from "#contract/core.ts";
import type { Tool } from "#contract/tool.ts";

import { toolById } from "../base/tool-names.ts";
import type { ArgumentChecker } from "../plan/arguments.ts";
import { parseCommand } from "../plan/commands.ts";

export interface CommandReaderOptions {
  commands: readonly CommandInfo[];
  tools: { find(name: string): Tool | undefined };
  checker: ArgumentChecker;
}

/** Slash commands and filled-in calls, for surfaces that ask for what is missing before a turn begins. */
export function createCommandReader({
  commands,
  tools,
  checker,
}: CommandReaderOptions): Pick<Core, "readCommand" | "checkCall"> {
  return {
    readCommand(message) {
      const parsed = parseCommand(message, commands, tools);
      if (parsed === undefined) return undefined;
      const { command } = parsed;
      if (parsed.kind === "help") {
        return {
          kind: "help",
          command,
          ...(parsed.problem === undefined ? {} : { problem: parsed.problem }),
        };
      }
      const { tool, args } = parsed;
      const checked = checker.check(tool, args);
      return { kind: "call", command, tool, args, missing: checked.ok ? [] : checked.fields };
    },

    checkCall(call) {
      const tool = toolById(tools, call.tool);
      if (tool === undefined) {
        const message = `${call.tool} is not there now; its server may be down.`;
        return { ok: false, message, faults: [] };
      }
      const checked = checker.check(tool, call.args);
      return checked.ok ? checked : { ok: false, message: checked.message, faults: checked.faults };
    },
  };
}

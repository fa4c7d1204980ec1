import { chat } from "./chat.ts";
import type { CommandLine, CommandName } from "./command-line.ts";
import { start } from "./start.ts";

export type RunCommand = (line: Extract<CommandLine, { kind: "run" }>) => Promise<number>;

export const commands: Record<CommandName, RunCommand> = { start, chat };

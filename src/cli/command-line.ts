import { parseArgs } from "node:util";

import { messageOf } from "../base/errors.ts";

export type CommandName = "start" | "chat";

export type CommandLine =
  | { kind: "run"; command: CommandName; config?: string }
  | { kind: "help" }
  | { kind: "wrong"; message: string };

export const usage: string = `Usage: countersign COMMAND [--config FILE]

  start   serve the HTTP API and the playground, and the chat platforms whose tokens are set
  chat    talk to the product in this terminal

  --config FILE   the configuration (default: COUNTERSIGN_CONFIG, else config/countersign.yaml)
  --help          this text

Environment: PORT, HOST, COUNTERSIGN_DATA, COUNTERSIGN_CONFIG, COUNTERSIGN_SECRET_KEY, LOG_LEVEL.`;

const COMMANDS: readonly CommandName[] = ["start", "chat"];

/** Reads the command line; never throws. */
export function parseCommandLine(argv: string[]): CommandLine {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: { config: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    return { kind: "wrong", message: messageOf(error) };
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { kind: "help" };
  const [name, ...rest] = positionals;
  const command = COMMANDS.find((one) => one === name);
  if (command === undefined) {
    return { kind: "wrong", message: `Expected a command (${COMMANDS.join(" or ")}), got ${name ?? "nothing"}.` };
  }
  if (rest.length > 0) return { kind: "wrong", message: `Expected nothing after ${command}, got ${rest.join(" ")}.` };
  return { kind: "run", command, ...(values.config === undefined ? {} : { config: values.config }) };
}

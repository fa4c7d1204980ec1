import { parseArgs, type ParseArgsConfig } from "node:util";

import { messageOf } from "#src/base/errors.ts";

/** Values of options as the command line gives them. */
export type OptionValues = Record<string, string | boolean | undefined>;

export interface CommandCall {
  /** What stands after the command's name. */
  args: string[];
  options: OptionValues;
}

/** One command: how it is called and what runs. Resolves to the exit code. */
export interface Command {
  /** Such as `audit verify`. */
  name: string;
  /** A shorter form that means the same when nothing follows it. */
  alias?: string;
  /** The names of its arguments, such as `TOOL`; those in brackets may be left out. */
  args: string[];
  summary: string;
  options: Record<string, { type: "string" | "boolean"; help: string }>;
  load: () => Promise<(call: CommandCall) => Promise<number>>;
}

export type CommandLine =
  | { kind: "run"; command: Command; call: CommandCall }
  | { kind: "help"; command?: Command }
  | { kind: "wrong"; message: string };

const COMMON: Command["options"] = {
  config: {
    type: "string",
    help: "the configuration (default: COUNTERSIGN_CONFIG, else config/countersign.yaml)",
  },
  help: { type: "boolean", help: "this text" },
};

/** Reads the command line against the known commands; never throws. */
export function parseCommandLine(argv: string[], commands: readonly Command[]): CommandLine {
  // The value of --config is no word of the command, wherever it stands.
  const words = argv.filter((word, index) => !word.startsWith("-") && argv[index - 1] !== "--config");
  const begins = (name: string): boolean => name.split(" ").every((word, index) => words[index] === word);
  const command =
    commands.toSorted((a, b) => b.name.length - a.name.length).find((one) => begins(one.name)) ??
    commands.find((one) => one.alias === words.join(" "));
  if (command === undefined) {
    if (argv.length === 0 || argv.includes("--help") || argv.includes("-h")) return { kind: "help" };
    const known = commands.map((one) => one.name).join(", ");
    return {
      kind: "wrong",
      message: `Expected a command (${known}), got ${words.join(" ") || argv.join(" ")}.`,
    };
  }
  try {
    const options: ParseArgsConfig["options"] = { ...COMMON, ...command.options };
    options.help = { type: "boolean", short: "h" };
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help === true) return { kind: "help", command };
    const args = positionals.slice(command.name.split(" ").length);
    const least = command.args.filter((name) => !name.startsWith("[")).length;
    if (args.length < least || args.length > command.args.length) {
      const expected = command.args.join(" ") || "nothing more";
      return {
        kind: "wrong",
        message: `Expected ${expected} after ${command.name}, got ${args.join(" ") || "nothing"}.`,
      };
    }
    return { kind: "run", command, call: { args, options: values as OptionValues } };
  } catch (error) {
    return { kind: "wrong", message: messageOf(error) };
  }
}

/** The help text: of all commands, or of one with its options. */
export function usage(commands: readonly Command[], command?: Command): string {
  if (command !== undefined) {
    const options = Object.entries({ ...command.options, ...COMMON }).map(
      ([name, { type, help }]) => `  --${name}${type === "string" ? " VALUE" : ""}`.padEnd(22) + help,
    );
    return [
      `Usage: countersign ${[command.name, ...command.args].join(" ")}`,
      "",
      command.summary,
      "",
      ...options,
    ].join("\n");
  }
  const lines = commands.map((one) => `  ${[one.name, ...one.args].join(" ")}`.padEnd(36) + one.summary);
  return [
    "Usage: countersign COMMAND [--config FILE]",
    "",
    ...lines,
    "",
    "countersign COMMAND --help shows the options of one.",
    "Environment: PORT, HOST, COUNTERSIGN_DATA, COUNTERSIGN_CONFIG, COUNTERSIGN_SECRET_KEY, COUNTERSIGN_SECRET_KEY_OLD, LOG_LEVEL.",
  ].join("\n");
}

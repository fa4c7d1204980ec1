import { parseArgs, type ParseArgsConfig } from "node:util";

import { codeOf, messageOf } from "#src/base/errors.ts";

import { complain, print } from "./output.ts";

/** What stands on the command line. */
export interface CommandCall {
  /** After the command's name. */
  args: string[];
  /** Options with a value, such as `--config FILE`. */
  options: Record<string, string | undefined>;
  /** Options without one, such as `--json`. */
  flags: Record<string, true | undefined>;
}

/** One command: how it is called and what runs. Resolves to the exit code. */
export interface Command {
  /** Such as `audit verify`. */
  name: string;
  /** A shorter form that means the same when nothing follows it. */
  alias?: string;
  /** The names of its arguments, such as `TOOL`; those in brackets may be left out. */
  args?: string[];
  summary: string;
  options?: Record<string, Option>;
  load: () => Promise<(call: CommandCall) => Promise<number>>;
}

interface Option {
  type: "string" | "boolean";
  help: string;
}

export type CommandLine =
  | { kind: "run"; command: Command; call: CommandCall }
  | { kind: "help"; command?: Command }
  | { kind: "wrong"; message: string };

/** An option with a value, such as `--config FILE`. */
export function value(help: string): Option {
  return { type: "string", help };
}

/** An option without one, such as `--json`. */
export function flag(help: string): Option {
  return { type: "boolean", help };
}

const COMMON: Record<string, Option> = {
  config: value("the configuration (default: COUNTERSIGN_CONFIG, else config/countersign.yaml)"),
  help: flag("this text"),
};

/** Runs one command; never rejects. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function runCommand(argv: string[], commands: readonly Command[]): Promise<number> {
  const line = parseCommandLine(argv, commands);
  if (line.kind === "help") {
    print(usage(commands, line.command));
    return 0;
  }
  if (line.kind === "wrong") {
    complain(`${line.message}\n\n${usage(commands)}`);
    return 2;
  }
  try {
    const run = await line.command.load();
    return await run(line.call);
  } catch (error) {
    const code = codeOf(error) ?? "internal_error";
    complain(`countersign ${line.command.name}: ${messageOf(error)} [${code}]`);
    return code === "wrong_use" ? 2 : 1;
  }
}

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
    return wrong(`Expected a command (${known}), got ${words.join(" ") || argv.join(" ")}.`);
  }
  try {
    const options: ParseArgsConfig["options"] = { ...COMMON, ...command.options };
    options.help = { type: "boolean", short: "h" };
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help === true) return { kind: "help", command };
    const args = positionals.slice(command.name.split(" ").length);
    const wanted = command.args ?? [];
    const least = wanted.filter((name) => !name.startsWith("[")).length;
    if (args.length < least || args.length > wanted.length) {
      const expected = wanted.join(" ") || "nothing more";
      return wrong(`Expected ${expected} after ${command.name}, got ${args.join(" ") || "nothing"}.`);
    }
    const call: CommandCall = { args, options: {}, flags: {} };
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === "string") call.options[name] = value;
      if (value === true) call.flags[name] = true;
    }
    return { kind: "run", command, call };
  } catch (error) {
    return wrong(messageOf(error));
  }
}

function wrong(message: string): CommandLine {
  return { kind: "wrong", message };
}

/** The help text: of all commands, or of one with its options. */
export function usage(commands: readonly Command[], command?: Command): string {
  if (command === undefined) {
    return [
      "Usage: countersign COMMAND [--config FILE]",
      "",
      ...commands.map((one) => `  ${withArgs(one)}`.padEnd(36) + one.summary),
      "",
      "countersign COMMAND --help shows the options of one.",
      "Environment: PORT, HOST, COUNTERSIGN_DATA, COUNTERSIGN_CONFIG, COUNTERSIGN_SECRET_KEY, COUNTERSIGN_SECRET_KEY_OLD, LOG_LEVEL.",
    ].join("\n");
  }
  const options = Object.entries({ ...command.options, ...COMMON }).map(
    ([name, { type, help }]) => `  --${name}${type === "string" ? " VALUE" : ""}`.padEnd(22) + help,
  );
  return [`Usage: countersign ${withArgs(command)}`, "", command.summary, "", ...options].join("\n");
}

function withArgs({ name, args = [] }: Command): string {
  return [name, ...args].join(" ");
}

import { parseArgs, type ParseArgsConfig } from "node:util";

import { hang } from "#adapters/console/render/layout.ts";
import { codeOf, messageOf } from "#src/base/errors.ts";
import { didYouMean } from "#src/base/suggest.ts";

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
  /** The names of its arguments, such as `TOOL`; those in brackets may be left out, and one with … may come often. */
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
  /** Of one command, of those that begin with one word, or, where that is empty, of all. */
  | { kind: "help"; command: Command }
  | { kind: "help"; family: readonly Command[] }
  | { kind: "version" }
  /** `help`: the commands whose use is shown with it; none where the message says it all. */
  | { kind: "wrong"; message: string; help: readonly Command[] };

/** An option with a value, such as `--config FILE`. */
export function value(help: string): Option {
  return { type: "string", help };
}

/** An option without one, such as `--json`. */
export function flag(help: string): Option {
  return { type: "boolean", help };
}

const COMMON: Record<string, Option> = {
  config: value(
    "the configuration (default: COUNTERSIGN_CONFIG, else config/local.yaml, else config/countersign.yaml)",
  ),
  help: flag("this text"),
};

/** Runs one command; never rejects. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function runCommand(argv: string[], commands: readonly Command[]): Promise<number> {
  const line = parseCommandLine(argv, commands);
  if (line.kind === "help") {
    const [shown, command] = "command" in line ? [commands, line.command] : [line.family, undefined];
    print(usage(shown.length === 0 ? commands : shown, command, process.stdout.columns));
    return 0;
  }
  if (line.kind === "wrong") {
    const [one, ...more] = line.help;
    const width = process.stderr.columns;
    complain(line.message);
    if (one === undefined) complain("countersign --help lists all commands.");
    else
      complain(`\n${more.length === 0 ? usage(commands, one, width) : usage(line.help, undefined, width)}`);
    return 2;
  }
  if (line.kind === "version") {
    print((await import("./settings.ts")).version);
    return 0;
  }
  try {
    const run = await line.command.load();
    return await run(line.call);
  } catch (error) {
    const code = codeOf(error) ?? "internal_error";
    complain(`countersign ${line.command.name}: ${messageOf(error)} [${code}]`);
    if (code !== "wrong_use") return 1;
    complain(`countersign ${line.command.name} --help shows what it takes.`);
    return 2;
  }
}

/** Reads the command line against the known commands; never throws. */
export function parseCommandLine(argv: string[], commands: readonly Command[]): CommandLine {
  // The value of an option is no word of the command, wherever it stands.
  const valued = new Set([COMMON, ...commands.map(({ options = {} }) => options)].flatMap(namesOfValued));
  const words = argv.filter((word, index) => !word.startsWith("-") && !valued.has(argv[index - 1] ?? ""));
  const begins = (name: string): boolean => name.split(" ").every((word, index) => words[index] === word);
  const command =
    commands.toSorted((a, b) => b.name.length - a.name.length).find((one) => begins(one.name)) ??
    commands.find((one) => one.alias === words.join(" "));
  if (command === undefined) {
    if (argv.length === 0 || argv.includes("--help") || argv.includes("-h")) {
      return { kind: "help", family: commands.filter(({ name }) => name.startsWith(`${words[0]} `)) };
    }
    if (argv.length === 1 && argv[0] === "--version") return { kind: "version" };
    return unknownCommand(words.length === 0 ? argv : words, commands);
  }
  try {
    const options: ParseArgsConfig["options"] = { ...COMMON, ...command.options };
    options.help = { type: "boolean", short: "h" };
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help === true) return { kind: "help", command };
    const args = positionals.slice(command.name.split(" ").length);
    const wanted = command.args ?? [];
    const least = wanted.filter((name) => !name.startsWith("[")).length;
    const most = wanted.at(-1)?.endsWith("…]") === true ? Infinity : wanted.length;
    if (args.length < least || args.length > most) {
      const expected = wanted.join(" ") || "nothing more";
      return wrong(`Expected ${expected} after ${command.name}, got ${args.join(" ") || "nothing"}.`, [
        command,
      ]);
    }
    const call: CommandCall = { args, options: {}, flags: {} };
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === "string") call.options[name] = value;
      if (value === true) call.flags[name] = true;
    }
    return { kind: "run", command, call };
  } catch (error) {
    return wrong(optionFault(messageOf(error), command), [command]);
  }
}

function namesOfValued(options: Record<string, Option>): string[] {
  return Object.entries(options).flatMap(([name, { type }]) => (type === "string" ? [`--${name}`] : []));
}

function wrong(message: string, help: readonly Command[]): CommandLine {
  return { kind: "wrong", message, help };
}

/** Says which commands begin with what was typed, or which one was probably meant. */
function unknownCommand(words: readonly string[], commands: readonly Command[]): CommandLine {
  const [first = "", second] = words;
  const family = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (family.length > 0) {
    const known = family.map(({ name }) => name.slice(first.length + 1));
    const meant = didYouMean(second ?? "", known, (name) => `${first} ${name}`);
    return wrong(`Expected ${OR.format(known)} after ${first}, got ${second ?? "nothing"}.${meant}`, family);
  }
  const got = [first, ...(second === undefined ? [] : [second])].join(" ");
  const names = commands.map(({ name }) => name);
  const firsts = new Set(names.map((name) => name.split(" ")[0] ?? ""));
  const meant =
    second === undefined
      ? didYouMean(first, firsts) || didYouMean(got, names)
      : didYouMean(got, names) || didYouMean(first, firsts);
  return wrong(`${meant === "" ? got : first} isn't a command.${meant}`, meant === "" ? commands : []);
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });

/** Node's own words are about its parser; what people need is the name of the option. */
function optionFault(message: string, command: Command): string {
  const option = /^(?:Unknown option|Option) '(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1];
  if (option === undefined) return message;
  const known = Object.entries({ ...command.options, ...COMMON });
  const kind = known.find(([name]) => `--${name}` === option)?.[1].type;
  if (kind === "string") return `${option} of ${command.name} wants a value: ${option} VALUE.`;
  if (kind === "boolean") return `${option} of ${command.name} takes no value.`;
  const meant = didYouMean(
    option.replace(/^-+/, ""),
    known.map(([name]) => name),
    (name) => `--${name}`,
  );
  return `${option} isn't an option of ${command.name}.${meant}`;
}

/** Wide enough for the longest name beside what it does. */
const NARROW = 76;

/** What is called on the left and what it does on the right; below it where there is no room. */
function row(called: string, about: string, left: number, width: number): string[] {
  if (width >= NARROW && called.length < left - 2) return hang(`  ${called}`.padEnd(left), about, width);
  return [`  ${called}`, ...hang("      ", about, width)];
}

/** The help text: of all commands, or of one with its options. `width`: columns of the terminal. */
export function usage(commands: readonly Command[], command?: Command, width: number = 120): string {
  if (command === undefined) {
    return [
      "Usage: countersign COMMAND [--config FILE]",
      "",
      ...commands.flatMap((one) => row(withArgs(one), one.summary, 30, width)),
      "",
      ...hang("", "countersign COMMAND --help shows the options of one.", width),
      ...hang("Environment: ", ENVIRONMENT.join(", "), width),
    ].join("\n");
  }
  const options = Object.entries({ ...command.options, ...COMMON }).flatMap(([name, { type, help }]) =>
    row(`--${name}${type === "string" ? " VALUE" : ""}`, help, 22, width),
  );
  const summary = hang("", command.summary, width);
  return [`Usage: countersign ${withArgs(command)} [OPTIONS]`, "", ...summary, "", ...options].join("\n");
}

const ENVIRONMENT = [
  "PORT",
  "HOST",
  "COUNTERSIGN_DATA",
  "COUNTERSIGN_CONFIG",
  "COUNTERSIGN_SECRET_KEY",
  "COUNTERSIGN_SECRET_KEY_OLD",
  "LOG_LEVEL",
];

function withArgs({ name, args = [] }: Command): string {
  return [name, ...args].join(" ");
}

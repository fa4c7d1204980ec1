#!/usr/bin/env node
import { codeOf, messageOf } from "./base/errors.ts";
import { parseCommandLine, usage } from "./cli/command-line.ts";

/** Runs one command. Exit codes: 0 done, 1 failed, 2 wrong use. */
async function main(argv: string[]): Promise<number> {
  const parsed = parseCommandLine(argv);
  if (parsed.kind === "help") {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (parsed.kind === "wrong") {
    process.stderr.write(`${parsed.message}\n\n${usage}\n`);
    return 2;
  }
  try {
    // Loaded when needed, so that help does not wait for the whole product.
    const { commands } = await import("./cli/commands.ts");
    return await commands[parsed.command](parsed);
  } catch (error) {
    process.stderr.write(`countersign ${parsed.command}: ${messageOf(error)} [${codeOf(error) ?? "internal_error"}]\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));

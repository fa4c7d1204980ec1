import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

import { codeOf, messageOf } from "#src/base/errors.ts";

import { parseCommandLine, usage } from "./command-line.ts";
import { commands } from "./commands.ts";
import { complain, print } from "./output.ts";

/** Runs one command. Exit codes: 0 done, 1 failed, 2 wrong use. */
async function main(argv: string[]): Promise<number> {
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

// Most of a start is compiling: what one process compiled, the next one reads.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)));

// A reader that has seen enough, such as head(1), is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Node itself would print it as it is, and what it quotes may be a server's.
process.on("uncaughtException", (error: unknown) => {
  complain(`countersign ended by an error: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  process.exit(1);
});

process.exitCode = await main(process.argv.slice(2));

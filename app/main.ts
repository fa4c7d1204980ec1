import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

import { messageOf } from "#src/base/errors.ts";

import { runCommand } from "./command-line.ts";
import { commands } from "./commands.ts";
import { loadEnvFile } from "./env-file.ts";
import { complain } from "./output.ts";

// Most of a start is compiling: what one process compiled, the next one reads.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)));

/** Where the log goes there it has a listener of its own. */
const isLogged = (): boolean => process.stdout.listenerCount("error") > 1;

// A reader that has seen enough, such as head(1), is no failure, and a log goes on without one.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (isLogged()) return;
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Node itself would print it as it is, and what it quotes may be a server's.
process.on("uncaughtException", (error: unknown) => {
  complain(`countersign ended by an error: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  process.exit(1);
});

try {
  loadEnvFile(process.env, process.cwd());
} catch (error) {
  complain(messageOf(error));
  process.exit(1);
}

process.exitCode = await runCommand(process.argv.slice(2), commands);
// Who does not read the end of the log within a second does not keep the process alive.
if (isLogged()) setTimeout(() => process.exit(), 1_000).unref();

import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

import { parseFlags, usage, UsageError, type Flags } from "./flags.ts";

export interface ServeOptions {
  /** The folder under servers/, for the help text and messages. */
  name: string;
  defaultPort: number;
  /** Without the interpreter and the script: `process.argv.slice(2)`. */
  argv: string[];
}

/** How long requests in flight may keep the process after it was told to stop, in milliseconds. */
const graceMs = 2000;

/**
 * Runs an MCP server as the command line asks, and resolves when it has ended: on SIGTERM, SIGINT or,
 * over stdio, when stdin closes. Never rejects: a command line that cannot be used and a port that
 * cannot be opened are written to stderr and set the exit code (2 and 1).
 *
 * `build` is called once per connection or request and must return a fresh server each time.
 */
export async function serve(build: () => McpServer, options: ServeOptions): Promise<void> {
  try {
    const flags = parseFlags(options.argv, options.defaultPort);
    if (flags.help) {
      process.stdout.write(`${usage(options.name, options.defaultPort)}\n`);
      return;
    }
    await (flags.transport === "stdio" ? runStdio(build, options.name) : runHttp(build, flags));
    // A call that ignores its abort signal must not keep the process.
    setTimeout(() => process.exit(), graceMs).unref();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${options.name}: ${message}\n`);
    if (error instanceof UsageError) process.stderr.write(`\n${usage(options.name, options.defaultPort)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function runStdio(build: () => McpServer, name: string): Promise<void> {
  const handle = serveStdio(build, {
    onerror: (error) => process.stderr.write(`${name}: ${error.message}\n`),
  });
  await stopRequested(process.stdin);
  await handle.close();
  process.stdin.destroy();
}

async function runHttp(build: () => McpServer, flags: Flags): Promise<void> {
  // Loaded here: over stdio a server may be started anew for every call, and these take their time.
  const [{ listen }, handler] = await Promise.all([
    import("./listen.ts"),
    flags.transport === "http"
      ? import("./streamable.ts").then((module) => module.createStreamableHandler(build))
      : import("./sse.ts").then((module) => module.createSseHandler(build)),
  ]);
  const listener = await listen(handler, flags);
  process.stderr.write(`listening on ${listener.url}\n`);
  await stopRequested();
  await listener.close();
}

function stopRequested(input?: NodeJS.ReadStream): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
    input?.once("end", () => resolve());
    input?.once("close", () => resolve());
  });
}

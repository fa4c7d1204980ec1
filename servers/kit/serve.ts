import { parseArgs } from "node:util";

import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

import { messageOf } from "./tool.ts";

interface ServeOptions {
  /** The folder under servers/, for the help text and messages. */
  name: string;
  defaultPort: number;
  /** Without the interpreter and the script: `process.argv.slice(2)`. */
  argv: string[];
  /** What `/health` answers over Streamable HTTP; absent: there is no such path. */
  health?: (() => object) | undefined;
}

/** How long requests in flight may keep the process after it was told to stop, in milliseconds. */
const graceMs = 2000;

/** Opens what a server works with, and serves it; what cannot be opened is written to stderr (exit code 1). */
export async function serveBackend<T>(
  open: () => T | Promise<T>,
  build: (backend: T) => McpServer,
  { health, ...options }: Omit<ServeOptions, "argv" | "health"> & { health?: (backend: T) => object },
): Promise<void> {
  try {
    const backend = await open();
    await serve(() => build(backend), {
      ...options,
      argv: process.argv.slice(2),
      health: health && (() => health(backend)),
    });
  } catch (error) {
    process.stderr.write(`${options.name}: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

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
    await (flags.transport === "stdio"
      ? runStdio(build, options.name)
      : runHttp(build, flags, options.health));
    // A call that ignores its abort signal must not keep the process.
    setTimeout(() => process.exit(), graceMs).unref();
  } catch (error) {
    process.stderr.write(`${options.name}: ${messageOf(error)}\n`);
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

async function runHttp(build: () => McpServer, flags: Flags, health: ServeOptions["health"]): Promise<void> {
  // Loaded here: over stdio a server may be started anew for every call, and this takes its time.
  const { createSseHandler, createStreamableHandler, listen } = await import("./http.ts");
  const handler =
    flags.transport === "http" ? createStreamableHandler(build, health) : await createSseHandler(build);
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

interface Flags {
  transport: string;
  port: number;
  host: string;
  help: boolean;
}

/** A command line that cannot be used; the message says what was expected and what came. */
class UsageError extends Error {}

const loopbackHosts: readonly string[] = ["127.0.0.1", "::1", "localhost"];

/** Reads the flags every bundled server takes. Throws UsageError. */
function parseFlags(argv: string[], defaultPort: number): Flags {
  const { transport, port, host, help } = parse(argv);
  if (!["stdio", "http", "sse"].includes(transport)) {
    throw new UsageError(`--transport: expected stdio, http or sse, got "${transport}"`);
  }
  if (!loopbackHosts.includes(host)) {
    // These servers hold credentials and ask nobody who they are, so they stay on this machine.
    throw new UsageError(`--host: expected a loopback address (${loopbackHosts.join(", ")}), got "${host}"`);
  }
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)) {
    throw new UsageError(`--port: expected a number from 0 to 65535, got "${port}"`);
  }
  return { transport, port: Number(port ?? defaultPort), host, help };
}

function parse(argv: string[]): Omit<Flags, "port"> & { port?: string | undefined } {
  try {
    return parseArgs({
      args: argv,
      options: {
        transport: { type: "string", default: "stdio" },
        port: { type: "string" },
        host: { type: "string", default: "127.0.0.1" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    const message = messageOf(error);
    throw new UsageError(message.split(". ")[0] ?? message);
  }
}

function usage(name: string, defaultPort: number): string {
  return `Usage: node servers/${name}/main.ts [options]

An MCP server for ${name}.

  --transport stdio|http|sse  stdio (default): one client on stdin and stdout
                              http: Streamable HTTP at /mcp
                              sse: the older HTTP+SSE transport at /sse/
  --port N                    port for http and sse, 0 for any free one (default ${defaultPort})
  --host ADDRESS              loopback address to listen on (default 127.0.0.1)
  --help                      show this text`;
}

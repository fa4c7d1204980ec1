import { parseArgs } from "node:util";
import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

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
    import("./http.ts"),
    flags.transport === "http"
      ? import("./http.ts").then((module) => module.createStreamableHandler(build))
      : import("./http.ts").then((module) => module.createSseHandler(build)),
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

type Transport = "stdio" | "http" | "sse";

interface Flags {
  transport: Transport;
  port: number;
  host: string;
  help: boolean;
}

/** A command line that cannot be used; the message says what was expected and what came. */
class UsageError extends Error {
  readonly code = "usage";
}

const transports: readonly Transport[] = ["stdio", "http", "sse"];

const loopbackHosts: readonly string[] = ["127.0.0.1", "::1", "localhost"];

/** Reads the flags every bundled server takes. Throws UsageError. */
function parseFlags(argv: string[], defaultPort: number): Flags {
  const values = parse(argv);
  const transport = transports.find((name) => name === values.transport);
  if (transport === undefined) {
    throw new UsageError(`--transport: expected stdio, http or sse, got "${values.transport}"`);
  }
  if (!loopbackHosts.includes(values.host)) {
    // These servers hold credentials and ask nobody who they are, so they stay on this machine.
    throw new UsageError(
      `--host: expected a loopback address (${loopbackHosts.join(", ")}), got "${values.host}"`,
    );
  }
  return { transport, port: toPort(values.port, defaultPort), host: values.host, help: values.help };
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

function parse(argv: string[]): { transport: string; port: string | undefined; host: string; help: boolean } {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        transport: { type: "string", default: "stdio" },
        port: { type: "string" },
        host: { type: "string", default: "127.0.0.1" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return { transport: values.transport, port: values.port, host: values.host, help: values.help };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(". ")[0] ?? message);
  }
}

function toPort(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port: expected a number from 0 to 65535, got "${text}"`);
  }
  return port;
}

import { parseArgs } from "node:util";

export type Transport = "stdio" | "http" | "sse";

export interface Flags {
  transport: Transport;
  port: number;
  host: string;
  help: boolean;
}

/** A command line that cannot be used; the message says what was expected and what came. */
export class UsageError extends Error {
  readonly code = "usage";
}

const transports: readonly Transport[] = ["stdio", "http", "sse"];

const loopbackHosts: readonly string[] = ["127.0.0.1", "::1", "localhost"];

/** Reads the flags every bundled server takes. Throws UsageError. */
export function parseFlags(argv: string[], defaultPort: number): Flags {
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

export function usage(name: string, defaultPort: number): string {
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

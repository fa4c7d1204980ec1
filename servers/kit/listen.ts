import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";

/** Serves one path of an HTTP server. */
export interface HttpHandler {
  /** The path clients connect to, such as `/mcp`. */
  path: string;
  /** Answers every request; may reject, which is answered with 500. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends sessions and streams. */
  close(): Promise<void>;
}

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Opens the port. Rejects with a message that names the port when it cannot be opened. */
export async function listen(
  handler: HttpHandler,
  address: { host: string; port: number },
): Promise<Listener> {
  const hostAllowed = localhostHostValidation();
  const originAllowed = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
    handler.handle(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${request.method ?? "?"} ${request.url ?? "?"}: ${message}\n`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("Internal error");
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, address)));
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port);
    });
  });
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}${handler.path}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The path of a request without its query. */
export function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? "/", "http://localhost").pathname;
}

export function notFound(response: ServerResponse, expected: string): void {
  response
    .writeHead(404, { "content-type": "text/plain" })
    .end(`Not found: this server answers at ${expected}\n`);
}

function explain(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `port ${port} on ${host} is in use: stop the process that has it, or choose another with --port (0 for any free one)`,
    );
  }
  if (error.code === "EACCES") {
    return new Error(
      `port ${port} on ${host} may not be opened by this user: choose one above 1023 with --port`,
    );
  }
  return new Error(`cannot listen on ${host}:${port}: ${error.message}`);
}

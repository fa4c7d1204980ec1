import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { createAdaptorServer } from "@hono/node-server";

import { CountersignError } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

interface Address {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** What to do where the port is taken. */
  hint: string;
}

/** Listens with an app; rejects with `port_in_use` or `bind_failed`. */
export async function serve(
  fetch: Parameters<typeof createAdaptorServer>[0]["fetch"],
  options: Address,
): Promise<RunningServer> {
  const { Response } = globalThis;
  const server = createAdaptorServer({ fetch }) as Server;
  // The adapter puts its own Request and Response in place of the global ones. Hono needs the Request; with
  // the Response, what fetch answers is no instance of it, and the MCP SDK could not read the errors of
  // authorisation servers any more.
  Object.defineProperty(globalThis, "Response", { value: Response, configurable: true, writable: true });
  const port = await listen(server, options);

  return {
    url: httpUrl(options.host, port),
    async stop() {
      const closed = once(server.close(), "close");
      server.closeIdleConnections();
      // Requests that are being answered get a moment; then the line is cut.
      const cut = setTimeout(() => server.closeAllConnections(), 1000);
      await closed;
      clearTimeout(cut);
    },
  };
}

function listen(server: Server, { host, port, hint }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const [code, message] =
        cause.code === "EADDRINUSE"
          ? [
              "port_in_use",
              `Port ${port} of ${host} is in use, perhaps by another Countersign. Stop that program, or ${hint}.`,
            ]
          : [
              "bind_failed",
              `Cannot listen on ${httpUrl(host, port)}: ${cause.message}. Check HOST and PORT.`,
            ];
      reject(new CountersignError(code, message, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

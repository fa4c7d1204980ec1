import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";

import type { Connections } from "#contract/connections.ts";
import type { Cards, Offers } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Metrics } from "#contract/metrics.ts";
import type { SetupPage } from "#contract/setup.ts";
import { CountersignError } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";

import { addCallbackRoutes } from "./api/connection-routes.ts";
import { answerError, createApp, securityHeaders } from "./app.ts";
import { createGuessLimit, guard, isLoopbackHost } from "./guard.ts";
import {
  createSessions,
  createTokenRegistry,
  type HttpEnv,
  type Sessions,
  type SessionState,
  type TokenRegistry,
} from "./identity.ts";
import { addMetricsRoute } from "./metrics.ts";
import type { HttpOptions } from "./options.ts";
import { loadAssets } from "./page/assets.ts";
import type { Drawing } from "./page/drawings.ts";

/**
 * Serves the API and the playground until `stop`, which ends open event streams; turns run on. Rejects with
 * `insecure_bind`, `port_in_use` or `bind_failed`.
 */
export async function startHttp(
  offers: Offers,
  parts: {
    cards: Cards;
    forms: Forms;
    sessions: SessionState;
    drawings?: readonly Drawing[];
    /** Served where there are no tokens: for this machine alone. */
    setup?: SetupPage;
  },
  options: HttpOptions,
): Promise<RunningServer> {
  const tokens = createTokenRegistry(options.tokens);
  if (tokens.empty && !isLoopbackHost(options.host)) {
    throw new CountersignError(
      "insecure_bind",
      `HOST is ${options.host}, which other machines can reach, and no http.tokens are configured: anybody could ` +
        `act as anybody. Configure http.tokens, or leave HOST at 127.0.0.1.`,
    );
  }
  const stopping = new AbortController();
  const { cards, forms, sessions, drawings = [], setup } = parts;
  const app = createApp({
    offers,
    cards,
    forms,
    tokens,
    scrapers: scrapersOf(options.metricsToken),
    sessions: createSessions(sessions, tokens),
    limit: createGuessLimit(),
    assets: await loadAssets(drawings),
    drawings,
    options,
    ...(setup === undefined || !tokens.empty ? {} : { setup }),
    stopping: stopping.signal,
  });
  const hint = `choose another port: PORT=${options.port + 1} npm start`;
  const served = await serve(app.fetch, { ...options, hint });
  return {
    url: served.url,
    stop() {
      stopping.abort();
      return served.stop();
    },
  };
}

/**
 * Serves nothing but the way back from authorisation servers: for a product that has no HTTP surface of
 * its own. `port` 0 picks a free one.
 */
export async function startCallback(
  connections: Connections,
  state: SessionState,
  { host, port, tokens }: Pick<HttpOptions, "host" | "port" | "tokens">,
): Promise<RunningServer> {
  const registry = createTokenRegistry(tokens);
  const app = new Hono<HttpEnv>();
  app.use(securityHeaders());
  app.use(guard({ tokens: registry, sessions: createSessions(state, registry), limit: createGuessLimit() }));
  addCallbackRoutes(app, connections, { hasTokens: !registry.empty });
  return serve(app.fetch, { host, port, hint: "choose another port with PORT" });
}

/**
 * Serves nothing but /metrics. Without a token only this machine may ask. Rejects with `insecure_bind`,
 * `port_in_use` or `bind_failed`.
 */
export async function startMetrics(
  metrics: Metrics,
  { host, port, token }: { host: string; port: number; token: string },
): Promise<RunningServer> {
  if (token === "" && !isLoopbackHost(host)) {
    throw new CountersignError(
      "insecure_bind",
      `metrics.host is ${host}, which other machines can reach, and metrics.token is empty. Set a token, or leave ` +
        `metrics.host at 127.0.0.1.`,
    );
  }
  const tokens = scrapersOf(token);
  const app = new Hono<HttpEnv>();
  app.use(securityHeaders());
  app.use(guard({ tokens, sessions: noSessions, limit: createGuessLimit() }));
  addMetricsRoute(app, (c) => (c.get("identity") === undefined ? undefined : metrics));
  app.onError(answerError);
  const hint = "set metrics.port to one that is free, or to 0: http.port serves /metrics as well";
  return serve(app.fetch, { host, port, hint });
}

/** Who signed in with a browser reads /metrics of the product's own port. */
const noSessions: Pick<Sessions, "of"> = { of: () => Promise.resolve(undefined) };

/** The bearer of this token reads /metrics and nothing else; its name is told to nobody. */
function scrapersOf(token = ""): TokenRegistry {
  return createTokenRegistry(token === "" ? [] : [{ token, actor: "metrics" }]);
}

interface RunningServer {
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
async function serve(
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

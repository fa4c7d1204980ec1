import { Hono } from "hono";

import type { Connections } from "#contract/connections.ts";
import type { Cards, Offers } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { SetupPage } from "#contract/setup.ts";
import type { Metrics } from "#contract/metrics.ts";
import { CountersignError } from "#src/base/errors.ts";

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
import type { HttpOptions } from "./options.ts";
import { addMetricsRoute } from "./metrics.ts";
import { loadAssets } from "./page/assets.ts";
import type { Drawing } from "./page/drawings.ts";
import { type RunningServer, serve } from "./serve.ts";

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

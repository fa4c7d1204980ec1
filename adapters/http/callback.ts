import { Hono } from "hono";

import type { Connections } from "#contract/connections.ts";

import { addCallbackRoutes } from "./api/callback-routes.ts";
import type { HttpEnv } from "./env.ts";
import { guard } from "./guard.ts";
import { createGuessLimit } from "./guess-limit.ts";
import { createTokenBook } from "./identity.ts";
import type { HttpOptions } from "./options.ts";
import { securityHeaders } from "./security-headers.ts";
import { createSessions, type SessionState } from "./sessions.ts";
import { serve } from "./start.ts";

/**
 * Serves nothing but the way back from authorisation servers: for a product that has no HTTP surface of
 * its own. `port` 0 picks a free one.
 */
export async function startCallback(
  connections: Connections,
  state: SessionState,
  { host, port, tokens }: Pick<HttpOptions, "host" | "port" | "tokens">,
): Promise<{ url: string; stop(): Promise<void> }> {
  const book = createTokenBook(tokens);
  const app = new Hono<HttpEnv>();
  app.use(securityHeaders());
  app.use(guard({ tokens: book, sessions: createSessions(state, book), limit: createGuessLimit() }));
  addCallbackRoutes(app, connections, { hasTokens: !book.empty });
  return serve(app.fetch, { host, port });
}

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";

import type { AccountsDesk } from "#contract/accounts.ts";
import type { Connections } from "#contract/connections.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";

import { addApprovalRoutes } from "./api/approval-routes.ts";
import { addCallbackRoutes } from "./api/callback-routes.ts";
import { addChannelRoutes } from "./api/channel-routes.ts";
import { addConnectionRoutes } from "./api/connection-routes.ts";
import { addFileRoutes } from "./api/file-routes.ts";
import { addGrantRoutes } from "./api/grant-routes.ts";
import { addQuestionRoutes } from "./api/question-routes.ts";
import { addStatusRoutes } from "./api/status-routes.ts";
import { addTurnRoutes } from "./api/turn-routes.ts";
import type { HttpEnv } from "./env.ts";
import { ApiError, errorForm, toApiError } from "./errors.ts";
import { guard } from "./guard.ts";
import type { TokenBook } from "./identity.ts";
import { DEFAULT_BODY_LIMIT_BYTES, DEFAULT_KEEPALIVE_MS, type HttpOptions } from "./options.ts";
import { addAccountFragments } from "./playground/account-routes.ts";
import type { Assets } from "./playground/assets.ts";
import type { Drawings } from "./playground/drawings.ts";
import { addPlaygroundRoutes } from "./playground/routes.ts";
import { securityHeaders } from "./security-headers.ts";

export interface AppParts {
  core: Core;
  /** Without them nobody connects an account. */
  connections: Connections | undefined;
  accounts: AccountsDesk | undefined;
  cards: Cards;
  forms: Forms;
  tokens: TokenBook;
  assets: Assets;
  drawings: Drawings;
  options: HttpOptions;
  /** Ends every event stream when the server stops. */
  stopping: AbortSignal;
}

/** The routes behind their guards. */
export function createApp({
  core,
  connections,
  accounts,
  cards,
  forms,
  tokens,
  assets,
  drawings,
  options,
  stopping,
}: AppParts): Hono<HttpEnv> {
  const { log } = options;
  const limit = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const app = new Hono<HttpEnv>();

  app.use(securityHeaders());
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed(c, methods) {
        const allow = methods.join(", ");
        const message = `${c.req.method} is not possible here; expected ${allow}`;
        return c.json(errorForm("method_not_allowed", message), 405, { allow });
      },
    }),
  );
  app.use(guard(tokens));
  app.use(
    bodyLimit({
      maxSize: limit,
      onError() {
        throw new ApiError(413, "too_large", `body: expected at most ${Math.floor(limit / 1024)} KB`);
      },
    }),
  );

  addStatusRoutes(app, core);
  addChannelRoutes(app, core);
  addTurnRoutes(app, {
    core,
    log,
    stopping,
    keepaliveMs: options.keepaliveMs ?? DEFAULT_KEEPALIVE_MS,
  });
  addApprovalRoutes(app, core);
  addGrantRoutes(app, core);
  addQuestionRoutes(app, core);
  addFileRoutes(app, core);
  if (connections !== undefined) {
    addConnectionRoutes(app, connections);
    addCallbackRoutes(app, connections, { hasTokens: !tokens.empty });
  }
  if (accounts !== undefined) addAccountFragments(app, accounts);
  addPlaygroundRoutes(app, { core, cards, forms, tokens, assets, drawings, options });

  app.notFound((c) =>
    c.json(errorForm("not_found", `No ${c.req.method} ${c.req.path}; the routes are in the README`), 404),
  );
  app.onError((error, c) => {
    const known =
      error instanceof HTTPException
        ? new ApiError(error.status, "bad_request", error.message)
        : toApiError(error);
    if (known.status >= 500)
      log.error({ err: error, method: c.req.method, path: c.req.path }, "request failed");
    return c.json(errorForm(known.code, known.message, known.details), known.status, known.headers);
  });
  return app;
}

import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";

import type { Offers } from "#contract/core.ts";

import { addApprovalRoutes, addGrantRoutes } from "./api/approval-routes.ts";
import { addAuditRoutes } from "./api/audit-routes.ts";
import { addCallbackRoutes, addConnectionRoutes } from "./api/connection-routes.ts";
import { addConversationRoutes } from "./api/conversation-routes.ts";
import { createEventStreams } from "./api/event-stream.ts";
import { addPeopleRoutes } from "./api/people-routes.ts";
import { addQuestionRoutes } from "./api/question-routes.ts";
import { addResultRoutes } from "./api/result-routes.ts";
import { addChannelRoutes, addStatusRoutes } from "./api/status-routes.ts";
import { addFeedbackRoute, addFileRoutes, addTurnRoutes } from "./api/turn-routes.ts";
import { ApiError, errorForm, toApiError } from "./errors.ts";
import { attachOffer, guard } from "./guard.ts";
import type { HttpEnv } from "./identity.ts";
import { addMetricsRoute } from "./metrics.ts";
import { addAccountFragments } from "./page/accounts.ts";
import { noPage, prefersPage } from "./page/frame.ts";
import { addInboxRoutes } from "./page/inbox.ts";
import { addPlaygroundRoutes, type PlaygroundParts } from "./page/routes.ts";
import { addSetupRoutes } from "./page/setup.ts";

const KEEPALIVE_MS = 15_000;
/** Largest request body. */
const BODY_LIMIT_KB = 64;

interface AppParts extends PlaygroundParts {
  offers: Offers;
  /** Ends every event stream when the server stops. */
  stopping: AbortSignal;
}

/** The routes behind their guards. */
export function createApp(parts: AppParts): Hono<HttpEnv> {
  const { offers, tokens, options, stopping } = parts;
  const { log, keepaliveMs = KEEPALIVE_MS } = options;
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
  app.use(guard(parts));
  app.use(attachOffer(offers));
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT_KB * 1024,
      onError() {
        throw new ApiError(413, "too_large", `body: expected at most ${BODY_LIMIT_KB} KB`);
      },
    }),
  );

  addStatusRoutes(app, () => offers.all.core.health());
  addChannelRoutes(app);
  const streams = createEventStreams({ log, stopping, keepaliveMs });
  addTurnRoutes(app, streams);
  addConversationRoutes(app, streams);
  addResultRoutes(app);
  addAuditRoutes(app);
  addMetricsRoute(app, (c) => (c.get("isScraper") === true ? offers.all : c.get("offer"))?.metrics);
  addInboxRoutes(app, parts.cards);
  addApprovalRoutes(app);
  addGrantRoutes(app);
  addQuestionRoutes(app);
  addFileRoutes(app);
  addFeedbackRoute(app);
  addPeopleRoutes(app);
  const { connections, accounts } = offers.all;
  if (connections !== undefined) {
    addConnectionRoutes(app);
    addCallbackRoutes(app, connections, { hasTokens: !tokens.empty });
  }
  if (accounts !== undefined) addAccountFragments(app);
  addPlaygroundRoutes(app, parts);
  if (parts.setup !== undefined) addSetupRoutes(app, parts.setup);

  app.notFound((c) => {
    // A person who follows a wrong link reads a page; programs read what they always did.
    if (c.req.method === "GET" && prefersPage(c.req.header("accept"))) return c.html(noPage(c.req.path), 404);
    const message = `No ${c.req.method} ${c.req.path}; the routes are in the README`;
    return c.json(errorForm("not_found", message), 404);
  });
  app.onError((error, c) => {
    const answer = answerError(error, c);
    if (answer.status >= 500)
      log.error({ err: error, method: c.req.method, path: c.req.path }, "request failed");
    return answer;
  });
  return app;
}

export function answerError(error: Error, c: Context): Response {
  const known =
    error instanceof HTTPException
      ? new ApiError(error.status, "bad_request", error.message)
      : toApiError(error);
  return c.json(errorForm(known.code, known.message, known.details), known.status, known.headers);
}

/**
 * Nothing from elsewhere, nothing inline, no framing. JSON answers carry the same policy: it costs
 * nothing and holds when one is opened as a page. No HSTS: by default this is plain HTTP on loopback.
 */
export function securityHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: "DENY",
    // Not no-referrer: with that, browsers send `Origin: null` with the sign-in form.
    referrerPolicy: "same-origin",
    strictTransportSecurity: false,
    permissionsPolicy: { camera: [], geolocation: [], microphone: [] },
  });
}

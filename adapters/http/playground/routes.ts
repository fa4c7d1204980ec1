import { randomUUID } from "node:crypto";

import type { Hono } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";

import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Turn } from "#contract/turn.ts";

import { unknownTurn } from "../api/answer.ts";
import { hasControlCharacters } from "../api/text.ts";
import { conversationOf } from "../api/wire.ts";
import type { HttpEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { SESSION_COOKIE } from "../guard.ts";
import type { Identity, TokenBook } from "../identity.ts";
import type { HttpOptions } from "../options.ts";
import { addApprovalFragments } from "./approval-routes.ts";
import type { Assets } from "./assets.ts";
import { conversationList } from "./conversations.ts";
import { addFillFragments } from "./fill-routes.ts";
import { grantList } from "./grants.ts";
import { type Drawings, slugOf, styleOf } from "./drawings.ts";
import type { Html } from "./html.ts";
import { page } from "./page.ts";
import { healthLine, panelBody } from "./panel.ts";
import { signInPage } from "./sign-in.ts";
import { addQuestionFragments } from "./question-routes.ts";
import { requiredIdentity } from "./signed-in.ts";
import { turnArticle } from "./turn.ts";

/** Turns drawn at once; a long conversation offers the earlier ones. */
const SHOWN_TURNS = 40;
const SHOWN_CONVERSATIONS = 60;
const SHOWN_EXAMPLES = 6;
const WEEK_SECONDS = 7 * 24 * 3600;

interface PlaygroundParts {
  core: Core;
  cards: Cards;
  forms: Forms;
  tokens: TokenBook;
  assets: Assets;
  drawings: Drawings;
  options: HttpOptions;
}

/**
 * The page and its fragments. Everything is drawn from the store through the core, so a reload or a
 * restart of the server changes nothing; what happens while the page is open goes over the API.
 */
export function addPlaygroundRoutes(
  app: Hono<HttpEnv>,
  { core, cards, forms, tokens, assets, drawings, options }: PlaygroundParts,
): void {
  const list = async (session: string): Promise<Html> =>
    conversationList(await core.conversations("http", SHOWN_CONVERSATIONS), session);

  app.get("/", async (c) => {
    const identity = c.get("identity");
    if (identity === undefined) return c.html(signInPage(undefined), 401);
    const sessionId = readSession(c.req.query("c"));
    const all = await core.conversation(conversationOf(sessionId));
    const turns = c.req.query("all") === "1" ? all : all.slice(-SHOWN_TURNS);
    c.header("cache-control", "no-store");
    return c.html(
      page({
        sessionId,
        title: all[0]?.message.split("\n")[0]?.slice(0, 80),
        identity,
        conversations: await list(sessionId),
        turns: await drawTurns(turns, identity),
        grants: grantList(await core.grants(conversationOf(sessionId)), Date.now()),
        earlier: all.length - turns.length,
        examples: options.examples.slice(0, SHOWN_EXAMPLES),
        health: await core.health(),
        styles: drawings.all.map(styleOf),
      }),
    );
  });

  app.get("/playground/turns/:id", async (c) => {
    const turn = await core.turn(c.req.param("id"));
    if (turn === undefined) throw unknownTurn(c.req.param("id"));
    c.header("cache-control", "no-store");
    return c.html((await drawTurns([turn], requiredIdentity(c)))[0] ?? "");
  });

  app.get("/playground/turns/:id/drawings/:name", async (c) => {
    const { id, name } = c.req.param();
    const drawing = drawings.all.find((one) => slugOf(one) === name);
    const view = drawing === undefined ? undefined : await drawings.view(id);
    if (drawing === undefined || view === undefined) throw unknownTurn(id);
    c.header("cache-control", "no-store");
    return c.html(await drawing.draw(view));
  });

  app.get("/playground/conversations", async (c) => {
    c.header("cache-control", "no-store");
    return c.html(await list(c.req.query("c") ?? ""));
  });

  app.get("/playground/health", async (c) => c.html(healthLine(await core.health())));
  app.get("/playground/panel", async (c) => c.html(panelBody(await core.health(), core.tools())));

  addApprovalFragments(app, { core, forms });
  addFillFragments(app, { core, forms });
  addQuestionFragments(app, { core, forms });

  app.get("/playground/assets/:name", (c) =>
    assets.respond(c.req.param("name"), c.req.header("if-none-match")),
  );

  app.post("/session", async (c) => {
    if (tokens.empty)
      throw new ApiError(404, "not_found", "No tokens are configured, so there is nothing to sign in to");
    const { token } = await c.req.parseBody();
    const cookie = typeof token === "string" ? tokens.cookieFor(token.trim()) : undefined;
    if (cookie === undefined)
      return c.html(signInPage("This token is not known. Check it, or ask for a new one."), 401);
    const secure = c.req.header("x-forwarded-proto") === "https";
    setCookie(c, SESSION_COOKIE, cookie, {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      maxAge: WEEK_SECONDS,
      secure,
    });
    return c.redirect("/", 303);
  });

  app.delete("/session", (c) => {
    deleteCookie(c, SESSION_COOKIE, { path: "/" });
    return c.body(null, 204);
  });

  async function drawTurns(turns: Turn[], identity: Identity): Promise<Html[]> {
    const conversations = [...new Set(turns.map((turn) => turn.conversationId))];
    const approvals = (
      await Promise.all(conversations.map((conversationId) => core.approvals({ conversationId })))
    ).flat();
    return turns.map((turn) => {
      const own = approvals.filter((approval) => approval.turnId === turn.id);
      return turnArticle(
        turn,
        own.toSorted((a, b) => a.createdAt - b.createdAt),
        cards,
        identity,
        drawings.all,
      );
    });
  }
}

function readSession(given: string | undefined): string {
  const usable =
    given !== undefined && given.trim() !== "" && given.length <= 128 && !hasControlCharacters(given);
  return usable ? given : randomUUID();
}

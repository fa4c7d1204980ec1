import { randomUUID } from "node:crypto";
import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

import type { Approval } from "#contract/approval.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Turn } from "#contract/turn.ts";

import { hasControlCharacters } from "../api/bodies.ts";
import { conversationOf } from "../api/wire.ts";
import { ApiError, notFound } from "../errors.ts";
import { checkToken, type GuardParts, SESSION_COOKIE } from "../guard.ts";
import { type HttpEnv, type Identity, offerOf, requiredIdentity, SESSION_SECONDS } from "../identity.ts";
import type { HttpOptions } from "../options.ts";
import { grantList } from "./approval.ts";
import type { Assets } from "./assets.ts";
import { type Drawing, slugOf, styleOf } from "./drawings.ts";
import { addApprovalFragments, addFillFragments, addQuestionFragments } from "./form-routes.ts";
import { fragment, type Html } from "./html.ts";
import { addNextRoute } from "./next.ts";
import { conversationList, page, signInPage } from "./page.ts";
import { healthLine, panelBody } from "./panel.ts";
import { turnArticle } from "./turn.ts";

/** Turns drawn at once; a long conversation offers the earlier ones. */
const SHOWN_TURNS = 40;
const SHOWN_CONVERSATIONS = 60;
const SHOWN_EXAMPLES = 6;

export interface PlaygroundParts extends GuardParts {
  cards: Cards;
  forms: Forms;
  assets: Assets;
  drawings: readonly Drawing[];
  options: HttpOptions;
}

/**
 * The page and its fragments. Everything is drawn from the store through the core, so a reload or a
 * restart of the server changes nothing; what happens while the page is open goes over the API.
 */
export function addPlaygroundRoutes(app: Hono<HttpEnv>, parts: PlaygroundParts): void {
  const { cards, forms, tokens, sessions, assets, drawings, options } = parts;

  app.get("/", async (c) => {
    const identity = c.get("identity");
    if (identity === undefined) return c.html(signInPage(undefined), 401);
    const { core } = offerOf(c);
    const sessionId = readSession(c.req.query("c"));
    const conversationId = conversationOf(sessionId);
    const all = await core.conversation(conversationId);
    const turns = c.req.query("all") === "1" ? all : all.slice(-SHOWN_TURNS);
    return fragment(
      c,
      page({
        sessionId,
        title: all[0]?.message.split("\n")[0]?.slice(0, 80),
        identity,
        conversations: await listConversations(c, sessionId),
        turns:
          all.length === 0
            ? drawRequests(await core.approvals({ conversationId }), identity)
            : await drawTurns(core, conversationId, turns, identity),
        grants: grantList(await core.grants(conversationId)),
        earlier: all.length - turns.length,
        examples: options.examples.slice(0, SHOWN_EXAMPLES),
        health: await core.health(),
        styles: drawings.map(styleOf),
      }),
    );
  });

  app.get("/playground/turns/:id", async (c) => {
    const { core } = offerOf(c);
    const id = c.req.param("id");
    const identity = requiredIdentity(c);
    const turn = await core.turn(id);
    const [drawn] =
      turn === undefined
        ? drawRequests(await core.approvals({ turnId: id }), identity)
        : await drawTurns(core, turn.conversationId, [turn], identity);
    if (drawn === undefined) throw notFound("turn", id);
    return fragment(c, drawn);
  });

  app.get("/playground/turns/:id/drawings/:name", async (c) => {
    const { id, name } = c.req.param();
    const drawing = drawings.find((one) => slugOf(one) === name);
    const view = drawing === undefined ? undefined : await offerOf(c).view(id);
    if (drawing === undefined || view === undefined) throw notFound("turn", id);
    return fragment(c, await drawing.draw(view));
  });

  app.get("/playground/conversations", async (c) =>
    fragment(c, await listConversations(c, c.req.query("c") ?? "")),
  );

  app.get("/playground/health", async (c) => c.html(healthLine(await offerOf(c).core.health())));
  app.get("/playground/panel", async (c) => {
    const { core } = offerOf(c);
    return c.html(panelBody(await core.health(), core.tools()));
  });

  addApprovalFragments(app, forms);
  addFillFragments(app, forms);
  addNextRoute(app);
  addQuestionFragments(app, forms);

  app.get("/playground/assets/:name", (c) =>
    assets.respond(c.req.param("name"), c.req.header("if-none-match")),
  );

  app.post("/session", async (c) => {
    if (tokens.empty)
      throw new ApiError(404, "not_found", "No tokens are configured, so there is nothing to sign in to");
    const { token } = await c.req.parseBody();
    const given = typeof token === "string" ? token.trim() : "";
    try {
      if (checkToken(c, parts, given) === undefined)
        return c.html(signInPage("This token is not known. Check it, or ask for a new one."), 401);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return c.html(signInPage(error.message), error.status, error.headers);
    }
    const before = getCookie(c, SESSION_COOKIE);
    if (before !== undefined) await sessions.end(before);
    setCookie(c, SESSION_COOKIE, await sessions.begin(given), {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      maxAge: SESSION_SECONDS,
      secure: c.req.header("x-forwarded-proto") === "https",
    });
    return c.redirect("/", 303);
  });

  /** Ends the session of this browser; with `everywhere=1` all of the person who asks. */
  app.delete("/session", async (c) => {
    const identity = c.get("identity");
    const cookie = getCookie(c, SESSION_COOKIE);
    if (cookie !== undefined) await sessions.end(cookie);
    if (identity?.mode === "token" && c.req.query("everywhere") === "1")
      await sessions.endAll(identity.actor);
    deleteCookie(c, SESSION_COOKIE, { path: "/" });
    return c.body(null, 204);
  });

  async function drawTurns(
    core: Core,
    conversationId: string,
    turns: Turn[],
    identity: Identity,
  ): Promise<Html[]> {
    const approvals = await core.approvals({ conversationId });
    return turns.map((turn) => turnArticle(turn, ofTurn(approvals, turn.id), cards, identity, drawings));
  }

  /** Draws requests that the viewer may decide although they do not see their turns. */
  function drawRequests(approvals: Approval[], identity: Identity): Html[] {
    const turns = new Map(approvals.toReversed().map((one) => [one.turnId, turnAround(one)]));
    return [...turns.values()].map((turn) => turnArticle(turn, ofTurn(approvals, turn.id), cards, identity));
  }
}

async function listConversations(c: Context<HttpEnv>, session: string): Promise<Html> {
  const { core } = offerOf(c);
  const conversations = await core.conversations({ surface: "http", limit: SHOWN_CONVERSATIONS });
  return conversationList(conversations, await waitingElsewhere(core, c.get("identity")), session);
}

/** Requests the viewer may decide in conversations that they do not see. */
async function waitingElsewhere(core: Core, identity: Identity | undefined): Promise<Approval[]> {
  if (identity?.mode !== "token" || identity.isOperator) return [];
  const waiting = await core.approvalsFor(identity.actor);
  const approvals = waiting.filter(({ channel }) => channel.startsWith("http:"));
  const seen = await Promise.all(approvals.map(({ turnId }) => core.turn(turnId)));
  return approvals.filter((_, index) => seen[index] === undefined);
}

/** The turn's requests, oldest first. */
function ofTurn(approvals: Approval[], turnId: string): Approval[] {
  return approvals.filter((one) => one.turnId === turnId).toSorted((a, b) => a.createdAt - b.createdAt);
}

/** Builds a turn from what its request tells. */
function turnAround({ turnId, requestedBy, conversationId, channel, createdAt, state }: Approval): Turn {
  return {
    id: turnId,
    surface: "http",
    actor: requestedBy,
    conversationId,
    channel,
    message: "Asks for a countersignature. What was said is shown to those who take part.",
    state: state === "pending" || state === "unknown" ? "pending_confirmation" : "done",
    createdAt,
    updatedAt: createdAt,
  };
}

function readSession(given: string | undefined): string {
  const usable =
    given !== undefined && given.trim() !== "" && given.length <= 128 && !hasControlCharacters(given);
  return usable ? given : randomUUID();
}

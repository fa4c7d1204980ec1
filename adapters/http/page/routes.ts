import { randomUUID } from "node:crypto";

import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

import type { Approval } from "#contract/approval.ts";
import type { TurnPage } from "#contract/conversation.ts";
import type { Cards, CommandInfo, Core, ToolListing } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { JsonObject } from "#contract/json.ts";
import type { SetupPage } from "#contract/setup.ts";
import type { Turn } from "#contract/turn.ts";
import { isObject } from "#src/base/json.ts";

import { findConversation, readPlace } from "../api/conversation-routes.ts";
import { conversationOf } from "../api/wire.ts";
import { ApiError, notFound } from "../errors.ts";
import { checkToken, type GuardParts, SESSION_COOKIE } from "../guard.ts";
import {
  type HttpEnv,
  type Identity,
  offerOf,
  requiredIdentity,
  SESSION_SECONDS,
  type Sessions,
  viewerOf,
} from "../identity.ts";
import type { HttpOptions } from "../options.ts";
import { grantList, viewingOf } from "./approval.ts";
import type { Assets } from "./assets.ts";
import { conversationList, noConversation, noTurn } from "./conversations.ts";
import { type Drawing, slugOf, styleOf } from "./drawings.ts";
import { addApprovalFragments, addFillFragments, addQuestionFragments } from "./form-routes.ts";
import { fragment, type Html } from "./html.ts";
import { addNextRoute } from "./next.ts";
import { page, signInPage, threadPart } from "./page.ts";
import { healthLine, panelBody, troubles } from "./panel.ts";
import { turnArticle } from "./turn.ts";

/** Turns drawn at once; a long conversation offers the others. */
const SHOWN_TURNS = 20;
/** Turns before the one that a link names. */
const LEAD_TURNS = 4;
const SHOWN_CONVERSATIONS = 60;
const MOST_CONVERSATIONS = 500;
const SHOWN_EXAMPLES = 6;

export interface PlaygroundParts extends GuardParts {
  sessions: Sessions;
  cards: Cards;
  forms: Forms;
  assets: Assets;
  drawings: readonly Drawing[];
  options: HttpOptions;
  /** Where this machine's own page may set the product up. */
  setup?: SetupPage;
}

/**
 * The page and its fragments. Everything is drawn from the store through the core, so a reload or a
 * restart of the server changes nothing; what happens while the page is open goes over the API.
 */
export function addPlaygroundRoutes(app: Hono<HttpEnv>, parts: PlaygroundParts): void {
  const { cards, forms, tokens, sessions, assets, drawings, options } = parts;

  app.get("/", async (c) => {
    const identity = c.get("identity");
    if (identity === undefined) return c.html(signInPage(undefined, pathOf(c.req.url)), 401);
    const { core } = offerOf(c);
    // Before anything is read: what changes meanwhile is told once the page follows.
    const change = await core.lastChange();
    const given = c.req.query("c");
    const sessionId = given ?? randomUUID();
    const drawn = given === undefined ? {} : await drawConversation(c, identity, given);
    const isHere = drawn !== undefined && !("missing" in drawn);
    c.status(isHere ? 200 : 404);
    return fragment(
      c,
      page({
        sessionId,
        identity,
        conversations: await listConversations(c, sessionId),
        title: drawn?.title,
        thread: drawn === undefined ? noConversation(sessionId) : (drawn.missing ?? drawn.thread),
        isHere,
        change,
        grants: isHere ? grantList(await core.grants(conversationOf(sessionId))) : "",
        examples: options.examples.slice(0, SHOWN_EXAMPLES),
        isDemo: parts.setup?.isFirst === true,
        health: await core.health(),
        styles: drawings.map(styleOf),
      }),
      isHere ? 200 : 404,
    );
  });

  /** More of a conversation, from a place on, with what leads further. */
  app.get("/playground/thread", async (c) => {
    const { core } = offerOf(c);
    const { conversationId } = await findConversation(core, c.req.query("c") ?? "");
    const place = readPlace(c);
    const found = await core.turnPage(conversationId, place, SHOWN_TURNS);
    const isOneWay = typeof place === "object";
    const turns = await drawTurns(c, conversationId, found.turns, requiredIdentity(c));
    return fragment(
      c,
      threadPart({
        turns,
        earlier: isOneWay && "after" in place ? 0 : found.earlier,
        later: isOneWay && "before" in place ? 0 : found.later,
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
        : await drawTurns(c, turn.conversationId, [turn], identity);
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

  app.get("/playground/health", async (c) => fragment(c, healthLine(await offerOf(c).core.health())));
  app.get("/playground/commands", async (c) => {
    const { core, connections, accounts } = offerOf(c);
    const asked =
      accounts === undefined ? [] : await connections?.accounts({ actor: viewerOf(c), channel: "" });
    return c.json({ commands: completions(core, (asked ?? []).length > 0) });
  });
  app.get("/playground/troubles", async (c) => fragment(c, troubles(await offerOf(c).core.health())));
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
    const { token, next: wanted } = await c.req.parseBody();
    // A path of this server: two slashes would name another one.
    const next = typeof wanted === "string" && /^\/(?![/\\])/.test(wanted) ? wanted : "/";
    const given = typeof token === "string" ? token.trim() : "";
    try {
      if (checkToken(c, parts, given) === undefined)
        return c.html(signInPage("This token is not known. Check it, or ask for a new one.", next), 401);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return c.html(signInPage(error.message, next), error.status, error.headers);
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
    return c.redirect(next, 303);
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

  /** The part of a conversation that an address names; undefined where there is no such conversation. */
  async function drawConversation(
    c: Context<HttpEnv>,
    identity: Identity,
    session: string,
  ): Promise<{ title?: string; thread?: Html; missing?: Html } | undefined> {
    const { core } = offerOf(c);
    const conversationId = conversationOf(session);
    const [summary] = await core.conversations({ surface: "http", limit: 1, conversationId });
    if (summary === undefined) {
      const requests = drawRequests(await core.approvals({ conversationId }), identity);
      if (requests.length === 0) return undefined;
      return { thread: threadPart({ turns: requests, earlier: 0, later: 0 }) };
    }
    const { title } = summary;
    const wanted = c.req.query("t");
    const turn = wanted === undefined ? undefined : await core.turn(wanted);
    if (wanted !== undefined && turn?.conversationId !== conversationId)
      return { title, missing: noTurn(wanted, session) };
    const { turns, earlier, later } = await pageAround(core, conversationId, turn);
    return {
      title,
      thread: threadPart({
        turns: await drawTurns(c, conversationId, turns, identity),
        earlier,
        later,
      }),
    };
  }

  async function drawTurns(
    c: Context<HttpEnv>,
    conversationId: string,
    turns: Turn[],
    identity: Identity,
  ): Promise<Html[]> {
    const { core } = offerOf(c);
    const [approvals, ratings] = await Promise.all([
      core.approvals({ conversationId }),
      core.ratings({ conversationId, actor: viewerOf(c) }),
    ]);
    const rated = new Map(ratings.map(({ turnId, verdict }) => [turnId, verdict]));
    const viewing = await viewingOf(identity, approvals, core);
    return turns.map((turn) =>
      turnArticle(turn, ofTurn(approvals, turn.id), cards, viewing, drawings, rated.get(turn.id)),
    );
  }

  /** Draws requests that the viewer may decide although they do not see their turns. */
  function drawRequests(approvals: Approval[], identity: Identity): Html[] {
    const turns = new Map(approvals.toReversed().map((one) => [one.turnId, turnAround(one)]));
    return [...turns.values()].map((turn) => turnArticle(turn, ofTurn(approvals, turn.id), cards, identity));
  }
}

/** The newest turns, or those around one. */
async function pageAround(core: Core, conversationId: string, turn: Turn | undefined): Promise<TurnPage> {
  if (turn === undefined) return core.turnPage(conversationId, "end", SHOWN_TURNS);
  const before = await core.turnPage(conversationId, { before: turn.id }, LEAD_TURNS);
  const after = await core.turnPage(conversationId, { after: turn.id }, SHOWN_TURNS - LEAD_TURNS);
  return { turns: [...before.turns, turn, ...after.turns], earlier: before.earlier, later: after.later };
}

async function listConversations(c: Context<HttpEnv>, current: string): Promise<Html> {
  const { core } = offerOf(c);
  const query = (c.req.query("q") ?? "").trim().slice(0, 200);
  const wanted = Number(c.req.query("limit"));
  const limit =
    wanted > SHOWN_CONVERSATIONS ? Math.min(Math.floor(wanted), MOST_CONVERSATIONS) : SHOWN_CONVERSATIONS;
  const found = await core.conversations({ surface: "http", limit: limit + 1, query });
  const waiting = query === "" ? await waitingElsewhere(core, c.get("identity")) : [];
  const isMore = found.length > limit && limit < MOST_CONVERSATIONS;
  return conversationList({
    conversations: found.slice(0, limit),
    waiting,
    current,
    query,
    ...(isMore && { next: limit + SHOWN_CONVERSATIONS }),
  });
}

/** The path and query of an address. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
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
  // Those of one moment by their ids, which are in the order in which they were asked for.
  return approvals
    .filter((one) => one.turnId === turnId)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Builds a turn from what its request tells. */
function turnAround({ turnId, requestedBy, conversationId, channel, createdAt, state }: Approval): Turn {
  return {
    id: turnId,
    surface: "http",
    actor: requestedBy,
    conversationId,
    channel,
    message: "(What was written is shown to those who take part.)",
    state: state === "pending" || state === "unknown" ? "pending_confirmation" : "done",
    createdAt,
    updatedAt: createdAt,
  };
}

/** A command as it is typed, with what it does and what it takes. */
interface Completion {
  text: string;
  about: string;
  args: { name: string; required: boolean }[];
}

/** More than these nobody reads while typing. */
const MOST_ARGUMENTS = 8;

/** What can be typed after a slash, in the order of the configuration. */
function completions(core: Pick<Core, "commands" | "tools">, hasAccounts = false): Completion[] {
  const tools = core.tools();
  const connect = { text: "/connect", about: "Your accounts and sites with servers", args: [] };
  return [
    ...core.commands().flatMap((command) => ofCommand(command, tools)),
    ...(hasAccounts ? [connect] : []),
  ];
}

function ofCommand(
  { name, server, defaultTool, defaultArgs, subcommands }: CommandInfo,
  tools: readonly ToolListing[],
): Completion[] {
  const find = (tool: string): ToolListing | undefined =>
    tools.find((one) => one.tool.id === `${server}.${tool}`);
  const own = [
    ...(defaultTool === undefined ? [] : [{ text: `/${name}`, tool: defaultTool, args: defaultArgs }]),
    ...subcommands.map(({ name: sub, tool, args }) => ({ text: `/${name} ${sub}`, tool, args })),
  ].flatMap(({ text, tool, args }) => {
    const listing = find(tool);
    // What policy refuses, or what is not there now, is not offered.
    if (listing === undefined || listing.decision === "deny") return [];
    return [{ text, about: aboutOf(listing), args: argumentsOf(listing.tool.inputSchema, args ?? {}) }];
  });
  return [...own, { text: `/${name} help`, about: `What /${name} can do`, args: [] }];
}

/** The first sentence of what a tool says of itself. */
function aboutOf({ tool: { title, description } }: ToolListing): string {
  const sentence = /^[^\n]*?[.!?](?=\s|$)|^[^\n]*/.exec(description.trim())?.[0] ?? "";
  const about = sentence === "" ? (title ?? "") : sentence;
  return about.length > 120 ? `${about.slice(0, 119).trimEnd()}…` : about;
}

/** Those that a person types: what is required first. */
function argumentsOf({ properties, required }: JsonObject, set: JsonObject): Completion["args"] {
  if (!isObject(properties)) return [];
  const args = Object.keys(properties)
    .filter((name) => !Object.hasOwn(set, name))
    .map((name) => ({ name, required: Array.isArray(required) && required.includes(name) }));
  return args.toSorted((a, b) => Number(b.required) - Number(a.required)).slice(0, MOST_ARGUMENTS);
}

import { isFields } from "../json.ts";
import { type Structure, structureFor } from "../structure.ts";
import { SlackError } from "../types.ts";
import type { Fields, Sent, Team, World } from "../types.ts";
import type { RateLimiter } from "../rate.ts";
import { teamsOfToken } from "../world.ts";
import { agents } from "./agents.ts";
import { nested, parseArguments, text } from "./arguments.ts";
import type { RequestBody } from "./arguments.ts";
import { chat } from "./chat.ts";
import { conversations } from "./conversations.ts";
import { directory } from "./directory.ts";
import { files } from "./files.ts";
import type { Context, Method, Methods } from "./method.ts";
import { oauth } from "./oauth.ts";
import { reactions } from "./reactions.ts";
import { streams } from "./streams.ts";
import { views } from "./views.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Fields;
}

interface Result {
  body: Fields;
  /** Seconds until the call is taken; 0 when it was. */
  wait: number;
  /** Of the token. */
  scopes?: readonly string[] | undefined;
}

export interface Dispatch {
  (method: string, body: RequestBody, query: URLSearchParams, authorization: string): Answer;
}

const methods: Methods = {
  ...agents,
  ...chat,
  ...conversations,
  ...directory,
  ...files,
  ...oauth,
  ...reactions,
  ...streams,
  ...views,
};

/** Calls whose arguments a person gets to see. */
const shown = /^(chat\.(post|update|startStream|appendStream|stopStream)|views\.|files\.complete)/;

/** Answers calls of the Web API: token, scope, rate limit, then the method itself. */
export function createDispatch(
  world: World,
  structure: Structure,
  limiter: RateLimiter,
  ticket: () => string,
): Dispatch {
  const answer = (name: string, args: Fields, authorization: string): Result => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) throw new SlackError("unknown_method", { req_method: name });
    const team = authenticate(world, method, args, tokenOf(args, authorization));
    const wait = limiter.take(name, team?.id ?? "app", args);
    if (wait > 0) return { body: { ok: false, error: "ratelimited" }, wait };
    // Methods without a bot token never look at the workspace.
    const known = team === undefined ? structure : structureFor(structure, team.unknownBlocks);
    const context: Context = { world, structure: known, team: team as Team, ticket };
    return { body: { ok: true, ...method.run(args, context) }, wait: 0, scopes: team?.scopes };
  };

  return (name, requestBody, query, authorization) => {
    let args: Fields = {};
    let result: Result;
    try {
      args = parseArguments(requestBody, query);
      result = answer(name, args, authorization);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      result = { body: { ok: false, error: error.code, ...error.extra }, wait: 0 };
    }
    const { body, wait } = result;
    const error = body.ok === true ? undefined : String(body.error);
    world.calls.push({
      method: name,
      at: world.clock.now(),
      args,
      error,
      token: tokenOf(args, authorization),
    });
    // What was turned away with 429 was not looked at, and is sent again.
    if (shown.test(name) && wait === 0) world.sent.push(sentBy(world, name, args, body));
    world.changed();
    const headers: Record<string, string> = {
      ...(wait > 0 ? { "retry-after": String(wait) } : {}),
      ...(result.scopes === undefined ? {} : { "x-oauth-scopes": result.scopes.join(",") }),
    };
    return { status: wait > 0 ? 429 : 200, headers, body };
  };
}

function tokenOf(args: Fields, authorization: string): string {
  return text(args, "token") ?? authorization.replace(/^Bearer /i, "");
}

function authenticate(world: World, method: Method, args: Fields, token: string): Team | undefined {
  if (method.token === "none") return undefined;
  if (token === "") throw new SlackError("not_authed");
  if (method.token === "app") {
    if (token === world.app.appToken) return undefined;
    throw new SlackError(token.startsWith("xapp-") ? "invalid_auth" : "not_allowed_token_type");
  }
  const teams = teamsOfToken(world, token);
  // A token of an organisation says which workspace it means, or its channel does.
  const team =
    teams.find(({ id }) => id === text(args, "team_id")) ??
    teams.find(({ id }) => id === world.channels.get(text(args, "channel") ?? "")?.team) ??
    teams[0];
  if (team === undefined) {
    const dead = world.deadTokens.get(token);
    throw new SlackError(dead ?? (token === world.app.appToken ? "not_allowed_token_type" : "invalid_auth"));
  }
  const { scopes } = method;
  if (scopes !== undefined && !scopes.some((scope) => team.scopes.includes(scope))) {
    throw new SlackError("missing_scope", { needed: scopes[0], provided: team.scopes.join(",") });
  }
  return team;
}

function sentBy(world: World, method: string, args: Fields, body: Fields): Sent {
  return toSent(world, method, {
    ...args,
    blocks: quietly(args, "blocks") ?? [],
    view: quietly(args, "view"),
    ts: text(args, "ts") ?? body.ts ?? body.message_ts,
    ...(body.ok === true ? {} : { error: body.error, problems: problemsOf(body) }),
  });
}

/** Writes down one thing that the app gave to be shown. */
export function toSent(world: World, method: string, args: Fields): Sent {
  return {
    method,
    at: world.clock.now(),
    channel: text(args, "channel") ?? text(args, "channel_id"),
    ts: text(args, "ts"),
    user: text(args, "user") ?? text(args, "user_id"),
    text: text(args, "text") ?? text(args, "markdown_text") ?? text(args, "initial_comment"),
    blocks: Array.isArray(args.blocks) ? (args.blocks as Sent["blocks"]) : [],
    view: isFields(args.view) ? args.view : undefined,
    problems: Array.isArray(args.problems) ? args.problems.map(String) : [],
    error: text(args, "error"),
  };
}

export function problemsOf(body: Fields): string[] {
  const metadata = body.response_metadata;
  const messages =
    isFields(metadata) && Array.isArray(metadata.messages) ? metadata.messages.map(String) : [];
  return messages.length > 0 ? messages : [String(body.error)];
}

function quietly(args: Fields, name: string): unknown {
  try {
    return nested(args, name);
  } catch {
    return undefined;
  }
}

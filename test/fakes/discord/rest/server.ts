import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { isFields } from "../../slack/json.ts";
import { DiscordError, notFound, unauthorized } from "../errors.ts";
import type { Call, Fields, World } from "../types.ts";
import { channelRoutes } from "./channels.ts";
import { commandRoutes } from "./commands.ts";
import { createFailures } from "./failures.ts";
import type { Failures } from "./failures.ts";
import { guildRoutes } from "./guilds.ts";
import { callbackRoutes } from "./interactions.ts";
import { messageRoutes } from "./messages.ts";
import { NAME, OLDER } from "./rate.ts";
import type { RateLimiter, Turned } from "./rate.ts";
import { readRequest } from "./request.ts";
import type { Body } from "./request.ts";
import type { Context, Route } from "./route.ts";
import { webhookRoutes } from "./webhooks.ts";

const routes: readonly Route[] = [
  ...guildRoutes,
  ...messageRoutes,
  ...channelRoutes,
  ...commandRoutes,
  ...callbackRoutes,
  ...webhookRoutes,
];

const HOUR_MS = 3_600_000;

export interface RestSetup {
  world: World;
  limiter: RateLimiter;
  gatewayUrl(): string;
  concurrency: number;
  /** Answers what is not the API; false leaves it. */
  page(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean>;
}

export interface Rest extends Pick<Failures, "fail"> {
  server: Server;
  /** Answers with 401, 403 or 429 so far: 10,000 in ten minutes ban an address. */
  invalidRequests(): number;
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export function createRest(setup: RestSetup): Rest {
  const { world } = setup;
  const failures = createFailures();
  let invalid = 0;

  const api = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const method = request.method ?? "GET";
    const path = url.pathname.replace(/^\/api(\/v\d+)?/, "");
    const matched = match(method, path);
    const name = nameOf(method, matched?.route.pattern ?? path);
    const call: Call = {
      method,
      path,
      route: name,
      at: world.clock.now(),
      body: {},
      files: [],
      status: 0,
      code: 0,
    };
    const failure = failures.take(name);
    let answer: Answer;
    try {
      const body = await readRequest(request);
      call.body = isFields(body.body) ? body.body : { list: body.body };
      call.files = body.files.map(({ name }) => name);
      if (failure !== undefined && failure.after !== true) return lose(response, failure.status);
      answer = perform(matched, { request, url, body, call });
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      note(world, call, error);
      call.code = error.code;
      answer = { status: error.status, body: errorShape(error) };
    }
    call.status = answer.status;
    world.calls.push(call);
    if ([401, 403, 429].includes(answer.status) && answer.headers?.["x-ratelimit-scope"] !== "shared")
      invalid += 1;
    if (failure !== undefined) lose(response, failure.status);
    else send(response, answer);
    world.changed();
  };

  const perform = (
    matched: ReturnType<typeof match>,
    { request, url, body, call }: { request: IncomingMessage; url: URL; body: Body; call: Call },
  ): Answer => {
    if (matched === undefined) throw notFound();
    const { route, params } = matched;
    if (route.open !== true && request.headers.authorization !== `Bot ${world.app.token}`)
      throw unauthorized();
    const bucket = bucketOf(world, call, params);
    const major = params.channel ?? params.guild ?? params.token ?? "";
    const { headers, turned, ignored } = setup.limiter.take(bucket, major, route.open === true);
    if (ignored) {
      world.violations.push({
        kind: "rate limit",
        where: call.route,
        problem: "sent again before retry_after was over",
      });
    }
    if (turned !== undefined) return tooMany(turned, headers, bucket === OLDER);
    const context: Context = {
      world,
      route: call.route,
      params,
      query: url.searchParams,
      body: isFields(body.body) ? body.body : {},
      list: Array.isArray(body.body) ? (body.body as unknown[]) : [],
      files: body.files,
      gatewayUrl: setup.gatewayUrl(),
      concurrency: setup.concurrency,
      accept(form, under) {
        for (const field of form.unknown) {
          world.violations.push({ kind: "unknown field", where: call.route, problem: field });
        }
        form.refuse(under);
      },
    };
    try {
      const result = route.handle(context);
      return { status: result === undefined ? 204 : 200, body: result, headers };
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      note(world, call, error);
      call.code = error.code;
      return { status: error.status, body: errorShape(error), headers };
    }
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://fake");
    const work = async (): Promise<void> => {
      if (url.pathname.startsWith("/api/")) return api(request, response, url);
      if (url.pathname.startsWith("/attachments/")) return download(world, url, response);
      if (!(await setup.page(request, response, url))) response.writeHead(404).end("not found");
    };
    work().catch((error: unknown) => {
      // A fault of the fake itself: it must be seen, not retried quietly.
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      world.violations.push({
        kind: "form",
        where: `${request.method} ${url.pathname}`,
        problem: `the fake failed: ${message}`,
      });
      if (!response.headersSent) response.writeHead(501, { "content-type": "text/plain" });
      response.end(`the fake failed: ${message}`);
    });
  });
  return { server, invalidRequests: () => invalid, fail: (route, failure) => failures.fail(route, failure) };
}

function match(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
  const parts = path.split("/");
  for (const route of routes) {
    if (route.method !== method) continue;
    const pattern = route.pattern.split("/");
    if (pattern.length !== parts.length) continue;
    if (!pattern.every((piece, i) => piece.startsWith(":") || piece === parts[i])) continue;
    const named = pattern.flatMap((piece, i) =>
      piece.startsWith(":") ? [[piece.slice(1), decodeURIComponent(parts[i] ?? "")] as const] : [],
    );
    return { route, params: Object.fromEntries(named) };
  }
  return undefined;
}

/** `POST /channels/:id/messages`: the name of a route, with what is secret or varies left out. */
function nameOf(method: string, pattern: string): string {
  return `${method} ${pattern.replaceAll(/:(?!token|emoji)\w+/g, ":id")}`;
}

/** Some requests of a route have a limit of their own. */
function bucketOf(world: World, { method, route, body }: Call, params: Record<string, string>): string {
  if (method !== "PATCH" || params.channel === undefined) return route;
  if (params.message === undefined) return body.name === undefined ? route : NAME;
  const message = world.byId.get(params.message);
  return message !== undefined && world.clock.now() - message.createdAt > HOUR_MS ? OLDER : route;
}

function tooMany({ retryAfterMs, scope }: Turned, headers: Record<string, string>, older: boolean): Answer {
  const retry_after = retryAfterMs / 1000;
  const body = older
    ? {
        message: "Maximum number of edits to messages older than 1 hour reached. Try again later",
        code: 30_046,
      }
    : { message: "You are being rate limited." };
  return {
    status: 429,
    body: { ...body, retry_after, global: scope === "global" },
    headers: {
      ...headers,
      // discord.js waits for what this header says, so it is exact.
      "retry-after": String(retry_after),
      "x-ratelimit-scope": scope,
      via: "1.1 fake",
      ...(scope === "global" ? { "x-ratelimit-global": "true" } : {}),
    },
  };
}

function note(world: World, call: Call, error: DiscordError): void {
  const where = call.route;
  const inForm = [50_035, 50_006, 50_109, 40_005].includes(error.code) || error.status === 404;
  const late = [40_060, 10_062, 10_015, 50_027].includes(error.code);
  if (late) world.violations.push({ kind: "interaction", where, problem: `${error.code} ${error.message}` });
  // An unknown thing may be somebody else's doing; an unknown route is not.
  else if (inForm && (error.status !== 404 || error.code === 0)) {
    const detail = error.errors === undefined ? error.message : JSON.stringify(error.errors);
    world.violations.push({
      kind: "form",
      where: error.code === 0 ? `${call.method} ${call.path}` : where,
      problem: detail,
    });
  }
}

function errorShape({ message, code, errors }: DiscordError): Fields {
  return errors === undefined ? { message, code } : { message, code, errors };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (status === 204) return void response.writeHead(204, headers).end();
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
}

function lose(response: ServerResponse, status: number): void {
  if (status === 0) response.destroy();
  else response.writeHead(status, { "content-type": "text/plain" }).end("upstream fault");
}

function download(world: World, url: URL, response: ServerResponse): void {
  const file = world.files.get(url.pathname.split("/")[2] ?? "");
  if (file === undefined) return void response.writeHead(404).end("not found");
  response
    .writeHead(200, {
      "content-type": file.contentType,
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
      "x-content-type-options": "nosniff",
    })
    .end(file.content);
}

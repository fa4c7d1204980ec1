import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { readBody } from "./api/arguments.ts";
import type { Dispatch } from "./api/dispatch.ts";
import { consentCode } from "./api/oauth.ts";
import { useResponseUrl } from "./respond.ts";
import { isFields } from "./json.ts";
import type { Structure } from "./structure.ts";
import { SlackError } from "./types.ts";
import type { Fields, World } from "./types.ts";

/** Answers a request that is not the API's; false leaves it. */
export type Route = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>;

export interface ServerSetup {
  world: World;
  structure: Structure;
  dispatch: Dispatch;
  page: Route;
}

export function createFakeServer(setup: ServerSetup): Server {
  return createServer((request, response) => {
    handle(setup, request, response).catch((error: unknown) => {
      // A fault of the fake itself: it must be seen, not retried quietly.
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(`the fake failed: ${message}`);
    });
  });
}

async function handle(setup: ServerSetup, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake");
  const [, root = "", name = ""] = url.pathname.split("/");
  switch (root) {
    case "api":
      return api(setup, name, request, response, url);
    case "upload":
      return upload(setup.world, name, request, response);
    case "files":
      return download(setup.world, name, response);
    case "response":
      return respond(setup, name, request, response);
    case "oauth":
      return consent(setup.world, url, response);
    default:
      if (!(await setup.page(request, response, url))) response.writeHead(404).end("not found");
  }
}

async function api(
  { dispatch }: ServerSetup,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const body = await readBody(request);
  const answer = dispatch(name, body, url.searchParams, request.headers.authorization ?? "");
  json(response, answer.status, answer.body, answer.headers);
}

async function upload(
  world: World,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { raw, type } = await readBody(request);
  const file = world.files.get(id);
  if (file === undefined || file.content !== undefined)
    return void response.writeHead(404).end("invalid_url");
  const content = type.startsWith("multipart/form-data") ? await firstPart(raw, type) : raw;
  if (content.length !== file.length) return void response.writeHead(400).end("length_mismatch");
  file.content = content;
  world.changed();
  response.writeHead(200).end(`OK - ${content.length}`);
}

async function firstPart(raw: Buffer, type: string): Promise<Buffer> {
  const body = new Uint8Array(raw);
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const [part] = [...form.values()];
  return part instanceof Blob ? Buffer.from(await part.arrayBuffer()) : Buffer.from(part ?? "");
}

function download(world: World, id: string, response: ServerResponse): void {
  const file = world.files.get(id);
  if (file?.content === undefined) return void response.writeHead(404).end("not found");
  response
    .writeHead(200, {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    })
    .end(file.content);
}

async function respond(
  { world, structure }: ServerSetup,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { raw } = await readBody(request);
  try {
    const body: unknown = JSON.parse(raw.toString());
    if (!isFields(body)) throw new SlackError("invalid_payload");
    useResponseUrl({ world, structure, ticket: () => "" }, id, body);
    json(response, 200, { ok: true });
  } catch (error) {
    if (error instanceof SyntaxError) return json(response, 400, { ok: false, error: "invalid_payload" });
    if (!(error instanceof SlackError)) throw error;
    const gone = ["used_url", "expired_url", "invalid_url"].includes(error.code);
    json(response, gone ? 404 : 400, { ok: false, error: error.code, ...error.extra });
  }
}

/**
 * Slack's consent page: with `team` (a domain) it consents at once as that workspace's admin, with `org`
 * for its whole organisation, and with `deny` not at all.
 */
function consent(world: World, url: URL, response: ServerResponse): void {
  const redirect = url.searchParams.get("redirect_uri") ?? undefined;
  const back = redirect ?? world.app.redirectUrls[0] ?? "";
  const state = url.searchParams.get("state") ?? "";
  const domain = url.searchParams.get("team");
  const teams = [...world.teams.values()];
  const team =
    teams.find((candidate) => candidate.domain === domain) ?? (teams.length === 1 ? teams[0] : undefined);
  if (url.searchParams.get("client_id") !== world.app.clientId) {
    return void response.writeHead(400).end("invalid_client_id");
  }
  const isKnown = world.app.redirectUrls.some((known) => back.startsWith(known));
  if (!isKnown || !URL.canParse(back)) return void response.writeHead(400).end("bad_redirect_uri");
  if (team === undefined) {
    const links = teams.map((candidate) => {
      const here = new URL(url);
      here.searchParams.set("team", candidate.domain);
      return `<li><a href="${`${here.pathname}${here.search}`.replaceAll("&", "&amp;")}">${candidate.domain}</a>`;
    });
    const html = `<!doctype html><title>Install</title><p>Install into which workspace?<ul>${links.join("")}</ul>`;
    return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  }
  const admin = [...world.users.values()].find((user) => user.team === team.id && user.isAdmin);
  const target = new URL(back);
  if (url.searchParams.has("deny")) {
    target.searchParams.set("error", "access_denied");
    target.searchParams.set("state", state);
    return void response.writeHead(302, { location: target.href }).end();
  }
  const consented = {
    team,
    user: admin?.id ?? team.botUserId,
    isOrgWide: url.searchParams.has("org"),
    redirect,
  };
  target.searchParams.set("code", consentCode(world, consented));
  target.searchParams.set("state", state);
  response.writeHead(302, { location: target.href }).end();
}

export function json(
  response: ServerResponse,
  status: number,
  body: Fields,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}

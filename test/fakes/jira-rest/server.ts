import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { present } from "./present.ts";
import { Refusal, refuse, unknownCaller } from "./refusal.ts";
import { routes } from "./routes.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

/** One request as it came in. */
export interface Heard {
  method: string;
  /** Without the query. */
  path: string;
  body: unknown;
  status: number;
}

/** Of the Confluence beside it, of which there is no more. */
const spaces = [{ id: "20001", key: "DOCS", name: "Documentation", type: "global", status: "current" }];

/** Jira Cloud's REST API v3 on loopback, as far as its clients here use it. It keeps what it is told. */
export interface JiraRest {
  url: string;
  world: World;
  /** Every request, with how it was answered. */
  heard: Heard[];
  /** What was to change something: every request but reads and searches. */
  changes(): Heard[];
  /** The next request is answered with this instead. */
  refuseNext(refusal: Refusal): void;
  close(): Promise<void>;
}

/** `token` is the only one it takes, with the email of the world's first user. */
export async function startJiraRest(token: string): Promise<JiraRest> {
  const world = createWorld();
  const heard: Heard[] = [];
  const refusals: Refusal[] = [];
  const [owner] = world.users;
  const expected = `Basic ${Buffer.from(`${owner?.emailAddress}:${token}`).toString("base64")}`;
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site = {
    world,
    present: present(world, url),
    now: () => new Date().toISOString().replace("Z", "+0000"),
  };

  function answer(request: IncomingMessage, at: URL, body: unknown): { status: number; body?: unknown } {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    if (request.headers.authorization !== expected) throw unknownCaller();
    if (at.pathname === "/wiki/api/v2/spaces") return { status: 200, body: { results: spaces } };
    const path = at.pathname.replace(/^\/rest\/api\/3(?=\/)/, "");
    const exact = routes[`${request.method} ${path}`];
    const [, part = "", rest = ""] = /^\/issue\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const route = exact ?? routes[`${request.method} /issue/{…}${rest}`];
    if (path === at.pathname || route === undefined) throw refuse(404, ["Not found"]);
    return route(site, { query: at.searchParams, body, part: decodeURIComponent(part) });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? "/", url);
    const body = await readBody(request);
    const { status, body: answered, headers } = attempt(() => answer(request, at, body));
    heard.push({ method: request.method ?? "", path: at.pathname, body, status });
    response.writeHead(status, { ...headers, "content-type": "application/json;charset=UTF-8" });
    response.end(answered === undefined ? undefined : JSON.stringify(answered));
  }

  return {
    url,
    world,
    heard,
    changes: () => heard.filter(({ method, path }) => method !== "GET" && !path.includes("/search/")),
    refuseNext: (refusal) => void refusals.push(refusal),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function attempt(answer: () => { status: number; body?: unknown }): {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
} {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return error;
    return { status: 500, body: { errorMessages: [String(error)], errors: {} } };
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

import { once } from "node:events";
import { connect } from "node:net";

import { Hono } from "hono";
import { Keyv } from "keyv";
import { expect, it, onTestFinished } from "vitest";

import { createEventStreams } from "#adapters/http/api/event-stream.ts";
import { ApiError } from "#adapters/http/errors.ts";
import type { SignedIn } from "#adapters/http/identity.ts";
import { startHttp } from "#adapters/http/start.ts";
import type { Core } from "#contract/core.ts";
import type { NumberedEvent, Turn } from "#contract/turn.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

import { createFakeCore, createTurn } from "./fake-core.ts";

async function serve(turn: Turn, events: Core["events"], logged: string[] = []): Promise<string> {
  const write = (_: object, message: string): void => void logged.push(message);
  const all = { core: createFakeCore(turn, events), view: () => Promise.resolve(undefined) };
  const http = await startHttp(
    { all, of: () => all },
    {
      cards: createCards(),
      forms: createForms(),
      sessions: new Keyv<SignedIn>(),
    },
    {
      host: "127.0.0.1",
      port: 0,
      tokens: [],
      version: "0",
      examples: [],
      keepaliveMs: 5,
      log: { info: write, warn: write, error: write },
    },
  );
  onTestFinished(() => http.stop());
  return http.url;
}

const first: NumberedEvent = {
  turnId: "turn_1",
  seq: 1,
  event: { type: "status", phase: "planning", elapsedMs: 1.4 },
};

function post(url: string, accept: string): Promise<Response> {
  return fetch(`${url}/agent/turn`, {
    method: "POST",
    headers: { accept, "content-type": "application/json" },
    body: JSON.stringify({ session_id: "s", message: "hello" }),
  });
}

async function readUntil(response: Response, wanted: RegExp): Promise<string> {
  let seen = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += chunk;
    if (wanted.test(seen)) break;
  }
  return seen;
}

it("[turn.events] [http.turn] sends keepalives with the time and the turn while nothing happens", async () => {
  const url = await serve(createTurn(), async function* (_, { signal }) {
    yield first;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  });
  const seen = await readUntil(await post(url, "text/event-stream"), /(event: keepalive[^]*){3}/);
  expect(seen).toContain(
    'event: status\ndata: {"turn_id":"turn_1","phase":"planning","elapsed_ms":1}\nid: 1\n\n',
  );
  const data: unknown = JSON.parse(/event: keepalive\ndata: (.*)/.exec(seen)?.[1] ?? "");
  expect(data).toEqual({ ts: expect.stringMatching(/^\d{4}-.*Z$/), turn_id: "turn_1" });
});

it("[http.turn] lets go of a client that went away, without stopping the turn", async () => {
  const left = Promise.withResolvers<string>();
  const url = await serve(createTurn(), async function* (_, { signal }) {
    yield first;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    left.resolve("left");
  });
  await readUntil(await post(url, "text/event-stream"), /planning/);
  expect(await left.promise).toBe("left");
});

it("[http.turn] answers as an event stream only where it is listed", async () => {
  const done = createTurn({ state: "failed", error: { code: "plan_invalid", message: "no plan" } });
  const url = await serve(done, async function* () {
    yield { turnId: "turn_1", seq: 1, event: { type: "error", code: "plan_invalid", message: "no plan" } };
  });
  for (const accept of [
    "text/event-stream",
    "application/json, text/event-stream;q=0.5",
    "Text/Event-Stream",
  ]) {
    const response = await post(url, accept);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(
      'event: error\ndata: {"turn_id":"turn_1","error":"no plan","code":"plan_invalid"}\nid: 1\n\n',
    );
  }
  for (const accept of ["application/json", "*/*", "text/event-stream;q=0", "text/event-streams"]) {
    const response = await post(url, accept);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      error: { code: "plan_invalid", message: "no plan", details: { turn_id: "turn_1" } },
    });
  }
});

it.each([
  ["model_unreachable", 503],
  ["store_full", 503],
  ["stopped", 409],
  ["not_found", 404],
  ["step_limit", 500],
])("[http.turn] a turn that failed with %s is answered with %i", async (code, status) => {
  const url = await serve(
    createTurn({ state: "failed", error: { code, message: "why" } }),
    async function* () {
      yield { turnId: "turn_1", seq: 1, event: { type: "error", code, message: "why" } };
    },
  );
  const response = await post(url, "application/json");
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code, message: "why" } });
});

it("[http.turn] an error without a known code says nothing of the inside, and is logged", async () => {
  const logged: string[] = [];
  const url = await serve(
    createTurn(),
    () => {
      throw new Error("SELECT secret FROM table");
    },
    logged,
  );
  const response = await post(url, "application/json");
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ error: { code: "internal" } });
  expect(text).not.toContain("secret");
  expect(logged).toEqual(["request failed"]);
});

it("[turn.events] waits for a client that does not read, and writes nothing more to it meanwhile", async () => {
  const detail = "x".repeat(100_000);
  let given = 0;
  const url = await serve(createTurn(), async function* (_, { signal }) {
    while (!signal.aborted && given < 5_000) {
      given += 1;
      yield { turnId: "turn_1", seq: given, event: { type: "progress", message: "step", detail } };
    }
  });
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /agent/turns/turn_1 HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  await once(socket, "readable");
  // As long as 100 other requests take, more keepalives are due than they are.
  let before = -1;
  for (let at = 0; at < 100 || before !== given; at += 1) {
    before = given;
    await (await fetch(`${url}/agent/turns/turn_1`)).arrayBuffer();
  }
  expect(given).toBeLessThan(500);
  socket.destroy();
});

it("[turn.events] refuses one stream too many, of one person and in all, and counts those that are over", async () => {
  const gone = new AbortController();
  const core = createFakeCore(createTurn(), async function* (_, { signal }) {
    yield first;
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  });
  const streams = createEventStreams(
    {
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      keepaliveMs: 60_000,
      stopping: gone.signal,
    },
    { all: 3, ofOne: 2 },
  );
  const app = new Hono();
  app.onError((error, c) => c.text(error.message, error instanceof ApiError ? error.status : 500));
  app.get("/:viewer", (c) => {
    const viewer = `http:${c.req.param("viewer")}` as const;
    streams.requireRoom(viewer);
    return streams.ofTurn(c, { core, turnId: "turn_1", after: 0, viewer });
  });
  const [one, two] = [await app.request("/ana"), await app.request("/ana")];
  expect([one.status, two.status]).toEqual([200, 200]);
  const third = await app.request("/ana");
  expect(third.status).toBe(429);
  expect(await third.text()).toContain(
    "2 event streams of http:ana are open, the most there may be. Close some",
  );
  expect((await app.request("/ben")).status).toBe(200);
  expect((await app.request("/chloe")).status).toBe(429);
  await two.body?.cancel();
  expect((await app.request("/chloe")).status).toBe(200);
  gone.abort();
  await one.text();
  expect((await app.request("/ana")).status).toBe(200);
});

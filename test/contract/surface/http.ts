import { expect } from "vitest";

import {
  cleanUpAll,
  decide,
  parseEventStream,
  readTurn,
  request,
  sayLive,
  startProduct,
  type RunningProduct,
  type WireDecision,
  type WireEvent,
  type WirePending,
} from "#test/e2e/support.ts";

import { readPage } from "./http-page.ts";
import { contractConfig, holds } from "./product.ts";
import { run, type Running } from "./running.ts";
import type { OpenSurface, Said, Surface } from "./surface.ts";

/** The HTTP API with its event streams; what is drawn is read on the page. */
export const httpSurface: Surface = {
  name: "HTTP",
  has: ["redelivery", "people"],
  async open() {
    const running = await run(startProduct, (folder) => contractConfig(folder, ["http:ana", "http:chloe"]));
    const { effects, kill, restart, stop } = running;
    const turns = new WeakMap<Said, HttpTurn>();
    let count = 0;
    const say: OpenSurface["say"] = async (who, text, { in: before, times = 1 } = {}) => {
      count += 1;
      const session =
        before === undefined
          ? { id: `session-${count}`, turns: new Set<string>() }
          : turns.get(before)?.session;
      if (session === undefined) throw new Error("expected something that was said here");
      const body = { session_id: session.id, actor: who, event_id: `event-${count}` };
      const sent = Array.from({ length: times }, () => sayLive(running.product(), text, body));
      const [first] = await Promise.all(sent);
      for (const { turnId } of await Promise.all(sent)) session.turns.add(turnId);
      const turn: HttpTurn = { id: first?.turnId ?? "", session, body: { ...body, message: text } };
      const said = saidOf(running, turn);
      turns.set(said, turn);
      return said;
    };
    return {
      effects,
      kill,
      restart,
      stop,
      say,
      async redeliver(said) {
        const turn = turns.get(said);
        const { turnId } = await sayLive(running.product(), turn?.body.message ?? "", turn?.body);
        turn?.session.turns.add(turnId);
      },
      close: cleanUpAll,
    };
  },
};

interface HttpTurn {
  id: string;
  session: { id: string; turns: Set<string> };
  body: { session_id: string; actor: string; event_id: string; message: string };
}

function saidOf(running: Running, { id, session }: HttpTurn): Said {
  const events: WireEvent[] = [];
  /** The request of the turn, once it was seen. */
  let pending: WirePending | undefined;
  let decision: WireDecision["approval"] | undefined;
  const told = new Map<string, string>();

  const product = (): RunningProduct => running.product();
  const take = (event: WireEvent): void => {
    events.push(event);
    pending = (event.data.pending_confirmation as WirePending | undefined) ?? pending;
  };
  /** The result, the error or the last progress, without what tells how it came about. */
  const text = (): string => {
    const last = events.findLast(({ event }) => event !== "status");
    if (last === undefined) return "";
    const { log: _log, ...shown } = last.data;
    return [...textsIn(shown), ...textsIn(decision)].join("\n");
  };
  const read = async (): Promise<ReturnType<typeof readPage>> => {
    const response = await fetch(`${product().url}/playground/turns/${id}`);
    return readPage(await response.text(), (classes) => /\bcs-(?:card|text)\b/.test(classes));
  };
  /** Reads the events from where it was; a stream that ended is asked for again after something happened. */
  const follow = async (isEnough: () => boolean): Promise<boolean> => {
    if (isEnough()) return true;
    const path = `${product().url}/agent/turns/${id}?after=${events.length}`;
    const gone = new AbortController();
    const response = await fetch(path, { headers: { accept: "text/event-stream" }, signal: gone.signal });
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const event of parseEventStream(blocks.join("\n\n"))) {
        take(event);
        if (isEnough()) {
          gone.abort();
          return true;
        }
      }
    }
    return false;
  };
  const approvalNow = async (): Promise<WirePending> =>
    (await request<WirePending>(product(), "GET", `/approvals/${pending?.approval_id}`)).body;
  const record = async (who: string, what: "approve" | "deny", reason?: string): Promise<void> => {
    const { body } = await decide(product(), pending?.approval_id ?? "", what, {
      actor: who,
      ...(reason === undefined ? {} : { reason }),
    });
    told.set(who, body.message);
    if (body.outcome === "approved" || body.outcome === "denied") decision = body.approval;
  };

  return {
    text,
    live: async () => (await read()).live,
    answers: () => session.turns.size,
    async until(words) {
      if (await follow(() => holds(text(), words))) return;
      throw new Error(`expected ${String(words)}, and the turn ended with:\n${text()}`);
    },
    async waits() {
      await follow(() => pending !== undefined);
      expect(await approvalNow()).toMatchObject({ state: "pending" });
    },
    async isOver() {
      await follow(() => false);
      expect((await readTurn(product(), id)).state).toMatch(/^(?:done|stopped)$/);
      if (pending !== undefined) expect((await approvalNow()).state).toMatch(/^(?:done|denied)$/);
    },
    approve: async (...people) => void (await Promise.all(people.map((who) => record(who, "approve")))),
    deny: (who, reason) => record(who, "deny", reason),
    async told(who, words) {
      if (!holds(told.get(who) ?? "", words)) throw new Error(`${who} was told: ${told.get(who)}`);
    },
    async stop(who) {
      const { status } = await request(product(), "POST", `/agent/turns/${id}/stop`, { actor: who });
      expect(status).toBe(202);
    },
    fill: () => Promise.reject(new Error("the API has no forms")),
    whole: async () => JSON.stringify((await readTurn(product(), id)).result?.tool_result?.data),
  };
}

/** Every text in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

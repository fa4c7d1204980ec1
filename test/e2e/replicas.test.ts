import { randomBytes } from "node:crypto";

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { verifyAudit } from "#src/ledger/audit.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

import {
  askFor,
  cleanUpAll,
  decide,
  type Ending,
  follow,
  jiraOnly,
  readMetrics,
  readTurn,
  request,
  type RunningProduct,
  say,
  sayLive,
  startProduct,
  storedIssues,
  temporaryFolder,
  type WireDecision,
  type WirePending,
} from "./support.ts";

/** An export sends one issue in so many milliseconds, so it is still running whenever a test looks. */
const SLOW_MS = 3_000;

const people = ["ana", "ben", "chloe"];

let server: PostgresServer;
let database: pg.Client;
let databaseUrl: string;
let dataDir: string;
let a: RunningProduct;
let b: RunningProduct;

const secret = randomBytes(32).toString("base64");

/** A replica: the same configuration, database, secret and demo data as every other. */
function startReplica(failPoint?: string): Promise<RunningProduct> {
  const policy = { rules: [{ tools: ["jira.create_*"], decision: "ask", approvers: ["channel"] }] };
  return startProduct({
    config: {
      ...jiraOnly({ delayMs: SLOW_MS, policy }),
      store: { url: "${DATABASE_URL}" },
    },
    dataDir,
    env: {
      DATABASE_URL: databaseUrl,
      COUNTERSIGN_SECRET_KEY: secret,
      ...(failPoint === undefined ? {} : { COUNTERSIGN_FAIL_POINT: failPoint }),
    },
  });
}

beforeAll(async () => {
  server = await joinPostgres();
  databaseUrl = await server.createDatabase();
  dataDir = await temporaryFolder();
  database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  // Together, on a database with nothing in it.
  [a, b] = await Promise.all([startReplica(), startReplica()]);
}, 120_000);

afterAll(async () => {
  await cleanUpAll();
  await database.end();
  await server.stop();
});

async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.query<Row>(text, values)).rows;
}

/** Says something and resolves when it is acknowledged, without following the turn. */
async function submit(product: { url: string }, message: string, session: string): Promise<string> {
  const controller = new AbortController();
  const response = await fetch(`${product.url}/agent/turn`, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ session_id: session, message }),
    signal: controller.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const turnId = /"turn_id":"([^"]+)"/.exec(text)?.[1];
    if (turnId !== undefined) {
      controller.abort();
      return turnId;
    }
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) throw new Error(`not acknowledged: ${response.status} ${text}`);
    text += chunk.value;
  }
}

function create(title: string): string {
  return `create an issue in DEMO titled '${title}'`;
}

/** Whether a replica that will kill itself has done so. */
function watchEnd(product: RunningProduct): { ending: Promise<Ending>; isOver: () => boolean } {
  let isOver = false;
  const ending = product.ended.then((how) => {
    isOver = true;
    return how;
  });
  return { ending, isOver: () => isOver };
}

async function approvalOf(product: { url: string }, id: string): Promise<WirePending> {
  return (await request<WirePending>(product, "GET", `/approvals/${id}`)).body;
}
/** `npm run test:long` has 200 turns of ten conversations. */
const TURNS_EACH = process.env["LONG"] === "1" ? 20 : 5;

describe("two replicas on one database", () => {
  it("[ops.scale] that started together on an empty database brought its tables up once, and serve", async () => {
    const migrated = await rows<{ name: string }>("select name from kysely_migration order by name");
    expect(migrated.map((row) => row.name)).toEqual([...new Set(migrated.map((row) => row.name))]);
    expect(migrated.length).toBeGreaterThan(0);
    for (const product of [a, b]) {
      const health = await request(product, "GET", "/health");
      expect(health).toMatchObject({ status: 200, body: { store: { kind: "postgres", ok: true } } });
    }
  });

  it("[ops.scale] [ops.metrics] [approve.two-phase] a message to one, the click on the other, one turn", async () => {
    const { turnId, pending } = await askFor(a, create("Said here, clicked there"), { session_id: "across" });
    const waiting = await request<{ approvals: WirePending[] }>(b, "GET", "/approvals?state=pending");
    expect(waiting.body.approvals.map((one) => one.approval_id)).toEqual([pending.approval_id]);
    // Either replica may have taken the turn up, and counts it only after it is shown.
    const counted = 'countersign_turns_total{outcome="pending_confirmation"}';
    const counts = async () =>
      (await Promise.all([readMetrics(a), readMetrics(b)])).map((all) => all[counted]);
    await expect.poll(async () => (await counts()).filter((count) => count !== undefined)).toEqual([1]);
    // What the store says is the same at both, what each did is its own.
    const [atA, atB] = await Promise.all([readMetrics(a), readMetrics(b)]);
    const inStore = (all: Record<string, number>) =>
      Object.fromEntries(
        Object.entries(all).filter(([name]) => /^countersign_(?:open_|audit_head|store_up)/.test(name)),
      );
    expect(inStore(atA)).toEqual(inStore(atB));
    expect(atA).toMatchObject({
      countersign_store_up: 1,
      'countersign_open_approvals{state="pending"}': 1,
      'countersign_open_turns{state="pending_confirmation"}': 1,
      countersign_queue_oldest_seconds: 0,
    });
    expect(atA.countersign_approval_oldest_seconds).toBeGreaterThan(0);
    const seen = (await follow(b, turnId)).length;
    expect((await decide(b, pending.approval_id, "approve", { actor: "ben" })).body.outcome).toBe("approved");
    const [onA, onB] = await Promise.all([follow(a, turnId), follow(b, turnId)]);
    expect(onA).toEqual(onB);
    expect(onA.length).toBeGreaterThan(seen);
    expect(onA.at(-1)).toMatchObject({ event: "result", data: { tool_result: { ok: true } } });
    expect(storedIssues(dataDir, "Said here, clicked there")).toHaveLength(1);
    const late = await decide(a, pending.approval_id, "approve", { actor: "chloe" });
    expect(late).toMatchObject({ status: 409, body: { outcome: "already_decided" } });
  });

  it("[turn.order] [ops.scale] the same event at both runs once, also when it comes again later", async () => {
    const event = { session_id: "twice", event_id: "evt-1" };
    const answers = await Promise.all([a, b, a, b].map((product) => say(product, "/jira DEMO-1", event)));
    expect(new Set(answers.map((answer) => answer.body.turn_id)).size).toBe(1);
    const again = await say(b, "/jira DEMO-1", event);
    expect(again.body.turn_id).toBe(answers[0]?.body.turn_id);
    for (const answer of [...answers, again]) expect(answer.body.tool_result?.ok).toBe(true);
    const calls = await rows("select id from calls where turn_id = $1", [again.body.turn_id]);
    expect(calls).toHaveLength(1);
  });

  it("[approve.once] [ops.scale] clicks of three people at both replicas at once execute each change once", async () => {
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        askFor(index % 2 === 0 ? a : b, create(`Clicked a lot ${index}`), { session_id: `clicks ${index}` }),
      ),
    );
    const replies = await Promise.all(
      asked.flatMap(({ pending }) =>
        people.flatMap((actor) =>
          [a, b, a, b].map((product) => decide(product, pending.approval_id, "approve", { actor })),
        ),
      ),
    );
    expect(replies.filter((reply) => reply.body.outcome === "approved")).toHaveLength(8);
    expect(replies.filter((reply) => reply.body.outcome === "already_decided")).toHaveLength(88);
    for (const [index, { turnId, pending }] of asked.entries()) {
      await follow(index % 2 === 0 ? b : a, turnId);
      expect(await approvalOf(a, pending.approval_id)).toMatchObject({ state: "done" });
      expect(storedIssues(dataDir, `Clicked a lot ${index}`)).toHaveLength(1);
    }
  });

  it("[turn.order] [ops.scale] ten conversations' turns run in order; a stuck one holds up nobody", async () => {
    const stuck = await sayLive(a, "/jira export DEMO", { session_id: "stuck" });
    const behind = await submit(b, "/jira DEMO-2", "stuck");
    await stuck.until((event) => event.event === "progress" && event.data.progress !== undefined);
    const submitted = await Promise.all(
      Array.from({ length: 10 }, async (_, conversation) => {
        const turns: string[] = [];
        for (let number = 1; number <= TURNS_EACH; number += 1) {
          // Each is acknowledged before the next is said, to the other replica.
          const product = (number + conversation) % 2 === 0 ? a : b;
          turns.push(await submit(product, `/jira DEMO-${number}`, `order ${conversation}`));
        }
        return turns;
      }),
    );
    for (const [conversation, turns] of submitted.entries()) {
      await follow(conversation % 2 === 0 ? a : b, turns.at(-1) ?? "");
      const ran = await rows<{ id: string; begun: number; ended: number }>(
        `select t.id, min(p.seq)::int as begun, max(d.seq)::int as ended
         from turns t
         join audit p on p.turn_id = t.id and p.kind = 'plan.decided'
         join audit d on d.turn_id = t.id and d.kind = 'turn.done'
         where t.id = any($1) group by t.id order by begun`,
        [turns],
      );
      expect(ran.map((turn) => turn.id)).toEqual(turns);
      for (const [index, turn] of ran.slice(1).entries()) {
        expect(turn.begun).toBeGreaterThan(ran[index]?.ended ?? Infinity);
      }
    }
    expect((await readTurn(b, stuck.turnId)).state).toBe("running");
    expect((await readTurn(a, behind)).state).toBe("queued");
    const stopped = await request(b, "POST", `/agent/turns/${stuck.turnId}/stop`, { actor: "ana" });
    expect(stopped.status).toBe(202);
    expect(await stuck.end()).toMatchObject({ event: "error", data: { code: "stopped" } });
    expect((await follow(a, behind)).at(-1)).toMatchObject({
      event: "result",
      data: { tool_result: { ok: true } },
    });
  }, 240_000);
});

describe("a replica that goes away", () => {
  it("[turn.recover] [ops.scale] kill -9 in a read: the other finishes every turn once", async () => {
    const [dying] = await Promise.all([startReplica("intent.after"), a.stop()]);
    const turns: string[] = [];
    const death = watchEnd(dying);
    // It takes turns from the queue as the other does; sooner or later it gets one, and dies of it.
    for (let round = 0; !death.isOver(); round += 1) {
      const submitted = await Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          submit(b, `/jira DEMO-${index + 1}`, `read ${round} ${index}`),
        ),
      );
      turns.push(...submitted);
      await Promise.race([death.ending, Promise.all(submitted.map((turnId) => follow(b, turnId)))]);
    }
    expect((await death.ending).signal).toBe("SIGKILL");
    for (const turnId of turns) {
      const events = await follow(b, turnId);
      expect(events.filter((event) => event.event === "result" || event.event === "error")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ event: "result", data: { tool_result: { ok: true } } });
    }
  }, 240_000);

  it("[ops.scale] a turn that runs on one replica is followed and stopped at another", async () => {
    // Only one replica is there when it begins.
    const live = await sayLive(b, "/jira export OPS", { session_id: "elsewhere" });
    await live.until((event) => event.event === "progress" && event.data.progress !== undefined);
    const other = await startReplica();
    const followed = follow(other, live.turnId);
    const stopped = await request(other, "POST", `/agent/turns/${live.turnId}/stop`, { actor: "ben" });
    expect(stopped.status).toBe(202);
    const events = await followed;
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: { code: "stopped", error: "Stopped by ben." },
    });
    expect(await live.end()).toEqual(events.at(-1));
    expect(await readTurn(other, live.turnId)).toMatchObject({ state: "stopped", stopped_by: "http:ben" });
    await other.stop();
  }, 240_000);

  it("[approve.once] [approve.unknown] kill -9 amid clicks: no change happens twice, or is told wrong", async () => {
    const dying = await startReplica("send.after");
    const asked: { title: string; turnId: string; id: string }[] = [];
    const death = watchEnd(dying);
    for (let round = 0; !death.isOver(); round += 1) {
      const titles = Array.from({ length: 4 }, (_, index) => `Killed amid clicks ${round} ${index}`);
      const wave = await Promise.all(
        titles.map(async (title) => {
          const { turnId, pending } = await askFor(b, create(title), { session_id: title });
          return { title, turnId, id: pending.approval_id };
        }),
      );
      asked.push(...wave);
      const clicks = await Promise.all(
        wave.flatMap(({ id }) =>
          people.flatMap((actor) =>
            [dying, b, dying, b].map(async (product) => {
              // The answer of the one that dies may be lost; the decision then holds or is made again.
              const reply = await decide(product, id, "approve", { actor }).catch(() => undefined);
              return { id, reply: reply?.body };
            }),
          ),
        ),
      );
      for (const { id } of wave) expect(approvedOnce(clicks, id)).toBe(true);
      await Promise.race([death.ending, Promise.all(wave.map(({ turnId }) => follow(b, turnId)))]);
    }
    expect((await death.ending).signal).toBe("SIGKILL");
    // The lease of the dead runs out.
    await rows("update approvals set lease_until = 0 where state = 'executing'");
    const states: string[] = [];
    for (const { turnId, title, id } of asked) {
      await follow(b, turnId);
      const approval = await approvalOf(b, id);
      states.push(approval.state);
      expect(["done", "unknown"]).toContain(approval.state);
      // What is done happened once. What is unknown happened once or, where the process died between
      // claiming and sending another call of the wave, not at all; never twice.
      const happened = storedIssues(dataDir, title).length;
      expect(happened).toBeLessThanOrEqual(1);
      if (approval.state === "done") expect(happened).toBe(1);
      const sent = await rows(
        "select seq from audit where kind = 'approval.executing' and approval_id = $1",
        [id],
      );
      expect(sent).toHaveLength(1);
    }
    expect(states).toContain("unknown");
  }, 240_000);

  it("[audit.chain] what all replicas recorded is one unbroken chain", async () => {
    const store = await openPostgresStore(databaseUrl, { warn: () => undefined });
    try {
      const verdict = await verifyAudit(store.db);
      expect(verdict).toMatchObject({ ok: true });
      expect(verdict.entries).toBeGreaterThan(TURNS_EACH * 50);
    } finally {
      await store.close();
    }
  });
});

/** At most one click approved, and every answer that came is an answer. */
function approvedOnce(clicks: { id: string; reply: WireDecision | undefined }[], id: string): boolean {
  const outcomes = clicks.flatMap((click) =>
    click.id === id && click.reply !== undefined ? [click.reply.outcome] : [],
  );
  expect([...new Set(outcomes)].every((one) => one === "approved" || one === "already_decided")).toBe(true);
  return outcomes.filter((one) => one === "approved").length <= 1;
}

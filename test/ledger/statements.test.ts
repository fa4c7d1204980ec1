import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import type { Product } from "#app/product-port.ts";
import { createProduct } from "#app/product.ts";
import type { NumberedEvent } from "#contract/turn.ts";
import { loadSettings } from "#src/settings/load.ts";
import { onStatement, type SentStatement } from "#src/store/statements.ts";
import { jiraOnly } from "#test/e2e/support.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

const stores = useStores();
const cwd = fileURLToPath(new URL("../../", import.meta.url));

/** What goes on whether or not there is a turn. */
const HOUSEKEEPING = [
  /^select "key" from "kv" limit/,
  /"stopped_by" is not null/,
  /"expires_at" <= /,
  /"remind_at" <= /,
  /audit-head/,
];

/** A replica looks for turns that others left each second; what it takes is a turn's. */
function isHousekeeping({ sql, isCommit }: SentStatement): boolean {
  return HOUSEKEEPING.some((one) => one.test(sql)) || (/strict_fifo_heads/.test(sql) && !isCommit);
}

/** Statements and commits, those that begin and end transactions among them. */
type Cost = [statements: number, commits: number];

interface Counting {
  product: Product;
  /** What the store is asked from the message until the turn stands still and its follower has left. */
  say(message: string, conversation: string): Promise<{ cost: Cost; events: NumberedEvent[] }>;
  decide(decision: "approve" | "deny", events: NumberedEvent[]): Promise<Cost>;
}

async function startCounting(kind: (typeof storeKinds)[number]): Promise<Counting> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-statements-"));
  const url = kind === "postgres" ? await stores.database() : "";
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify({ ...jiraOnly(), store: { url } }));
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    LOG_LEVEL: "silent",
    OLLAMA_HOST: "http://127.0.0.1:9",
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  const settings = await loadSettings({ file, env, cwd });
  const product = await createProduct(settings, { log: { kind: "json" }, env });
  await product.ready();
  let sent: SentStatement[] = [];
  const stop = onStatement((statement) => {
    if (!isHousekeeping(statement)) sent.push(statement);
  });
  afterAll(async () => {
    stop();
    await product.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Until nothing was asked for a while: what a turn leaves to be done is done by then. */
  async function counted(): Promise<Cost> {
    for (let seen = -1; seen !== sent.length;) {
      seen = sent.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const cost: Cost = [sent.length, sent.filter(({ isCommit }) => isCommit).length];
    sent = [];
    return cost;
  }

  async function followed(turnId: string, after: number): Promise<NumberedEvent[]> {
    const events: NumberedEvent[] = [];
    const { signal } = new AbortController();
    for await (const event of product.core.events(turnId, { after, signal })) events.push(event);
    return events;
  }

  return {
    product,
    async say(message, conversationId) {
      const at = { surface: "http", actor: "http:ana", channel: conversationId } as const;
      sent = [];
      const { turnId } = await product.core.submit({ ...at, conversationId, message });
      const events = await followed(turnId, 0);
      return { cost: await counted(), events };
    },
    async decide(decision, events) {
      const { turnId = "", seq = 0 } = events.at(-1) ?? {};
      const [approval] = await product.core.approvals({ turnId });
      const approvalId = approval?.id ?? "";
      await counted();
      const seen = approval === undefined ? {} : { seen: approval };
      await product.core.decide({ approvalId, actor: "http:ana", decision, ...seen });
      const more = await followed(turnId, seq);
      expect(more.at(-1)?.event.type).toBe("result");
      return counted();
    },
  };
}

/** A turn that needs more than this has to say why here. */
const BUDGET: Record<(typeof storeKinds)[number], Record<string, Cost>> = {
  sqlite: {
    read: [22, 3],
    "the same conversation's next read": [23, 3],
    "read of several": [23, 3],
    "change with approval": [60, 7],
    "denied change": [51, 6],
    "steps of reads": [22, 3],
  },
  // A turn is taken by a statement of its own, and completed in the transaction that ends it.
  postgres: {
    read: [25, 4],
    "the same conversation's next read": [26, 4],
    "read of several": [26, 4],
    // Another replica may have decided before the follower leaves.
    "change with approval": [65, 9],
    "denied change": [58, 8],
    "steps of reads": [25, 4],
  },
};

describe.each(storeKinds)("statements and commits of a turn on %s", (kind) => {
  it("keeps to its budget", async () => {
    const house = await startCounting(kind);
    // What is prepared once is not a turn's.
    await house.say("/jira DEMO-2", "http:warm");
    const costs: Record<string, Cost> = {};
    costs["read"] = (await house.say("/jira DEMO-1", "http:read")).cost;
    costs["the same conversation's next read"] = (await house.say("/jira DEMO-3", "http:read")).cost;
    costs["read of several"] = (await house.say("show me DEMO-1 and DEMO-2", "http:several")).cost;
    const asked = await house.say("create an issue in DEMO titled 'Counted'", "http:change");
    const decided = await house.decide("approve", asked.events);
    costs["change with approval"] = [asked.cost[0] + decided[0], asked.cost[1] + decided[1]];
    const refused = await house.say("create an issue in DEMO titled 'Refused'", "http:denied");
    const denied = await house.decide("deny", refused.events);
    costs["denied change"] = [refused.cost[0] + denied[0], refused.cost[1] + denied[1]];
    costs["steps of reads"] = (await house.say("move the login issue to done", "http:steps")).cost;
    const budget = BUDGET[kind];
    const over = Object.entries(costs).filter(([name, cost]) =>
      cost.some((count, at) => count > (budget[name]?.[at] ?? 0)),
    );
    expect(over).toEqual([]);
  }, 120_000);
});

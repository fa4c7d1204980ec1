import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import type { Product } from "#app/product-port.ts";
import { createProduct } from "#app/product.ts";
import type { ActorId } from "#contract/actor.ts";
import type { NumberedEvent, TurnResult } from "#contract/turn.ts";
import { DAY_MS, MINUTE_MS } from "#src/base/time.ts";
import { loadSettings } from "#src/settings/load.ts";
import { createLimits, type Limits, type LimitSettings } from "#src/turn/limits.ts";
import { jiraOnly } from "#test/e2e/support.ts";

import { ana, ben, createDesk } from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const none = { per_person: {}, per_channel: {}, per_workspace: {} };
const perMinute = (amount: number) => ({ amount, withinMs: MINUTE_MS });

describe.each(storeKinds)("limits on %s", (kind) => {
  /** Two replicas over one store, and what they say. */
  async function counting(settings: LimitSettings) {
    const desk = createDesk(await stores.open(kind));
    const open = (): Limits =>
      createLimits({
        settings: () => settings,
        personOf: (actor) => actor.split(":").at(-1) ?? "",
        now: () => desk.clock.now,
      });
    const replicas = [open(), open()];
    const accept = (actor: ActorId, channel: string, at = 0) =>
      desk.transact(async (tx) => replicas[at % 2]?.accept(tx, { actor, channel }));
    const spend = (actor: ActorId, channel: string, used: { calls?: number; tokens?: number }) =>
      desk.transact(async (tx) =>
        replicas[1]?.spend(tx, { actor, channel }, { calls: 0, tokens: 0, ...used }),
      );
    return { ...desk, accept, spend };
  }

  it("[ops.rate-limits] replicas count together, what is refused is not counted, and room comes back evenly", async () => {
    const { accept, clock } = await counting({ ...none, per_person: { turns: perMinute(3) } });
    const begun = clock.now;
    const all = await Promise.all(Array.from({ length: 10 }, (_, at) => accept(ana, "slack:T1:C1", at)));
    expect(all.filter((limited) => limited === undefined)).toHaveLength(3);
    expect(new Set(all.flatMap((limited) => limited?.until ?? []))).toEqual(new Set([begun + MINUTE_MS / 3]));
    // The same person elsewhere; somebody else is free to ask.
    expect(await accept("slack:T2:ana", "slack:T2:C9")).toMatchObject({ scope: "person", what: "turns" });
    expect(await accept(ben, "slack:T1:C1")).toBeUndefined();
    clock.now += MINUTE_MS / 3;
    expect(await accept(ana, "slack:T1:C1")).toBeUndefined();
    expect(await accept(ana, "slack:T1:C1", 1)).toMatchObject({ until: begun + (2 * MINUTE_MS) / 3 });
    clock.now += DAY_MS;
    for (let at = 0; at < 3; at += 1) expect(await accept(ana, "slack:T1:C1", at)).toBeUndefined();
  });

  it("[ops.rate-limits] channels and workspaces have limits of their own, and the one that holds longest is told", async () => {
    const { accept } = await counting({
      ...none,
      per_channel: { turns: perMinute(2) },
      per_workspace: { turns: { amount: 3, withinMs: DAY_MS } },
    });
    expect(await accept(ana, "slack:T1:C1")).toBeUndefined();
    expect(await accept(ben, "slack:T1:C1")).toBeUndefined();
    expect(await accept(ben, "slack:T1:C1")).toMatchObject({ scope: "channel" });
    expect(await accept(ben, "slack:T1:C2")).toBeUndefined();
    expect(await accept(ben, "slack:T1:C3")).toMatchObject({ scope: "workspace", amount: 3 });
    expect(await accept(ben, "slack:T1:C1")).toMatchObject({ scope: "workspace" });
    expect(await accept(ben, "slack:T2:C3")).toBeUndefined();
  });

  it("[ops.rate-limits] what turns have used of calls and tokens keeps the next from beginning", async () => {
    const { accept, spend, clock } = await counting({
      ...none,
      per_person: { tokens: { amount: 24_000, withinMs: DAY_MS } },
      per_channel: { calls: perMinute(6) },
    });
    expect(await accept(ana, "slack:T1:C1")).toBeUndefined();
    expect(await spend(ana, "slack:T1:C1", { calls: 6, tokens: 20_000 })).toBeUndefined();
    expect(await accept(ana, "slack:T1:C1")).toMatchObject({ scope: "channel", what: "calls" });
    expect(await accept(ana, "slack:T1:C2")).toBeUndefined();
    // More than is left: what has begun is told to go no further, and the person waits until that has come back.
    expect(await spend(ana, "slack:T1:C2", { tokens: 5_000 })).toMatchObject({ what: "tokens" });
    const limited = await accept(ana, "slack:T1:C2");
    expect(limited?.until).toBeCloseTo(clock.now + (1_001 * DAY_MS) / 24_000, -1);
    clock.now = limited?.until ?? 0;
    expect(await accept(ana, "slack:T1:C2")).toBeUndefined();
  });

  it("[ops.rate-limits] those that may wait begin one after the other, as room comes back", async () => {
    const { accept, spend, clock } = await counting({
      ...none,
      per_person: { turns: perMinute(2), calls: perMinute(2) },
      wait: MINUTE_MS,
    });
    const until: (number | undefined)[] = [];
    for (let at = 0; at < 5; at += 1) {
      const limited = await accept(ana, "slack:T1:C1", at);
      until.push(limited?.waits === true ? limited.until - clock.now : limited && -1);
    }
    expect(until).toEqual([undefined, undefined, MINUTE_MS / 2, MINUTE_MS, -1]);
    // What has begun is not cut short.
    expect(await spend(ana, "slack:T1:C1", { calls: 9 })).toBeUndefined();
  });

  it("[ops.rate-limits] people read when a limit ends, in their language; what waits begins by itself, and nobody's click is counted", async () => {
    const url = kind === "postgres" ? await stores.database() : "";
    const { ask, product } = await openProduct({
      ...jiraOnly(),
      store: { url },
      language: "German",
      limits: { per_person: { turns: "3/d" }, per_channel: { turns: "1/s" }, wait: "30s" },
    });
    const asked = await ask("ana", "create an issue in DEMO titled 'Limited'", "one");
    // Two at once; on a busy machine they may come more than the second apart.
    const waits = /^Dieser Kanal hat .*: 1 Anfrage pro Sekunde\. Deine Anfrage ist aufgehoben/;
    let waited: typeof asked | undefined;
    for (let at = 0; waited === undefined && at < 20; at += 1) {
      const pair = await Promise.all(
        ["/jira DEMO-1", "/jira DEMO-2"].map((words) => ask(`dora${at}`, words, `pair${at}`)),
      );
      waited = pair.find(({ events }) =>
        events.some(({ event }) => event.type === "progress" && waits.test(event.message)),
      );
    }
    expect(waited?.result).toMatchObject({ toolResults: [{ toolId: "jira.get_jira_issue", ok: true }] });
    await ask("ana", "/jira DEMO-1", "two");
    await ask("ana", "/jira DEMO-2", "two");
    const refused = await ask("ana", "/jira DEMO-3", "three");
    expect(refused.result).toMatchObject({
      toolResults: [],
      limited: { scope: "person", what: "turns", amount: 3, withinMs: DAY_MS },
    });
    expect(refused.result?.reply).toMatch(
      /^Du hast alles verbraucht, was eine Person darf: 3 Anfragen pro Tag\. Bitte frag nach .+ UTC noch einmal\.$/,
    );
    const other = await ask("ben", "/jira DEMO-3", "three-of-ben");
    expect(other.result?.limited).toBeUndefined();

    const [approval] = await product.core.approvals({ turnId: asked.turnId });
    const decided = { approvalId: approval?.id ?? "", actor: "http:ana", decision: "approve" } as const;
    await product.core.decide(approval === undefined ? decided : { ...decided, seen: approval });
    const done = await follow(product, asked.turnId, asked.events.at(-1)?.seq ?? 0);
    expect(done.result).toMatchObject({ toolResults: [{ toolId: "jira.create_issue", ok: true }] });
  });
});

it("[ops.rate-limits] a turn that reaches a limit on its way plans nothing more, and tells what it has found", async () => {
  const { ask } = await openProduct({ ...jiraOnly(), limits: { per_person: { calls: "2/d" } } });
  const { result } = await ask("ana", "show me DEMO-1, DEMO-2 and DEMO-3", "one");
  expect(result?.toolResults).toHaveLength(3);
  expect(result?.reply).toMatch(
    /^I stopped here\. You have used all that one person may: 2 tool calls a day\. Please ask again after .+ UTC\. Here is what was found\./,
  );
  expect((await ask("ana", "/jira DEMO-1", "two")).result).toMatchObject({
    limited: { what: "calls" },
    toolResults: [],
  });
});

async function openProduct(config: object): Promise<{
  product: Product;
  ask: (who: string, message: string, session: string) => ReturnType<typeof follow>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-limits-"));
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify(config));
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    LOG_LEVEL: "silent",
    OLLAMA_HOST: "http://127.0.0.1:9",
    COUNTERSIGN_DATA: folder,
    COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const product = await createProduct(await loadSettings({ file, env, cwd }), { log: { kind: "json" }, env });
  afterAll(async () => {
    await product.close();
    await rm(folder, { recursive: true, force: true });
  });
  await product.ready();
  return {
    product,
    async ask(who, message, session) {
      const at = { conversationId: `http:${session}`, channel: `http:${session}` };
      const request = { surface: "http", actor: `http:${who}`, ...at, message } as const;
      return follow(product, (await product.core.submit(request)).turnId);
    },
  };
}

async function follow(
  product: Product,
  turnId: string,
  after = 0,
): Promise<{ turnId: string; events: NumberedEvent[]; result: TurnResult | undefined }> {
  const events: NumberedEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of product.core.events(turnId, { after, signal })) events.push(event);
  const last = events.at(-1)?.event;
  return { turnId, events, result: last?.type === "result" ? last.result : undefined };
}

import { renameSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Collector, startCollector } from "#test/fakes/collector.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { askChange, deskConfig, effects, ended, fillIn, told } from "./slack-desk.ts";
import { answers, answerTo, says, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, readMetrics, readStore, type RunningProduct, temporaryFolder } from "./support.ts";

let slack: FakeSlack;
let folder: string;
let product: RunningProduct;
let collector: Collector;

beforeAll(async () => {
  slack = await startSlackWorkspace();
  folder = await temporaryFolder();
  collector = await startCollector();
  product = await startOwnBot(slack, { config: deskConfig(folder, { traces: { otlp_url: collector.url } }) });
});

afterAll(async () => {
  await cleanUpAll();
  await collector.stop();
});

/** What was counted between two looks. */
function changes(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const since = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)] as const);
  return Object.fromEntries(since.filter(([, value]) => value !== 0));
}

describe("a decision", () => {
  it("[slack.approve] [approve.two-phase] runs once by one click, and all see how it ended", async () => {
    const card = await askChange(slack, "/desk set name=plain value=yes");
    expect(effects(folder)).not.toContain("plain=yes");
    await slack.user("ben").click(card.ts, "cs:approve");
    await ended(slack, card, /Approved by Ben Okafor on/);
    expect(effects(folder).filter((line) => line === "plain=yes")).toHaveLength(1);
    // One message from the status to the end, for everybody.
    expect(slack.thread(card.thread_ts ?? "").filter(({ bot_id }) => bot_id !== undefined)).toHaveLength(1);
  });

  it("[slack.approve] denied with a reason, which everybody reads on the card", async () => {
    const card = await askChange(slack, "/desk set name=unwanted value=no");
    await fillIn(slack, { by: "chloe", card, button: "Deny" }, { Reason: "not *this* week <!channel>" });
    await ended(slack, card, "not *this* week <!channel>");
    expect(says(card.blocks, /Denied by Chloé/)).toBe(true);
    expect(effects(folder).join()).not.toContain("unwanted");
  });

  it("[slack.approve] denied without one, where the rule wants none; and not at all where it does", async () => {
    const card = await askChange(slack, "/desk set name=silent value=no");
    await fillIn(slack, { by: "ben", card, button: "Deny" }, {});
    await ended(slack, card, "Denied by");

    const reasoned = await askChange(slack, "/desk set name=reasoned value=1");
    await slack.user("ben").click(reasoned.ts, "cs:approve");
    const form = await slack.until(() => slack.modal("ben"));
    expect(await slack.user("ben").submit(form, { Reason: "  " })).toMatchObject({ result: "errors" });
    expect(await slack.user("ben").submit(form, { Reason: "agreed" })).toMatchObject({ result: "closed" });
    await ended(slack, reasoned, "agreed");
    expect(effects(folder)).toContain("reasoned=1");
  });

  it("[approve.two-phase] a press while the store is gone counts nothing and is told so", async () => {
    const card = await askChange(slack, "/desk set name=away value=1");
    await slack.user("chloe").click(card.ts, "Deny");
    const form = await slack.until(() => slack.modal("chloe"));
    const { dataDir } = product;
    renameSync(dataDir, `${dataDir}-away`);
    try {
      await slack.user("ben").click(card.ts, "cs:approve");
      await told(slack, "ben", card, "The store is gone from its place");
      // The window stays open with what was written in it.
      expect(await slack.user("chloe").submit(form, { Reason: "no" })).toMatchObject({ result: "errors" });
    } finally {
      renameSync(`${dataDir}-away`, dataDir);
    }
    expect([says(card.blocks, "Approved by"), effects(folder).includes("away=1")]).toEqual([false, false]);
    await slack.user("ben").click(card.ts, "cs:approve");
    await ended(slack, card, "Approved by");
    expect(effects(folder).filter((line) => line === "away=1")).toHaveLength(1);
  });

  it("[approve.quorum] needs two people; a second click of one changes nothing", async () => {
    const card = await askChange(slack, "/desk set name=two value=2");
    await slack.user("ana").click(card.ts, "cs:approve");
    await told(slack, "ana", card, "somebody else");
    await slack.user("ben").click(card.ts, "cs:approve");
    await told(slack, "ben", card, "1 of 2");
    await slack.until(
      () => says(card.blocks, "1 of 2 approvals") && says(card.blocks, /Ben Okafor approved on/),
    );
    await slack.user("ben").click(card.ts, "cs:approve");
    await told(slack, "ben", card, "already decided");
    expect(says(card.blocks, "1 of 2 approvals")).toBe(true);
    expect(effects(folder)).not.toContain("two=2");
    await slack.user("chloe").click(card.ts, "cs:approve");
    await ended(slack, card, /Approved by Ben Okafor and Chloé/);
    expect(effects(folder).filter((line) => line === "two=2")).toHaveLength(1);
  });

  it("[approve.eligible] [ops.metrics] is for those whom the rule names, and others are told why", async () => {
    const card = await askChange(slack, "/desk set name=leads value=1", "ben");
    const before = await readMetrics(product);
    await slack.user("ben").click(card.ts, "cs:approve");
    await told(slack, "ben", card, "anyone of the group leads");
    const open = await askChange(slack, "/desk set name=open value=1");
    await slack.user("farid").click(open.ts, "cs:approve");
    await told(slack, "farid", open, "guest");
    await fillIn(slack, { by: "farid", card: open, button: "Deny" }, { Reason: "mine" });
    expect(says(open.blocks, "cs:approve")).toBe(true);
    expect(effects(folder).join()).not.toMatch(/leads|open/);
    await slack.user("chloe").click(card.ts, "cs:approve");
    await ended(slack, card, "Approved by");
    expect(effects(folder)).toContain("leads=1");
    // Each call is counted when the platform has answered it.
    const shown = 'countersign_platform_calls_total{surface="slack",call="edit",outcome="ok"}';
    const since = await expect
      .poll(async () => changes(before, await readMetrics(product)))
      .toMatchObject({ [shown]: expect.any(Number) })
      .then(async () => changes(before, await readMetrics(product)));
    expect(since).toMatchObject({
      countersign_refused_clicks_total: 3,
      'countersign_approvals_total{event="approved"}': 1,
      'countersign_approvals_total{event="done"}': 1,
      'countersign_decision_seconds_count{decision="approved"}': 1,
      'countersign_tool_calls_total{server="desk",tool="set",outcome="ok"}': 1,
    });
  });

  it("[approve.expiry] comes too late: a click after the end or the decision is told so", async () => {
    const card = await askChange(slack, "/desk set name=brief value=1");
    slack.delay(1_100);
    expect(await slack.user("ben").click(card.ts, "cs:approve")).toMatchObject({ ok: true });
    slack.calm();
    await told(slack, "ben", card, "expired");
    await ended(slack, card, "expired");
    expect(effects(folder)).not.toContain("brief=1");

    const twice = await askChange(slack, "/desk set name=twice value=1");
    const clicks = ["ben", "chloe", "dmitri"].map((name) => slack.user(name).click(twice.ts, "cs:approve"));
    expect(await Promise.all(clicks)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    await ended(slack, twice, "Approved by");
    await slack.until(
      () =>
        ["ben", "chloe", "dmitri"].filter((name) =>
          slack
            .ephemerals(name)
            .some(({ text, thread_ts }) => thread_ts === twice.thread_ts && /Already approved by/.test(text)),
        ).length === 2,
    );
    expect(effects(folder).filter((line) => line === "twice=1")).toHaveLength(1);
  });

  it("[approve.edit] is made on other arguments after an edit, as a new request with the rule for those", async () => {
    const card = await askChange(slack, "/desk set name=draft-1 value=1");
    await fillIn(slack, { by: "ben", card, button: "Edit" }, { Value: "2", Name: "draft-2" });
    await slack.until(() => says(card.blocks, "draft-2") && says(card.blocks, "cs:approve"));
    await slack.user("chloe").click(card.ts, "cs:approve");
    await ended(slack, card, "Approved by");
    expect(effects(folder)).toContain("draft-2=2");
    expect(effects(folder).join()).not.toContain("draft-1");
  });

  it("shows details, and what was sent and came back as JSON, to whoever asks, in windows", async () => {
    const card = await askChange(slack, "/desk set name=shown value=in-full");
    await slack.user("dmitri").click(card.ts, "Details");
    const details = JSON.stringify(await slack.until(() => slack.modal("dmitri")));
    for (const words of ["in-full", "desk.set", "anyone in the channel", "What will be sent"]) {
      expect(details).toContain(words);
    }
    expect(details).not.toContain("cs:approve");
    await slack.user("ben").click(card.ts, "cs:approve");
    await ended(slack, card, "cs:menu");
    await slack.user("emi").click(card.ts, "cs:menu", "Show JSON");
    const json = JSON.stringify(await slack.until(() => slack.modal("emi")));
    expect(json).toContain(String.raw`\"value\": \"in-full\"`.replaceAll("\\\\", "\\"));
  });
});

describe("a standing approval", () => {
  it("[slack.approve] is given, used, counted, listed and taken back", async () => {
    const card = await askChange(slack, "/desk note about=CASE-7 body=first");
    await slack.user("ben").click(card.ts, "Approve for a while");
    const form = await slack.until(() => slack.modal("ben"));
    const shown = JSON.stringify(form.blocks);
    for (const words of [
      "Must be equal",
      "CASE-7",
      "May differ",
      "body",
      "up to 30 minutes, up to 2 times",
    ]) {
      expect(shown).toContain(words);
    }
    const uses = "How many more times";
    expect(await slack.user("ben").submit(form, { "For how long": "30 minutes", [uses]: "3" })).toMatchObject(
      {
        result: "errors",
      },
    );
    expect(await slack.user("ben").submit(form, { "For how long": "15 minutes", [uses]: "2" })).toMatchObject(
      {
        result: "closed",
      },
    );
    await ended(slack, card, "Standing approvals");
    expect(says(card.blocks, "used 0 of 2 times")).toBe(true);
    expect(effects(folder)).toContain("CASE-7: first");

    // The same case with another body runs without a card that asks; another case asks.
    const thread = { channel: "general", thread_ts: card.thread_ts ?? "" };
    slack.user("ana").mention(thread, "/desk note about=CASE-7 body=second");
    await slack.until(() => effects(folder).includes("CASE-7: second"));
    const used = await slack.until(() =>
      slack
        .thread(thread.thread_ts)
        .find(({ blocks }) => says(blocks, "CASE-7") && says(blocks, "Allowed by")),
    );
    expect(says(used.blocks, /Allowed by the standing approval of Ben Okafor/)).toBe(true);
    slack.user("ana").mention(thread, "/desk note about=CASE-8 body=other");
    const other = await slack.until(() =>
      slack.thread(thread.thread_ts).find(({ blocks }) => says(blocks, "cs:approve")),
    );
    expect(effects(folder)).not.toContain("CASE-8: other");
    await fillIn(slack, { by: "ben", card: other, button: "Deny" }, {});

    // Listed for whoever asks, and taken back only by those who may.
    await slack.user("farid").click(card.ts, "Standing approvals");
    const forGuest = await slack.until(() => slack.modal("farid"));
    expect(JSON.stringify(forGuest)).toContain("1 of 2");
    await slack.user("farid").click(forGuest.id, "cs:revoke");
    await slack.until(() => says(slack.modal("farid")?.blocks, "guest"));
    await slack.user("chloe").click(used.ts, "Standing approvals");
    const list = await slack.until(() => slack.modal("chloe"));
    expect(JSON.stringify(list.blocks)).toContain("CASE-7");
    await slack.user("chloe").click(list.id, "cs:revoke");
    await slack.until(() => says(slack.modal("chloe")?.blocks, "This needs approval again: Run “Note”"));
    expect(says(slack.modal("chloe")?.blocks, "cs:revoke")).toBe(false);
    await slack.until(() => says(card.blocks, /revoked by Chloé/));

    slack.user("ana").mention(thread, "/desk note about=CASE-7 body=third");
    await slack.until(() =>
      slack
        .thread(thread.thread_ts)
        .find(({ blocks }) => says(blocks, "third") && says(blocks, "cs:approve")),
    );
    expect(effects(folder)).not.toContain("CASE-7: third");
  });

  it("is not offered where the rule offers none", async () => {
    const card = await askChange(slack, "/desk set name=never value=1");
    expect(says(card.blocks, "cs:grant")).toBe(false);
  });
});

describe("an outcome that nobody knows", () => {
  async function lost(name: string) {
    const card = await askChange(slack, `/desk set name=${name} value=lost`);
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => says(card.blocks, "cs:settle_happened"));
    return card;
  }

  it("[approve.unknown] is settled and looked up by those whom it concerns, and never sent again", async () => {
    const happened = await lost("lost-1");
    await slack.user("farid").click(happened.ts, "It happened");
    await told(slack, "farid", happened, "guest");
    await slack.user("ben").click(happened.ts, "It happened");
    await ended(slack, happened, "settled it: it happened");

    const didNot = await lost("lost-2");
    await slack.user("chloe").click(didNot.ts, "It did not happen");
    await ended(slack, didNot, "settled it: it did not happen");

    const looked = await lost("lost-3");
    // The server that was lost comes back by itself; until then each look says why there is no answer.
    for (let looks = 1; ; looks += 1) {
      await slack.user("ben").click(looked.ts, "Look it up");
      const answers = await slack.until(() => {
        const own = slack.ephemerals("ben").filter(({ thread_ts }) => thread_ts === looked.thread_ts);
        return own.length >= looks && own;
      });
      if (says(answers.at(-1)?.blocks, "lost-3=lost")) break;
    }
    expect(says(looked.blocks, "cs:settle_happened")).toBe(true);
    await slack.user("ben").click(looked.ts, "It happened");
    await ended(slack, looked, "settled it: it happened");
    for (const name of ["lost-1", "lost-2", "lost-3"]) {
      expect(effects(folder).filter((line) => line === `${name}=lost`)).toHaveLength(1);
    }
  });
});

it("[slack.progress] stops a turn by its button while a call runs, whoever may see it", async () => {
  const question = slack.user("ana").mention("general", "/desk hang");
  const message = await answerTo(slack, question, "cs:stop");
  await slack.until(() => says(message.blocks, "Working"));
  await slack.user("ana").click(message.ts, "Stop");
  await slack.until(() => !says(message.blocks, "cs:stop") && says(message.blocks, /stopped/i));
  expect(answers(slack, question)).toHaveLength(1);
});

describe("a long result", () => {
  it("[view.limits] of 500 rows is paged by buttons, attached whole, and inert", async () => {
    const question = slack.user("ana").mention("general", "/desk rows count=500");
    const message = await answerTo(slack, question, "cs:page_next");
    const pages = Number(/Page 1 of (\d+)/.exec(JSON.stringify(message.blocks))?.[1]);
    expect(pages).toBeGreaterThan(3);
    const seen = new Set<string>();
    for (let page = 1; page <= pages; page += 1) {
      await slack.until(() => says(message.blocks, `Page ${page} of ${pages}`));
      const text = JSON.stringify(message.blocks);
      for (const [key] of text.matchAll(/ROW-\d+/g)) seen.add(key);
      const [next] = [...text.matchAll(/"action_id":"cs:page_next"[^}]*"value":"([^"]*)"/g)];
      // The button names a page; what is on it is read from the store.
      expect(next?.[1]?.length ?? 0).toBeLessThan(100);
      if (page < pages) await slack.user(page % 2 === 0 ? "ben" : "chloe").click(message.ts, "cs:page_next");
    }
    // The card shows as many rows as people read; the files have all of them.
    expect(seen.size).toBe(200);
    expect(says(message.blocks, "500 rows in all")).toBe(true);
    const files = await slack.until(() => {
      const found = slack.files().filter(({ thread }) => thread === question.ts);
      return found.length >= 2 && found;
    });
    for (const { content } of files) {
      for (const index of [0, 250, 499]) expect(String(content)).toContain(`ROW-${index}`);
    }
    expect(files.map(({ name }) => name.replace(/.*\./, "")).toSorted()).toEqual(["csv", "json"]);
    expect(says(message.blocks, /"type":"(?:broadcast|user|mrkdwn|emoji)"/)).toBe(false);
  });

  it("[view.limits] is whole behind Show JSON, page by page", async () => {
    const question = slack.user("ana").mention("general", "/desk rows count=400");
    const message = await answerTo(slack, question, "cs:menu");
    await slack.user("emi").click(message.ts, "cs:menu", "Show JSON");
    const seen = new Set<string>();
    let page = 1;
    for (;;) {
      const view = await slack.until(() => {
        const open = slack.modal("emi");
        return says(open?.blocks, `Page ${page} of`) && open;
      });
      for (const [key] of JSON.stringify(view.blocks).matchAll(/ROW-\d+/g)) seen.add(key);
      if (!says(view.blocks, "cs:page_next")) break;
      await slack.user("emi").click(view.id, "cs:page_next");
      page += 1;
    }
    expect(page).toBeGreaterThan(1);
    expect(seen.size).toBe(400);
  });
});

describe("a reminder", () => {
  it("[approve.expiry] comes once in the thread before the end, and calls no channel", async () => {
    const card = await askChange(slack, "/desk set name=urgent value=1", "ben");
    await slack.user("chloe").click(card.ts, "cs:approve");
    const reminder = await slack.until(
      () => slack.thread(card.thread_ts ?? "").find(({ blocks }) => says(blocks, "Still waiting")),
      20_000,
    );
    expect(says(reminder.blocks, `"user_id":"${slack.user("ben").id}"`)).toBe(true);
    // Of a small group those are called who have not decided yet.
    expect(says(reminder.blocks, `"user_id":"${slack.user("ana").id}"`)).toBe(true);
    expect(says(reminder.blocks, `"user_id":"${slack.user("chloe").id}"`)).toBe(false);
    expect(says(reminder.blocks, "1 of 2 approvals is there.")).toBe(true);
    expect(says(reminder.blocks, '"type":"broadcast"')).toBe(false);
    expect(reminder.text).not.toContain("<!");
    await slack.user("ana").click(card.ts, "cs:approve");
    await ended(slack, card, "Approved by");
    expect(
      slack.thread(card.thread_ts ?? "").filter(({ blocks }) => says(blocks, "Still waiting")),
    ).toHaveLength(1);
  });
});

it("[ops.tracing] a turn is one trace, from its queue to the message that says how it ended, and tells no words", async () => {
  const card = await askChange(slack, "/desk set name=pelican value=cormorant");
  await slack.user("ben").click(card.ts, "cs:approve");
  await ended(slack, card, /Approved by Ben/);
  const [approval] = readStore<{ id: string; turn_id: string }>(
    product.dataDir,
    "select id, turn_id from approvals order by created_at desc limit 1",
  );
  const spansOfTurn = () => {
    const spans = collector.spans();
    const turn = spans.find(({ attributes }) => attributes["countersign.turn"] === approval?.turn_id);
    return spans.filter(({ traceId }) => traceId === turn?.traceId);
  };
  // The last message is told a moment after the run that it shows.
  const isWhole = (): boolean => {
    const ends = (name: string): number[] =>
      spansOfTurn()
        .filter((span) => span.name === name)
        .map((span) => Number(span.endTimeUnixNano));
    return ends("run").length === 2 && Math.max(...ends("slack.edit")) > Math.max(...ends("run"));
  };
  await expect.poll(isWhole).toBe(true);
  const spans = spansOfTurn();
  const names = new Set(spans.map(({ name }) => name));
  // Whether it is notified in time is not this test's.
  names.delete("slack.notify");
  expect([...names].toSorted()).toEqual(
    ["call", "plan", "queue", "render", "run", "slack.edit", "slack.post", "turn"].toSorted(),
  );
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const [turn, ...others] = spans.filter(({ name }) => name === "turn");
  expect(others).toEqual([]);
  expect(turn?.attributes).toMatchObject({ "countersign.state": "pending_confirmation" });
  for (const span of spans) if (span !== turn) expect(ids).toContain(span.parentSpanId);
  const [first, second] = spans
    .filter(({ name }) => name === "run")
    .toSorted((a, b) => Number(a.endTimeUnixNano) - Number(b.endTimeUnixNano));
  expect(first?.links).toEqual([]);
  // People were waited for between the two: no span is open so long.
  expect(second?.links).toMatchObject([
    { spanId: turn?.spanId, attributes: { "countersign.approval": approval?.id } },
  ]);
  const calls = spans.filter(({ name }) => name === "call");
  expect(calls.at(-1)?.attributes).toMatchObject({ "countersign.server": "desk", "gen_ai.tool.name": "set" });
  expect(calls.at(-1)?.parentSpanId).toBe(second?.spanId);
  // Nothing that anybody said in this file.
  expect(collector.wire()).not.toMatch(/pelican|cormorant|unwanted|agreed|Ben Okafor|Chlo/);
});

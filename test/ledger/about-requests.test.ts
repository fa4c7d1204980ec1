import { expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createPlanAboutRequests } from "#src/turn/about-requests.ts";
import type { StoredTurn } from "#src/turn/rows.ts";

import { ana, ben, createDesk, type Desk, stranger } from "./desk.ts";
import { useStores } from "./stores.ts";

const stores = useStores();
const NAMES: Readonly<Record<string, string>> = { [ana]: "Ana Lima", [ben]: "Ben Okafor" };

/** What is answered where; undefined: it is no question of this kind. */
function answering(
  desk: Desk,
): (message: string, actor?: ActorId, channel?: string) => Promise<string | undefined> {
  const plan = createPlanAboutRequests({
    db: desk.db,
    ledger: desk.first,
    membership: {
      inChannel: async (actor) => desk.people.channel.has(actor),
      inGroup: async () => false,
      isGuest: async () => false,
    },
    nameOf: async (actor) => NAMES[actor],
    redactor: createRedactor(["ghp_secret"]),
    now: () => desk.clock.now,
  });
  return async (message, actor = ben, channel = "slack:T1:C1") => {
    const turn = { id: "turn_now", message, actor, channel, conversationId: "thread" } as StoredTurn;
    const step = await plan(turn, 1, AbortSignal.timeout(5_000));
    return step?.outcome.kind === "message" ? step.outcome.message : undefined;
  };
}

it("[approve.eligible] what waits is told in its channel only, with who asked and who may approve", async () => {
  const desk = createDesk(await stores.open("sqlite"));
  const answer = answering(desk);
  expect(await answer("what is waiting for my approval?")).toBe("Nothing waits for your approval here.");
  await desk.ask({ args: { project: "DEMO", summary: "Lamps ghp_secret" } });
  for (const message of [
    "what is waiting for my approval?",
    "anything to approve?",
    "show pending requests",
  ]) {
    const told = (await answer(message)) ?? "";
    expect(told).toMatch(/^1 request waits for an approval:\n- \*\*.*Lamps/);
    expect(told).toContain("anyone in the channel may approve · Ana Lima asked on ");
    expect(told).not.toContain("ghp_secret");
  }
  // Elsewhere only how many there are for who asks, and nothing for who may not decide.
  const elsewhere = await answer("what is waiting for my approval?", ben, "slack:T1:C2");
  expect(elsewhere).toBe(
    "Nothing waits for your approval here.\n\n1 more wait for you in other channels and conversations.",
  );
  expect(await answer("what is pending?", stranger, "slack:T2:C9")).toBe(
    "Nothing waits for an approval here.",
  );
});

it("[approve.eligible] what was changed and who approved it is told by name, and of no other channel", async () => {
  const desk = createDesk(await stores.open("sqlite"));
  const answer = answering(desk);
  const asked = await desk.ask();
  expect(await answer("who approved that?")).toContain(
    "still waits: nobody has approved it. Ana Lima asked.",
  );
  await desk.first.decide({ approvalId: asked.id, actor: ben, decision: "approve" });
  expect(await answer("who approved the last change?")).toContain(
    "was approved by Ben Okafor. Ana Lima asked.",
  );
  expect(await answer("what did you change today?")).toBe("Nothing was changed here.");
  const claimed = await desk.first.claim(asked.id, { tool: undefined, decision: undefined, seen: asked });
  expect(claimed.ok).toBe(false);
  expect(await answer("who approved the last change?", ben, "slack:T1:C2")).toBe("Nothing was changed here.");
});

it("says nothing of records, and of what is asked in other words", async () => {
  const answer = answering(createDesk(await stores.open("sqlite")));
  const messages = [
    "which issues are waiting for approval?",
    "what did we change in DEMO-3?",
    "who approved the budget page",
    "approve the pending requests",
    "what changed in the wiki this week",
    "show me the pending tickets",
    "what did the customers do to change it",
  ];
  expect(await Promise.all(messages.map((message) => answer(message)))).toEqual(
    messages.map(() => undefined),
  );
});

import { describe, expect, it, onTestFinished } from "vitest";

import type { Place } from "#contract/present.ts";
import { CountersignError } from "#src/base/errors.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { shownPhases } from "./platform.ts";
import { createStage, progress, type Stage, status } from "./stage.ts";

const stores = useStores();

describe.each(storeKinds)("showing a turn on %s", (kind) => {
  async function stage(): Promise<Stage> {
    return createStage(await stores.open(kind), onTestFinished);
  }

  it("[turn.events] posts one status message, which is edited and becomes the answer", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const turnId = await p.say({ message: "what is DEMO-1?" }, { channel: "C7", thread: "1.2" });
    await platform.until(() => platform.shown(turnId)?.phase === "queued");

    const turn = await p.begin(turnId);
    await p.emit(turn, status("planning"));
    await platform.until(() => platform.shown(turnId)?.phase === "planning");
    const call = { type: "progress", message: "Calling jira.get", progress: 1, total: 4 } as const;
    await p.emit(turn, status("executing_tools"), call);
    await platform.until(() => platform.shown(turnId)?.progress !== undefined);
    expect(platform.shown(turnId)).toMatchObject({
      phase: "executing_tools",
      progress: { message: "Calling jira.get", progress: 1, total: 4 },
      canStop: true,
    });
    await p.finish(turn, "It is about login.");
    await platform.until(() => platform.shown(turnId)?.isSettled === true);

    const message = platform.of(turnId);
    expect(message.place).toEqual({ channel: "C7", thread: "1.2" });
    expect(message.views.at(-1)).toMatchObject({
      phase: "done",
      reply: "It is about login.",
      canStop: false,
    });
    expect(message.views.at(-1)).not.toHaveProperty("progress");
    await p.presenter.stop();
    expect(await s.message(turnId)).toMatchObject({ state: "final", lease_owner: null });
  });

  it("accepts the message and its place together or not at all, and an event once", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const place: Place = {};
    place.self = place;
    await expect(p.say({ eventId: "E1" }, place)).rejects.toThrow(/circular/);
    expect(await s.db.selectFrom("turns").selectAll().execute()).toEqual([]);

    const first = await p.say({ eventId: "E1" });
    expect(await p.say({ eventId: "E1" })).toBe(first);
    await p.answer(first);
    await platform.until(() => platform.shown(first)?.isSettled === true);
    expect(platform.messages).toHaveLength(1);
  });

  it("makes one edit of a hundred progress events that come while a call is under way", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const held = Promise.withResolvers<void>();
    platform.before = (call) => (call.kind === "post" ? held.promise : undefined);
    const turnId = await p.say();
    const turn = await p.begin(turnId);
    await p.emit(turn, status("executing_tools"));
    for (let at = 1; at <= 100; at += 1) await p.emit(turn, progress(`item ${at}`));
    held.resolve();
    await platform.until(() => platform.shown(turnId)?.progress?.message === "item 100");
    await p.finish(turn, "All items.");
    await platform.until(() => platform.shown(turnId)?.reply === "All items.");
    expect(shownPhases(platform, turnId)).toEqual(["post queued", "edit executing_tools", "edit done"]);
    expect(platform.most.message).toBe(1);
  });

  it("spares edits between two of a turn that goes on, and does not let its end wait", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open({ pace: { minEditMs: 3_600_000 } });
    const turnId = await p.say();
    await platform.until(() => platform.shown(turnId) !== undefined);
    const turn = await p.begin(turnId);
    await p.emit(turn, status("executing_tools"), progress("one"), progress("two"));
    await p.finish(turn, "Done.");
    await platform.until(() => platform.shown(turnId)?.isSettled === true);
    expect(shownPhases(platform, turnId)).toEqual(["post queued", "edit done"]);
  });

  it("posts a turn that ends within the status delay as its answer, with one call", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open({ port: { ...platform.port(), statusDelayMs: () => 3_600_000 } });
    const turnId = await p.say();
    await p.answer(turnId, "Four.");
    await platform.until(() => platform.shown(turnId)?.isSettled === true);
    await p.presenter.stop();
    expect(shownPhases(platform, turnId)).toEqual(["post done"]);
    expect(platform.of(turnId).views).toHaveLength(1);
  });

  it("edits the message of a turn that is silent, so that its elapsed time moves", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open({ pace: { refreshMs: 20 } });
    const turnId = await p.say();
    await p.emit(await p.begin(turnId), status("planning"));
    await platform.until(() => platform.shown(turnId)?.phase === "planning");
    s.clock.now += 5_000;
    await platform.until(() => (platform.shown(turnId)?.elapsedMs ?? 0) >= 5_000);
    expect(platform.shown(turnId)?.phase).toBe("planning");
  });

  it("delivers the answer although the platform refuses it again and again, and waits as long as it says", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const turnId = await p.say();
    await platform.until(() => platform.shown(turnId) !== undefined);
    const refusals = [
      new Error("socket hang up"),
      Object.assign(new Error("ratelimited"), { retryAfterMs: 60 }),
      new Error("internal_error"),
    ];
    platform.before = (call) => {
      const refusal = call.kind === "edit" ? refusals.shift() : undefined;
      if (refusal !== undefined) throw refusal;
    };
    await p.answer(turnId, "At last.");
    await platform.until(() => platform.shown(turnId)?.reply === "At last.");
    const edits = platform.calls.filter((call) => call.kind === "edit");
    expect(edits).toHaveLength(4);
    // Timers of Node may come up to a millisecond early.
    expect((edits[2]?.at ?? 0) - (edits[1]?.at ?? 0)).toBeGreaterThanOrEqual(59);
    expect(platform.messages).toHaveLength(1);
  });

  it("looks for a post whose answer was lost instead of posting again, and not for one that was refused", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    let isLost = false;
    platform.after = (call) => {
      if (call.kind !== "post" || isLost) return;
      isLost = true;
      throw new Error("timeout");
    };
    const lost = await p.say();
    await p.answer(lost);
    await platform.until(() => platform.shown(lost)?.isSettled === true);
    expect(platform.of(lost).views.at(-1)?.reply).toBe("Done.");
    expect(platform.calls.filter((call) => call.kind !== "edit").map((call) => call.kind)).toEqual([
      "post",
      "find",
    ]);

    let isRefused = false;
    platform.before = (call) => {
      if (call.kind !== "post" || isRefused) return;
      isRefused = true;
      throw Object.assign(new Error("ratelimited"), { retryAfterMs: 1 });
    };
    const refused = await p.say();
    await platform.until(() => platform.shown(refused) !== undefined);
    const kinds = platform.calls.filter((call) => call.turnId === refused).map((call) => call.kind);
    expect(kinds.slice(0, 2)).toEqual(["post", "post"]);
    expect(platform.messages).toHaveLength(2);
  });

  it("posts anew when somebody deleted the message, and gives up where the bot may no longer post", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const turnId = await p.say();
    await platform.until(() => platform.shown(turnId) !== undefined);
    platform.before = (call) => {
      if (call.kind === "edit") throw new CountersignError("message_gone", "message_not_found");
    };
    await p.answer(turnId, "Here.");
    await platform.until(() => platform.messages.length === 2);
    expect(platform.messages[1]?.views.at(-1)?.reply).toBe("Here.");

    platform.before = () => {
      throw new CountersignError("place_gone", "is_archived");
    };
    const nowhere = await p.say();
    await platform.until(() => platform.calls.some((call) => call.turnId === nowhere));
    await p.presenter.stop();
    expect(await s.message(nowhere)).toMatchObject({ state: "undeliverable", lease_owner: null });
    expect(s.warnings).toContain("the turn cannot be shown where it was asked, given up");
  });

  it("gives up what a platform has refused for too long, also between edits of a turn that goes on", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open({ pace: { minEditMs: 5, giveUpMs: 60_000 } });
    const turnId = await p.say();
    await platform.until(() => platform.shown(turnId) !== undefined);
    platform.before = () => {
      throw new Error("internal_error");
    };
    await p.emit(await p.begin(turnId), status("planning"));
    await platform.until(() => platform.calls.length === 4);
    s.clock.now += 60_001;
    await expect.poll(async () => (await s.message(turnId)).state).toBe("undeliverable");
    // Not the last one: the lease ended with the clock's jump, and who took it over may have begun to try.
    expect(s.warnings).toContain("the turn cannot be shown where it was asked, given up");
  });

  it("shows the states of thirty turns at once, each in order, one call at a time for each", async () => {
    const { platform, ...s } = await stage();
    const p = await s.open();
    const turnIds = await Promise.all(Array.from({ length: 30 }, () => p.say()));
    await Promise.all(
      turnIds.map(async (turnId) => {
        const turn = await p.begin(turnId);
        await p.emit(
          turn,
          status("planning"),
          status("executing_tools"),
          progress("call"),
          status("summarizing"),
        );
        await p.finish(turn, `answer of ${turnId}`);
      }),
    );
    await platform.until(() => turnIds.every((turnId) => platform.shown(turnId)?.isSettled === true));
    const order = ["queued", "planning", "executing_tools", "summarizing", "done"];
    for (const turnId of turnIds) {
      const { views } = platform.of(turnId);
      const places = views.map((view) => order.indexOf(view.phase));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(views.at(-1)?.reply).toBe(`answer of ${turnId}`);
    }
    expect(platform.most.message).toBe(1);
  });
});

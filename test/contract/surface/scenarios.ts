import { expect } from "vitest";

import type { Capability, OpenSurface, Said } from "./surface.ts";
import { READABLE, SOURCE } from "./words.ts";

/** Takes a scenario: a title, what the surface must have for it, and what happens. */
export type Take = (
  title: string,
  needs: readonly Capability[],
  run: (surface: OpenSurface, has: (capability: Capability) => boolean) => Promise<void>,
) => void;

/** Somebody asks for a change; resolves once a decision is asked for. */
async function ask(surface: OpenSurface, name: string, value: string): Promise<Said> {
  const said = await surface.say("ana", `/do put name=${name} value=${value}`);
  await said.waits();
  return said;
}

/** Everything that holds of a running surface. Each has names of its own, so they share one product. */
export function whileItRuns(it: Take): void {
  it("answers a read with its result and a link to where it comes from", [], async (surface) => {
    const said = await surface.say("ana", "/do issue mark=plain");
    await said.until("marked plain");
    expect(said.text()).toContain("DEMO-1");
    expect(await said.live()).toContain(SOURCE);
    await said.isOver();
    expect(said.answers()).toBe(1);
  });

  it(
    "[view.limits] leaves the words of data words: none formats, mentions, links or runs",
    [],
    async (surface) => {
      const said = await surface.say("ana", "/do issue mark=hostile");
      await said.until("marked hostile");
      for (const words of READABLE) expect(said.text()).toContain(words);
      const acts = (await said.live()).filter((act) => act !== SOURCE);
      expect(acts.filter((act) => !act.startsWith("formats ") || act === "formats bold")).toEqual([]);
    },
  );

  it("[mcp.progress] shows a call's progress in the message that becomes the answer", [], async (surface) => {
    const said = await surface.say("ana", "/do work gate=first");
    await said.until("half way there");
    expect(said.text()).not.toContain("finished first");
    surface.effects.open("first");
    await said.until("finished first");
    expect(said.text()).not.toContain("half way there");
    await said.isOver();
    expect(said.answers()).toBe(1);
  });

  it("[turn.order] runs a message once that is delivered three times", ["redelivery"], async (surface) => {
    const said = await surface.say("ana", "/do issue mark=once", { times: 3 });
    await said.until("marked once");
    // Whatever else was delivered stands before this in the conversation.
    const next = await surface.say("ana", "/do issue mark=next", { in: said });
    await next.until("marked next");
    expect(surface.effects.count("read once")).toBe(1);
    await next.isOver();
    expect(next.answers()).toBe(2);
  });

  it(
    "[mcp.cancel] stops what runs for the person who says so, shows that it did, and cancels the call",
    [],
    async (surface, has) => {
      const said = await surface.say("ana", "/do work gate=never");
      await surface.effects.happened("began never");
      await said.stop("ana");
      await said.until(/stopped by/i);
      if (has("people")) await said.until(/stopped by\W.*\bana\b/i);
      await surface.effects.happened("cancelled never");
      await said.isOver();
      expect(said.answers()).toBe(1);
    },
  );

  it("[view.limits] leaves nothing of 500 rows out of reach", [], async (surface) => {
    const said = await surface.say("ana", "/do rows count=500");
    await said.until("ROW-0.");
    const whole = await said.whole();
    const missing = Array.from({ length: 500 }, (_, index) => `ROW-${index}.`).filter(
      (key) => !whole.includes(key),
    );
    expect(missing).toEqual([]);
  });

  it("[plan.missing-args] does not send a call that lacks an argument, and names it", [], async (surface) => {
    const said = await surface.say("ana", "/do put name=half");
    await said.until(/\bvalue\b/i);
    await said.isOver();
    expect(said.answers()).toBe(1);
    expect(surface.effects.count("put half=")).toBe(0);
  });

  it(
    "[plan.missing-args] takes what a call lacks in a form, and still asks before it changes anything",
    ["forms"],
    async (surface) => {
      const said = await surface.say("ana", "/do put name=formed");
      await said.until(/\bvalue\b/i);
      await said.fill("ana", { Value: "filled in" });
      await said.waits();
      expect(surface.effects.count("put formed=filled in")).toBe(0);
      await said.approve("ben");
      await said.until("stored filled in under formed");
      expect(surface.effects.count("put formed=filled in")).toBe(1);
    },
  );
}

/** What holds of decisions. */
export function decisions(it: Take): void {
  it(
    "[approve.two-phase] waits with a change for an approval, then makes it, in the same message",
    [],
    async (surface) => {
      const said = await ask(surface, "wanted", "one");
      expect(said.text()).toContain("Put “wanted”?");
      expect(said.text()).toMatch(/\bone\b/);
      expect(said.text()).not.toContain("stored");
      expect(surface.effects.count("put wanted=one")).toBe(0);
      await said.approve("ben");
      await said.until("stored one under wanted");
      await said.isOver();
      expect(surface.effects.count("put wanted=one")).toBe(1);
      expect(said.answers()).toBe(1);
    },
  );

  it(
    "[approve.expiry] makes a change once that two approve at the same time, and tells the second",
    [],
    async (surface) => {
      const said = await ask(surface, "twice", "two");
      await said.approve("ben", "chloe");
      await Promise.any([said.told("ben", /already/i), said.told("chloe", /already/i)]);
      await said.until("stored two under twice");
      await said.isOver();
      expect(surface.effects.count("put twice=two")).toBe(1);
    },
  );

  it(
    "[approve.two-phase] changes nothing when denied, and shows the reason to everybody",
    [],
    async (surface) => {
      const said = await ask(surface, "unwanted", "three");
      await said.deny("ben", "not this week");
      await said.isOver();
      await said.until("not this week");
      expect(surface.effects.count("put unwanted=three")).toBe(0);
      expect(said.text()).not.toContain("stored");
    },
  );

  it(
    "[approve.eligible] refuses who may not decide, says so, and goes on waiting for who may",
    [],
    async (surface, has) => {
      const said = await ask(surface, "guarded", "four");
      await said.approve("ben");
      await said.told("ben", "leads");
      expect(surface.effects.count("put guarded=four")).toBe(0);
      await said.waits();
      if (!has("people")) return;
      await said.approve("chloe");
      await said.until("stored four under guarded");
      expect(surface.effects.count("put guarded=four")).toBe(1);
    },
  );
}

/** What holds across the end of the process. It is killed, started again and stopped in them, in this order. */
export function acrossItsEnd(it: Take): void {
  it(
    "[approve.durable] takes an approval of an earlier request after kill -9, in its message",
    [],
    async (surface) => {
      const said = await ask(surface, "survivor", "five");
      await surface.kill();
      await surface.restart();
      await said.approve("ben");
      await said.until("stored five under survivor");
      await said.isOver();
      expect(surface.effects.count("put survivor=five")).toBe(1);
      expect(said.answers()).toBe(1);
    },
  );

  it(
    "[turn.order] does not run again what is delivered again after a restart",
    ["redelivery"],
    async (surface) => {
      const said = await surface.say("ana", "/do issue mark=before");
      await said.until("marked before");
      await surface.kill();
      await surface.restart();
      await surface.redeliver(said);
      const next = await surface.say("ana", "/do issue mark=after", { in: said });
      await next.until("marked after");
      expect(surface.effects.count("read before")).toBe(1);
      await next.isOver();
      expect(next.answers()).toBe(2);
    },
  );

  it(
    "[turn.recover] goes on after kill -9 with what ran, in the message that was there",
    [],
    async (surface) => {
      const said = await surface.say("ana", "/do work gate=resumed");
      await surface.effects.happened("began resumed");
      await surface.kill();
      surface.effects.open("resumed");
      await surface.restart();
      await said.until("finished resumed");
      await said.isOver();
      expect(said.answers()).toBe(1);
    },
  );

  it("ends with code 0 when it is told to end", [], async (surface) => {
    expect(await surface.stop()).toBe(0);
  });
}

import { expect, it } from "vitest";

import { createTurnSignals } from "#src/turn/events.ts";

it("[turn.events] a signal wakes all who wait for that turn, and nobody else", async () => {
  const signals = createTurnSignals(0);
  const never = new AbortController();
  const woken: string[] = [];
  const wait = (name: string, turnId: string, signal = never.signal): Promise<unknown> =>
    signals.wait(turnId, signal).then(() => woken.push(name));
  const waiting = [wait("a", "t1"), wait("b", "t1")];
  const other = wait("c", "t2");
  signals.notify("t1", { events: [] });
  await Promise.all(waiting);
  expect(woken.toSorted()).toEqual(["a", "b"]);
  // Told once: who waits again waits for the next one.
  const again = wait("d", "t1");
  signals.notify("t3", { events: [] });
  never.abort();
  await Promise.all([other, again]);
  await wait("e", "t1", AbortSignal.abort());
  expect(woken.slice(2).toSorted()).toEqual(["c", "d", "e"]);
});

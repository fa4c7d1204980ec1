import { WebAPIRateLimitedError } from "@slack/web-api";
import { expect, it } from "vitest";

import { createCallBudget } from "#adapters/slack/send/budget.ts";
import { SlackRefusal } from "#adapters/slack/send/refusal.ts";

it("tells the presenter how long to wait, and lets other channels and methods go on", async () => {
  const budget = createCallBudget();
  const limited = (): Promise<never> => Promise.reject(new WebAPIRateLimitedError(3600));
  const refused = budget.run("chat.update", "C1", limited);
  await expect(refused).rejects.toThrow(SlackRefusal);
  await expect(refused).rejects.toMatchObject({ retryAfterMs: 3_600_000 });

  const held = budget.run("chat.update", "C1", () => Promise.resolve("never"));
  expect(await budget.run("chat.update", "C2", () => Promise.resolve("other channel"))).toBe("other channel");
  expect(await budget.run("chat.postMessage", "C1", () => Promise.resolve("post"))).toBe("post");

  // The hour is not over: the call that waits for it ends with the budget.
  budget.stop();
  await expect(held).rejects.toThrow("aborted");
});

it("keeps the order of calls in a channel, and goes on after one that failed", async () => {
  const budget = createCallBudget();
  const order: string[] = [];
  const note = (name: string) => (): Promise<void> => Promise.resolve(void order.push(name));
  await Promise.allSettled([
    budget.run("chat.update", "C1", note("first")),
    budget.run("chat.update", "C1", () => Promise.reject(new Error("no"))),
    budget.run("chat.update", "C1", note("second")),
  ]);
  expect(order).toEqual(["first", "second"]);
});

it("counts edits for a whole workspace, as Slack does, and posts for each channel", async () => {
  const budget = createCallBudget();
  const before = budget.room("chat.update", "T1 C2");
  for (const channel of ["C1", "C2", "C3"]) {
    await budget.run("chat.update", `T1 ${channel}`, () => Promise.resolve());
  }
  expect(Math.floor(budget.room("chat.update", "T1 C9"))).toBe(before - 3);
  expect(budget.room("chat.update", "T2 C9")).toBe(before);
  await budget.run("chat.postMessage", "T1 C1", () => Promise.resolve());
  expect(budget.room("chat.postMessage", "T1 C1")).toBeLessThan(budget.room("chat.postMessage", "T1 C2"));
  budget.stop();
});

it("has no room where a 429 closed the place, and little left in the workspace", async () => {
  const budget = createCallBudget();
  const limited = (): Promise<never> => Promise.reject(new WebAPIRateLimitedError(60));
  await expect(budget.run("chat.update", "T1 C1", limited)).rejects.toThrow(SlackRefusal);
  expect(budget.room("chat.update", "T1 C1")).toBeLessThanOrEqual(0);
  expect(budget.room("chat.update", "T1 C2")).toBeLessThan(1);
  budget.stop();
});

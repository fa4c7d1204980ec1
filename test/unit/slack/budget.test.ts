import { WebAPIRateLimitedError } from "@slack/web-api";
import { expect, it } from "vitest";

import { createCallBudget } from "#adapters/slack/budget.ts";
import { SlackRefusal } from "#adapters/slack/refusal.ts";

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

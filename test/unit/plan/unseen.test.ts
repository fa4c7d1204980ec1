import { readFileSync } from "node:fs";

import { expect, it } from "vitest";
import { parse } from "yaml";

import type { JsonObject } from "#contract/json.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { crowd } from "../../../bench/eval/catalogue.ts";
import { catalogueOf, demoTools, planInput } from "./tools.ts";

interface Wanted {
  calls?: Record<string, JsonObject>[];
  refuse?: true;
}

it("[llm.builtin] plans most requests over 80 tools that it was never tuned on", async () => {
  const url = new URL("../../fixtures/eval/unseen.yaml", import.meta.url);
  const requests = parse(readFileSync(url, "utf8")) as (Wanted & { say: string; or?: Wanted[] })[];
  const tools = [...(await demoTools()), ...crowd()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const planner = createBuiltinPlanner();
  const checker = createArgumentChecker();
  let right = 0;
  let rightTools = 0;
  for (const { say, or = [], ...wanted } of requests) {
    const plan = parsePlan(planner.plan(planInput(say, tools)).text, catalogueOf(tools), checker);
    const commands = plan.ok ? plan.commands : [];
    const calls = commands.flatMap((one) => (one.command === "ERROR" ? [] : [{ [one.tool]: one.args }]));
    const got: Wanted = commands[0]?.command === "ERROR" ? { refuse: true } : { calls };
    const ways = [wanted, ...or];
    if (ways.some((one) => JSON.stringify(toolsOf(one)) === JSON.stringify(toolsOf(got)))) rightTools += 1;
    if (ways.some((one) => isSame(got, one))) right += 1;
  }
  expect(requests.length).toBeGreaterThanOrEqual(40);
  expect(rightTools / requests.length).toBeGreaterThanOrEqual(0.9);
  expect(right / requests.length).toBeGreaterThanOrEqual(0.85);
});

function toolsOf({ calls, refuse }: Wanted): unknown {
  return refuse ?? calls?.map((call) => Object.keys(call));
}

/** Whatever the order of the arguments. */
function isSame(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

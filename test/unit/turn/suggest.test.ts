import { expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createPolicy } from "#src/policy/policy.ts";
import { createSuggest } from "#src/turn/suggest.ts";
import { buildTool } from "#test/builders.ts";

const tool = (readOnlyHint?: boolean): Tool =>
  buildTool("box.touch", {
    description: "Lists boxes.",
    annotations: readOnlyHint === undefined ? {} : { readOnlyHint },
    trusted: false,
  });

/** How often typing `te` calls the tool, where policy allows it. */
async function callsOf(offered: Tool, idempotent: boolean): Promise<number> {
  let calls = 0;
  const suggest = createSuggest({
    tools: {
      find: () => offered,
      call: () => {
        calls += 1;
        return Promise.resolve({ ok: true, data: [{ id: "test" }] });
      },
    },
    policy: createPolicy({ default: "ask", rules: [{ tools: ["box.*"], decision: "allow", idempotent }] }),
    sources: () => ({ server: "box", complete: { name: { tool: "touch", args: {}, value: "id" } } }),
  });
  const signal = new AbortController().signal;
  await suggest({
    command: "box",
    argument: "name",
    text: "te",
    channel: "c",
    actor: "slack:T1:ANA",
    signal,
  });
  return calls;
}

it("[approve.two-phase] typing calls what reads, and no change, also none that policy allows", async () => {
  expect(await callsOf(tool(true), false)).toBe(1);
  expect(await callsOf(tool(), true)).toBe(1);
  expect(await callsOf(tool(), false)).toBe(0);
  expect(await callsOf(tool(false), false)).toBe(0);
});

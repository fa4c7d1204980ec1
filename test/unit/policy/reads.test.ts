import { expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createPolicy } from "#src/policy/policy.ts";
import { withTrustInReads } from "#src/policy/reads.ts";
import { makeTool } from "#test/ledger/desk.ts";

const read = makeTool({
  id: "notes.read",
  server: "notes",
  trusted: false,
  annotations: { readOnlyHint: true },
});
const decided = (tool: Tool, all: Tool[], rules = {}) => {
  const decision = createPolicy({ default: "ask", rules: [], ...rules })(tool, {});
  return withTrustInReads(decision, tool, () => all);
};

it("[policy.trust] is offered for what nobody but its server calls a read, and where no rule says otherwise", () => {
  expect(decided(read, [read])).toMatchObject({ decision: "ask", grants: { reads: { server: "notes" } } });
  const rules = [{ tools: ["notes.*"], decision: "ask" as const }];
  expect(decided(read, [read], { rules }).grants).toBeUndefined();
  expect(decided(read, [read], { default: "deny" }).grants).toBeUndefined();
  for (const changes of [
    { annotations: {} },
    { annotations: { readOnlyHint: true, destructiveHint: true } },
    { trusted: true },
  ]) {
    const tool = { ...read, ...changes };
    expect(decided(tool, [tool]).grants?.reads).toBeUndefined();
  }
});

it("[policy.trust] its seal is another one once a read of the server is new, gone or told otherwise", () => {
  const other = { ...read, id: "notes.list", digest: "1".repeat(64) };
  const sealOf = (all: Tool[]) => decided(read, all).grants?.reads?.seal;
  const seals = [[read], [read, other], [read, { ...other, digest: "2".repeat(64) }]].map(sealOf);
  expect(new Set(seals).size).toBe(3);
  const unrelated = [
    { ...other, server: "wiki" },
    { ...other, annotations: {} },
  ];
  expect(sealOf([...unrelated, read])).toBe(seals[0]);
});

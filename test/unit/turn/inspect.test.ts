import { expect, it } from "vitest";

import { createRedactor } from "#src/base/redact.ts";
import { maskSteps } from "#src/turn/journal.ts";

it("[ops.logs] masks secret arguments in plans, calls and prompts of the journal", () => {
  const args = { user: "ana", password: 'hunt"er22', nested: { apiToken: "t0ken-1234" }, pin: 4 };
  const { steps, text: masked } = maskSteps(
    [
      {
        seq: 1,
        kind: "decide",
        state: "outcome",
        at: 0,
        data: { outcome: { calls: [{ tool: "a.b", args }] } },
      },
      { seq: 2, kind: "call", state: "intent", at: 0, data: { call: "c", tool: "a.b", args } },
      {
        seq: 3,
        kind: "decide",
        state: "intent",
        at: 0,
        data: { prompt: `TASK(${JSON.stringify(args)}) with t0ken-1234`, attempts: [{ raw: "swordfish" }] },
      },
    ],
    createRedactor(["swordfish"]),
  );
  expect(masked('/a b password=hunt"er22 to swordfish')).toBe("/a b password=[redacted] to [redacted]");
  const text = JSON.stringify(steps);
  for (const secret of ["hunt", "t0ken-1234", "swordfish"]) expect(text).not.toContain(secret);
  expect(steps[1]?.data).toEqual({
    call: "c",
    tool: "a.b",
    args: { user: "ana", password: "[redacted]", nested: { apiToken: "[redacted]" }, pin: 4 },
  });
  expect(steps.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

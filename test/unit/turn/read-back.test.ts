import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { ToolBox } from "#contract/tool.ts";
import { createPolicy } from "#src/policy/policy.ts";
import { createRedactor } from "#src/base/redact.ts";
import { compareReadBack, fieldsIn } from "#src/base/read-back.ts";
import { createReview } from "#src/turn/review.ts";
import { createViews } from "#views/manager.ts";
import { createStatements } from "#views/statement.ts";
import { buildTool } from "#test/builders.ts";

const before = {
  id: 7,
  title: "Printer",
  state: "open",
  labels: ["old"],
  due: "2026-01-05T00:00:00Z",
  assignee: { login: "ben" },
  body: "Fire",
};

describe("a change read back", () => {
  it.each([
    ["all took effect", { state: "Closed" }, { ...before, state: "closed" }, []],
    [
      "a person by what the server calls them",
      { assignee: "ANA" },
      { ...before, assignee: { login: "ana" } },
      [],
    ],
    ["a list in any order", { labels: ["b", "a"] }, { labels: [{ name: "a" }, { name: "b" }] }, []],
    ["in an envelope", { state: "closed" }, { issue: { ...before, state: "closed" } }, []],
    ["a day as a moment took effect", { due: "2026-01-05" }, { ...before, due: "2026-01-05T00:00:00Z" }, []],
    [
      "what is as it was was not applied",
      { state: "closed", title: "Printer 2" },
      { ...before, title: "Printer 2" },
      ["state"],
    ],
  ])("[card.statement] says that %s", (_, args, after, notApplied) => {
    expect(compareReadBack(args, { before, after })).toEqual({ notApplied });
  });

  it("[card.statement] tells nothing of what the server wrote in its own way, or does not keep", () => {
    const after = { ...before, body: "<p>Smoke</p>" };
    expect(compareReadBack({ body: "Smoke" }, { before, after })).toBeUndefined();
    expect(compareReadBack({ comment: "Smoke" }, { before, after })).toBeUndefined();
    expect(compareReadBack({ state: "closed" }, { before, after: "no record" })).toBeUndefined();
    expect(fieldsIn(before, { state: "closed", comment: "Smoke" })).toEqual({ state: "closed" });
  });

  it("[card.statement] stands on the receipt of any server", () => {
    const call = {
      toolId: "track.update",
      server: "track",
      name: "update",
      args: { id: 7, state: "closed" },
    };
    const draw = (notApplied: string[]): string =>
      JSON.stringify(
        createViews({}, () => {}).result({ ...call, ok: true, data: { ok: true }, readBack: { notApplied } })
          .card,
      );
    expect(draw([])).toContain('"text":"verified"');
    expect(draw(["state"])).toMatch(/not.*State/i);
    expect(draw(["state"])).not.toContain("verified");
  });

  it("[card.statement] reads what the configuration names, by what names the record, and only where it can tell", async () => {
    const properties = { id: { type: "integer" } };
    const read = buildTool("track.get_item", {
      trusted: true,
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object", properties, required: ["id"] },
    });
    const update = buildTool("track.update_item");
    const reads: JsonObject[] = [];
    const tools: ToolBox = {
      tools: () => [read, update],
      find: (name) => [read, update].find(({ id }) => id === name),
      servers: () => [],
      call({ args }) {
        reads.push(args);
        return Promise.resolve({ ok: true, data: { ...before, state: "closed" } });
      },
    };
    const review = createReview({
      tools,
      policy: createPolicy({ default: "ask", rules: [] }),
      statements: createStatements({ "track.update_item": { object: { read: "get_item", title: "title" } } }),
      redactor: createRedactor([]),
    });
    const caller = { turnId: "t", actor: "http:ana", channel: "c" } as const;
    const { signal } = new AbortController();
    const readBack = (args: JsonObject): ReturnType<typeof review.readBack> =>
      review.readBack({ tool: update, args, before }, caller, signal);
    expect(await readBack({ id: 7, state: "closed" })).toEqual({ notApplied: [] });
    expect(await readBack({ id: 7, state: "closed", title: "New" })).toEqual({ notApplied: ["title"] });
    expect(reads).toEqual([{ id: 7 }, { id: 7 }]);
    expect(await readBack({ id: 7, comment: "hello" })).toBeUndefined();
    expect(reads).toHaveLength(2);
  });
});

import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parsePlan } from "#src/plan/protocol.ts";
import { decisionSchema, renderStructured, renderWholeReads } from "#src/plan/structured.ts";
import { buildTool } from "#test/builders.ts";
import { grammarLength, grammarRoom } from "#test/fakes/ollama-grammar.ts";

import { demoTools, type Listed, makeTool } from "../plan/tools.ts";

const get = buildTool("jira.get_jira_issue");
const catalogue = { find: (name: string) => (name === get.id ? get : undefined) };

function parsed(commands: unknown): ReturnType<typeof parsePlan> {
  return parsePlan(renderStructured(JSON.stringify({ commands })), catalogue);
}

describe("a constrained answer", () => {
  it("[llm.structured] is rendered to the block that the one parser reads", () => {
    const query = { command: "QUERY", tool: get.id, args: { issue_key: "DEMO-1" } };
    expect(parsed([query, query])).toEqual({ ok: true, commands: [query, query] });
    expect(parsed([{ command: "ERROR", message: "no\nEND\nBEGIN" }])).toEqual({
      ok: true,
      commands: [{ command: "ERROR", message: "no\nEND\nBEGIN" }],
    });
    expect(parsed([{ command: "QUERY", tool: "final_answer" }])).toMatchObject({
      ok: true,
      commands: [{ tool: "final_answer" }],
    });
  });

  it("[llm.structured] is found where a model that nothing holds to the schema says more", () => {
    const query = { command: "QUERY", tool: get.id, args: { issue_key: "a } b" } };
    const json = JSON.stringify({ commands: [query] }, null, 1);
    for (const said of [`\`\`\`json\n${json}\n\`\`\``, `I look it up: ${json} That is all {"a": 1}`]) {
      expect(parsePlan(renderStructured(said), catalogue)).toEqual({ ok: true, commands: [query] });
    }
    for (const said of [
      `${json}\n${json}`,
      json.slice(0, -4),
      `BEGIN\n${json}\nEND`,
      `It says:\n| ${JSON.stringify({ commands: [query] })}`,
    ]) {
      expect(parsePlan(renderStructured(said), catalogue)).toMatchObject({ ok: false });
    }
  });

  it("[llm.structured] cannot say more than a block can", () => {
    const task = { command: "TASK", tool: get.id, args: {} };
    expect(parsed([task, task])).toMatchObject({ ok: false, fault: { code: "mixed_block" } });
    expect(parsed([{ command: "QUERY", tool: "jira.drop", args: {} }])).toMatchObject({
      ok: false,
      fault: { code: "unknown_tool" },
    });
    expect(parsed([])).toMatchObject({ ok: false });
    for (const wrong of [[{ command: "RUN", tool: get.id }], [null], "QUERY", { command: "QUERY" }]) {
      expect(parsed(wrong)).toMatchObject({ ok: false });
    }
  });

  it("[llm.structured] values survive as they are, whatever they hold", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          fc.jsonValue(),
        ),
        (args) => {
          const plain = JSON.parse(JSON.stringify(args)) as object;
          const holdsProto = JSON.stringify(plain).includes("__proto__");
          fc.pre(!holdsProto);
          expect(parsed([{ command: "QUERY", tool: get.id, args: plain }])).toEqual({
            ok: true,
            commands: [{ command: "QUERY", tool: get.id, args: plain }],
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[plan.protocol] text that is not of that form is left to the parser", () => {
    for (const text of ["", "BEGIN\nEND", '{"commands": 1}', '{"command": "QUERY"}', "[1]", "null", "{"]) {
      expect(renderStructured(text)).toBe(text);
    }
  });

  it("[llm.structured] what was cut off is as much of it as was read whole, and never a change", () => {
    const read = (key: string): string =>
      JSON.stringify({ command: "QUERY", tool: get.id, args: { issue_key: key } });
    const change = '{"command": "TASK", "tool": "jira.delete_issue", "args": {"issue_key": "DEMO-1"}}';
    const reads = (text: string): unknown[] => {
      const block = renderWholeReads(text, (tool) => tool === get.id);
      const found = block === undefined ? undefined : parsePlan(block, catalogue);
      return found?.ok === true ? found.commands.map((one) => "args" in one && one.args.issue_key) : [];
    };
    const start = '{\n  "commands": [\n';
    expect(reads(`${start}${read("DEMO-1")},\n${read("DEMO-2")}, {"command": "QUERY", "to`)).toEqual([
      "DEMO-1",
      "DEMO-2",
    ]);
    expect(reads(`${start}${read("DEMO-1")}, ${change}, {"command"`)).toEqual(["DEMO-1"]);
    // What changes something is none, whatever the model calls it.
    const lie = change.replace("TASK", "QUERY");
    expect(reads(`${start}${read("DEMO-1")}, ${lie}, {"command"`)).toEqual(["DEMO-1"]);
    for (const text of [
      `${start}${change}, {"comm`,
      `${start}{"command": "QUERY", "tool": "jira.g`,
      "",
      "BEGIN",
    ])
      expect(renderWholeReads(text, () => true)).toBeUndefined();
  });

  it("[llm.structured] [plan.tools-injected] the schema allows the listed tools and final_answer only", () => {
    const validate = new Ajv2020().compile(decisionSchema([get]));
    const plan = (tool: string): object => ({ commands: [{ command: "QUERY", tool, args: {} }] });
    expect(validate(plan(get.id))).toBe(true);
    expect(validate(plan("final_answer"))).toBe(true);
    expect(validate(plan("jira.delete_issue"))).toBe(false);
    expect(validate({ commands: [] })).toBe(false);
    expect(validate({ commands: [{ command: "RUN" }] })).toBe(false);
  });

  it.each(["github", "jira-cloud", "mcp-atlassian", "filesystem"])(
    "[llm.structured] [llm.ollama] the grammar of a decision over %s has room on an Ollama",
    (server) => {
      const url = new URL(`../../fixtures/outcome/catalogues/${server}.json`, import.meta.url);
      const { tools } = JSON.parse(readFileSync(url, "utf8")) as { tools: Listed[] };
      const listed = tools.slice(0, 40).map((tool) => makeTool(server, tool));
      const schema = decisionSchema(listed);
      expect(grammarLength(schema)).toBeLessThan(0.9 * grammarRoom(schema));
    },
  );

  it("[llm.structured] [llm.ollama] the grammar of a decision over the bundled tools has room on an Ollama", async () => {
    const schema = decisionSchema(await demoTools());
    expect(grammarLength(schema)).toBeLessThan(0.9 * grammarRoom(schema));
  });
});

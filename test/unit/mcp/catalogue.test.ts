import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { digest } from "#src/base/json.ts";
import { namedTool, toolById } from "#src/base/tool-names.ts";
import { mergeTools, toTool } from "#src/mcp/catalogue/catalogue.ts";

const inputSchema = { type: "object" as const, properties: { a: { type: "string" } } };

function tool(server: string, name: string, more: Partial<McpTool> = {}): Tool {
  return toTool(server, false, { name, inputSchema, ...more });
}

describe("toTool", () => {
  it("keeps what the server says and fills what it does not", () => {
    const annotations = { readOnlyHint: true, title: "Look up", destructiveHint: undefined };
    expect(toTool("jira", true, { name: "look", inputSchema, annotations })).toEqual({
      id: "jira.look",
      server: "jira",
      name: "look",
      title: "Look up",
      description: "",
      inputSchema,
      annotations: { readOnlyHint: true },
      digest: digest({ name: "look", description: "", inputSchema, outputSchema: null }),
      trusted: true,
    });
  });

  it("changes the digest with the description and either schema, and with nothing else", () => {
    const outputSchema = { type: "object" as const };
    const digests = [
      tool("a", "look"),
      tool("a", "look", { description: "Now with a trap." }),
      tool("a", "look", { inputSchema: { type: "object" } }),
      tool("a", "look", { outputSchema }),
    ].map((made) => made.digest);
    expect(new Set(digests).size).toBe(4);
    expect(tool("b", "look", { annotations: { readOnlyHint: true } }).digest).toBe(digests[0]);
  });
});

describe("mergeTools", () => {
  it("sorts by id and finds by id and by bare name", () => {
    const catalogue = mergeTools([[tool("z", "b"), tool("z", "a")], [tool("a", "c")]]);
    expect(catalogue.tools.map((made) => made.id)).toEqual(["a.c", "z.a", "z.b"]);
    expect(catalogue.find("z.a")?.id).toBe("z.a");
    expect(catalogue.find("c")?.id).toBe("a.c");
    expect(catalogue.find("z")).toBeUndefined();
    expect(catalogue.duplicates).toEqual([]);
  });

  it("[mcp.duplicates] gives a shared bare name to the last server, by order and not by alphabet", () => {
    const catalogue = mergeTools([[tool("z", "look")], [tool("a", "look")]]);
    expect(catalogue.find("look")?.id).toBe("a.look");
    expect(catalogue.find("z.look")?.id).toBe("z.look");
    expect(catalogue.duplicates).toEqual([{ name: "look", servers: ["z", "a"], winner: "a.look" }]);
  });

  it("takes what names a configured server for an id, also while that offers nothing", () => {
    const catalogue = mergeTools(
      [[], [tool("evil", "jira.get"), tool("evil", "wiki.get")]],
      ["jira", "evil"],
    );
    expect(catalogue.find("jira.get")).toBeUndefined();
    expect(catalogue.find("wiki.get")?.id).toBe("evil.wiki.get");
  });

  it("finds what people and settings name, and lists the candidates where it could be several", () => {
    const catalogue = mergeTools([
      [tool("a", "look"), tool("a", "b.look")],
      [tool("b", "look"), tool("b", "x")],
    ]);
    const box = { find: (name: string) => catalogue.find(name), tools: () => catalogue.tools };
    expect(namedTool(box, "a.look")?.id).toBe("a.look");
    expect(namedTool(box, "x")?.id).toBe("b.x");
    expect(namedTool(box, "y")).toBeUndefined();
    expect(() => namedTool(box, "look")).toThrow(
      expect.objectContaining({ code: "ambiguous_tool", message: expect.stringContaining("a.look, b.look") }),
    );
    expect(toolById(box, "b.look")?.id).toBe("b.look");
    expect(toolById(box, "x")).toBeUndefined();
  });

  // Comparing or copying all of them for each would take minutes.
  it("[mcp.faults] merges a list that has one name throughout, and names its server once", () => {
    const { duplicates } = mergeTools([Array.from({ length: 100_000 }, () => tool("a", "b"))]);
    expect(duplicates).toEqual([{ name: "a.b", servers: ["a"], winner: "a.b" }]);
  });

  it("names an id that comes twice, and keeps the later tool", () => {
    const later = tool("a", "b.c", { description: "later" });
    const catalogue = mergeTools([[tool("a.b", "c")], [later]]);
    expect(catalogue.tools).toEqual([later]);
    expect(catalogue.duplicates).toEqual([{ name: "a.b.c", servers: ["a.b", "a"], winner: "a.b.c" }]);
  });

  it.each(["__proto__", "constructor", "with space", "dots.in.it", "päge/übersicht", "🖨️", ""])(
    "finds a tool named %j",
    (name) => {
      const catalogue = mergeTools([[tool("s", name)]]);
      expect(catalogue.find(`s.${name}`)?.name).toBe(name);
      expect(catalogue.find(name)?.name).toBe(name);
    },
  );

  it.each(["__proto__", "toString", "constructor"])("finds no tool %j where there is none", (name) => {
    expect(mergeTools([[tool("s", "look")]]).find(name)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";

import type { CommandInfo, Health, ToolListing } from "#contract/core.ts";
import { createCards } from "#views/cards/cards.ts";
import { buildTool } from "#test/builders.ts";

const cards = createCards();

const jira: CommandInfo = {
  name: "jira",
  server: "jira",
  defaultTool: "get_issue",
  subcommands: [
    { name: "create", tool: "create_issue" },
    { name: "gone", tool: "no_such_tool" },
  ],
};

function listing(name: string, required: string[], decision: ToolListing["decision"]): ToolListing {
  const properties = Object.fromEntries(required.map((one) => [one, { type: "string" }]));
  const inputSchema = { type: "object", properties, required };
  const description = `Does ${name}. At length.`;
  return { tool: buildTool(`jira.${name}`, { description, inputSchema }), decision };
}

const tools = [
  listing("get_issue", ["issue_key"], "allow"),
  listing("create_issue", ["project", "summary"], "ask"),
];

describe("cards about the product", () => {
  it("[slack.commands] shows each use of a command with what it needs and whether it asks", () => {
    const text = JSON.stringify(cards.commandHelp(jira, tools, "There is no such thing."));
    expect(text).toContain("There is no such thing.");
    expect(text).toContain("/jira ISSUE_KEY");
    expect(text).toContain("/jira create PROJECT SUMMARY");
    expect(text).toContain("Does create_issue.");
    expect(text).not.toContain("At length");
    expect(text.match(/needs approval/g)).toHaveLength(1);
    expect(text).toContain("no_such_tool: not there now");
  });

  it("[slack.commands] lists what can be said, the surface's own words first", () => {
    const card = cards.help([jira], [{ usage: "/ask TEXT", about: "ask" }], "I do not know that.");
    const text = JSON.stringify(card);
    expect(text.indexOf("/ask TEXT")).toBeLessThan(text.indexOf("/jira help"));
    expect(text).toContain("I do not know that.");
  });

  it("[slack.commands] says what is wrong, and what a call of each tool leads to", () => {
    const health: Health = {
      status: "degraded",
      version: "1.2.3",
      model: { provider: "ollama", model: "qwen3:4b", reachable: false, reason: "refused" },
      servers: [{ name: "jira", status: "retrying", tools: 0, error: "exited" }],
      store: { kind: "postgres", ok: false, error: "down" },
    };
    const text = JSON.stringify(cards.status(health));
    for (const part of [
      "some parts do not work",
      "qwen3:4b on ollama does not answer (refused)",
      "retrying: exited",
      "postgres: down",
    ]) {
      expect(text).toContain(part);
    }
    expect(JSON.stringify(cards.tools(tools))).toMatch(/create_issue.*needs approval/);
    expect(JSON.stringify(cards.tools([]))).toContain("No tool is connected");
  });

  it("[slack.commands] says whether a channel is private, by whom, and how to change it", () => {
    const how = { on: "/p on", off: "/p off" };
    const said = (...given: Parameters<typeof cards.privacy>): string =>
      JSON.stringify(cards.privacy(...given));
    expect(said({ summarize: true }, how)).toContain("/p on makes it private");
    expect(said({ summarize: false }, how)).toContain("only an operator can change that");
    const set = said({ summarize: false, setBy: "http:ana" }, { ...how, setBy: "Ana" });
    expect(set).toContain("Ana made it private. /p off takes that back.");
  });
});

import { describe, expect, it } from "vitest";

import { buildCommands, optionsOf, subcommandsOf } from "#adapters/discord/install/commands.ts";
import type { CommandInfo, ToolListing } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { checkCommand } from "#test/fakes/discord/check/commands.ts";
import { Form } from "#test/fakes/discord/check/form.ts";
import { buildTool } from "#test/builders.ts";

const tool = (name: string, properties: JsonObject, required: string[] = []): Tool =>
  buildTool(`desk.${name}`, {
    description: `Does ${name}. And more that does not fit here.`,
    inputSchema: { type: "object", properties, required },
  });

const listing = (one: Tool): ToolListing => ({ tool: one, decision: "allow" });

describe("options of a command", () => {
  it("[discord.commands] are those of the tool's schema, required ones first, by type and with choices", () => {
    const made = optionsOf(
      tool(
        "set",
        {
          note: { type: "string" },
          issueKey: { type: "string", description: "The issue" },
          size: { enum: ["small", "large"] },
          count: { type: "integer", minimum: 1, maximum: 5 },
          share: { type: ["number", "null"] },
          sure: { type: "boolean" },
          tags: { type: "array", items: { type: "string" } },
          nested: { type: "object" },
        },
        ["issueKey"],
      ),
      ["issueKey"],
    );
    expect(made.map(({ argument, option }) => [argument, option.name, option.type])).toEqual([
      ["issueKey", "issue_key", 3],
      ["note", "note", 3],
      ["size", "size", 3],
      ["count", "count", 4],
      ["share", "share", 10],
      ["sure", "sure", 5],
      ["tags", "tags", 3],
    ]);
    expect(made[0]?.option).toMatchObject({ required: true, autocomplete: true, description: "The issue" });
    expect(made[2]?.option).toMatchObject({ choices: [{ value: "small" }, { value: "large" }] });
    expect(made[3]?.option).toMatchObject({ min_value: 1, max_value: 5 });
  });

  it("[discord.commands] [view.limits] are valid whatever the schema holds", () => {
    const odd = Object.fromEntries(
      Array.from({ length: 40 }, (_, index): [string, JsonObject] => [
        index === 0 ? "__proto__" : index === 1 ? "Ünïcode Name" : `argument_${index}`,
        { type: "string", description: "d".repeat(300), ...(index === 3 ? { enum: ["", "x"] } : {}) },
      ]),
    );
    const info: CommandInfo = {
      name: "desk",
      server: "desk",
      defaultTool: "odd",
      subcommands: [{ name: "gone", tool: "gone" }],
    };
    for (const [index, command] of buildCommands([info], [listing(tool("odd", odd))]).entries()) {
      const form = new Form();
      checkCommand(form, command, [index]);
      expect(form.problems).toEqual([]);
    }
  });

  it("[discord.commands] do not ask for what the configuration sets", () => {
    const info: CommandInfo = {
      name: "desk",
      server: "desk",
      subcommands: [{ name: "show", tool: "tickets", args: { action: "get" } }],
    };
    const schema = { action: { type: "string", enum: ["get", "delete"] }, key: { type: "string" } };
    const [command] = buildCommands([info], [listing(tool("tickets", schema, ["action"]))]);
    const [show] = (command as { options: { name: string; options: { name: string }[] }[] }).options;
    expect([show?.name, show?.options.map(({ name }) => name)]).toEqual(["show", ["key"]]);
  });

  it("[discord.commands] names the tool that runs without a subcommand like the tool", () => {
    const info: CommandInfo = {
      name: "desk",
      server: "desk",
      defaultTool: "found",
      subcommands: [{ name: "set", tool: "set" }],
    };
    const tools = [tool("found", {}), tool("set", {})].map(listing);
    expect(subcommandsOf(info, tools).map(({ name, tool: one }) => [name, one?.id])).toEqual([
      ["found", "desk.found"],
      ["set", "desk.set"],
    ]);
    // A command is about its own server, whatever its tools are called.
    const elsewhere: CommandInfo = { ...info, server: "gone", defaultTool: "desk.found" };
    expect(subcommandsOf(elsewhere, tools).map(({ tool: one }) => one)).toEqual([undefined, undefined]);
  });
});

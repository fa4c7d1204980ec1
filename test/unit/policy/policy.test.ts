import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { createPolicy, createPolicyExplainer, type PolicyRule } from "#src/policy/policy.ts";
import { buildTool } from "#test/builders.ts";

/** Of a server that nobody trusts. */
const tool = (id: string, more: Partial<Tool> = {}): Tool => buildTool(id, { trusted: false, ...more });

/** What one rule decides about a call, with `ask` as the default of everything else. */
function decided(rule: PolicyRule, id: string, args: JsonObject = {}): string {
  return createPolicy({ default: "ask", rules: [rule] })(tool(id), args).decision;
}

const HINT = { annotations: { readOnlyHint: true } };

describe("without a rule", () => {
  const policy = createPolicy({ default: "ask", rules: [] });

  it("[approve.policy] a read-only hint counts only where the operator vouches for the server", () => {
    expect(policy(tool("jira.get", { ...HINT, trusted: true }), {}).decision).toBe("allow");
    expect(policy(tool("jira.get", { ...HINT, trusted: false }), {}).decision).toBe("ask");
    expect(policy(tool("jira.get", { trusted: true }), {}).decision).toBe("ask");
    const liar = { annotations: { readOnlyHint: false, destructiveHint: false }, trusted: true };
    expect(policy(tool("jira.get", liar), {}).decision).toBe("ask");
  });

  it("[approve.policy] everything unlisted gets the default, and a day to be decided by who asked", () => {
    expect(policy(tool("jira.create"), {})).toEqual({
      decision: "ask",
      rule: "default",
      approvers: ["requester"],
      excludeRequester: false,
      quorum: 1,
      ttlMs: 86_400_000,
      reasonRequired: false,
      idempotent: false,
    });
    expect(createPolicy({ default: "deny", rules: [] })(tool("jira.create"), {}).decision).toBe("deny");
  });
});

describe("rules", () => {
  it("[approve.policy] the first that matches decides, also against a read-only hint", () => {
    const policy = createPolicy({
      default: "ask",
      rules: [
        { tools: ["jira.get_secret"], decision: "deny" },
        { tools: ["jira.get_*"], decision: "allow" },
        { tools: ["*"], decision: "deny" },
      ],
    });
    expect(policy(tool("jira.get_secret", { ...HINT, trusted: true }), {})).toMatchObject({
      decision: "deny",
      rule: "rule 1 (jira.get_secret)",
    });
    expect(policy(tool("jira.get_issue"), {})).toMatchObject({ decision: "allow" });
    expect(policy(tool("wiki.read", { ...HINT, trusted: true }), {})).toMatchObject({
      decision: "deny",
      rule: "rule 3 (*)",
    });
  });

  it.each<[string, string, boolean]>([
    ["jira.delete_*", "jira.delete_issue", true],
    ["jira.delete_*", "jira2.delete_issue", false],
    ["jira.delete_*", "jira.undelete_issue", false],
    ["jira.*", "jira.anything", true],
    ["*.delete_*", "wiki.delete_page", true],
    ["delete_*", "wiki.delete_page", true],
    ["delete_*", "wiki.create_delete_list", false],
    ["jira.{create,update}_issue", "jira.update_issue", true],
    ["*", "any.thing", true],
    ["**", "any.thing", true],
    ["JIRA.*", "jira.get", false],
    ["jira.get", "jira.get_more", false],
  ])("[approve.policy] the glob %s over %s: %s", (glob, id, matches) => {
    expect(decided({ tools: [glob], decision: "deny" }, id)).toBe(matches ? "deny" : "ask");
  });

  it("[approve.policy] carry who approves, how many, how long, and why", () => {
    const rule: PolicyRule = {
      tools: ["jira.delete_*"],
      decision: "ask",
      approvers: ["group:leads", "slack:T1:U1"],
      exclude_requester: true,
      quorum: 2,
      ttl_ms: 1_800_000,
      reason_required: true,
      idempotent: true,
    };
    expect(createPolicy({ default: "ask", rules: [rule] })(tool("jira.delete_issue"), {})).toEqual({
      decision: "ask",
      rule: "rule 1 (jira.delete_*)",
      approvers: ["group:leads", "slack:T1:U1"],
      excludeRequester: true,
      quorum: 2,
      ttlMs: 1_800_000,
      reasonRequired: true,
      idempotent: true,
    });
  });

  it("[approve.unknown] look an outcome up by a read with the arguments of the call, or by its own dry run", () => {
    const lookupOf = (lookup: PolicyRule["lookup"]): object | undefined =>
      createPolicy({ default: "ask", rules: [{ tools: ["*"], decision: "ask", ...(lookup && { lookup }) }] })(
        tool("jira.create_issue"),
        { summary: "a", dry_run: false },
      ).lookup;
    expect(lookupOf({ tool: "jira.search", args: { query: "{summary}", most: 3, in: "{project}" } })).toEqual(
      {
        tool: "jira.search",
        args: { query: "a", most: 3, in: null },
      },
    );
    expect(lookupOf("dry_run")).toEqual({ tool: "jira.create_issue", args: { summary: "a", dry_run: true } });
    expect(lookupOf(undefined)).toBeUndefined();
  });
});

describe("conditions on arguments", () => {
  it("[mcp.patterns] matches in linear time, and refuses a call whose argument is too long to know", () => {
    const rule: PolicyRule = {
      tools: ["a.b"],
      when: [{ arg: "text", matches: "^(a+)+$" }],
      decision: "allow",
    };
    expect(decided(rule, "a.b", { text: "a".repeat(45) })).toBe("allow");
    expect(decided(rule, "a.b", { text: `${"a".repeat(45)}!` })).toBe("ask");
    const { decision, considered } = createPolicyExplainer({ default: "ask", rules: [rule] })(tool("a.b"), {
      text: "a".repeat(20_000_000),
    });
    expect(decision.decision).toBe("deny");
    expect(considered).toMatchObject([{ why: expect.stringContaining("expected a shorter text") }]);
  });

  const deny = (when: PolicyRule["when"] & object): PolicyRule => ({
    tools: ["*"],
    when,
    decision: "deny",
  });

  it.each<[string, NonNullable<PolicyRule["when"]>[number], JsonObject, boolean]>([
    ["equal text", { arg: "project", equals: "OPS" }, { project: "OPS" }, true],
    ["equal text in another case", { arg: "project", equals: "OPS" }, { project: "ops" }, true],
    ["other text", { arg: "project", equals: "OPS" }, { project: "DEMO" }, false],
    ["a missing argument", { arg: "project", equals: "OPS" }, {}, false],
    ["one of a list", { arg: "project", in: ["OPS", "MOB"] }, { project: "mob" }, true],
    ["none of a list", { arg: "project", in: ["OPS", "MOB"] }, { project: "DEMO" }, false],
    ["a pattern", { arg: "key", matches: "^OPS-\\d+$" }, { key: "OPS-12" }, true],
    ["not the pattern", { arg: "key", matches: "^OPS-\\d+$" }, { key: "XOPS-12" }, false],
    ["a nested value", { arg: "fields.priority", equals: "High" }, { fields: { priority: "high" } }, true],
    ["a number above", { arg: "amount", gt: 100 }, { amount: 101 }, true],
    ["a number at the edge", { arg: "amount", gt: 100 }, { amount: 100 }, false],
    ["a number within", { arg: "amount", gte: 1, lte: 3 }, { amount: 3 }, true],
    ["a number as text", { arg: "amount", gt: 100 }, { amount: "101" }, false],
    ["an inherited name", { arg: "constructor", matches: "." }, {}, false],
    ["null", { arg: "assignee", equals: null }, { assignee: null }, true],
    ["false", { arg: "force", equals: false }, { force: false }, true],
  ])("[approve.policy] %s", (_, condition, args, matches) => {
    expect(decided(deny([condition]), "jira.do", args)).toBe(matches ? "deny" : "ask");
  });

  it("[approve.policy] must all hold", () => {
    const rule = deny([
      { arg: "project", equals: "OPS" },
      { arg: "amount", gt: 5 },
    ]);
    expect(decided(rule, "jira.do", { project: "OPS", amount: 6 })).toBe("deny");
    expect(decided(rule, "jira.do", { project: "OPS", amount: 5 })).toBe("ask");
    expect(decided(rule, "jira.do", { project: "DEMO", amount: 6 })).toBe("ask");
  });

  it("[approve.policy] are explained, rule by rule", () => {
    const explain = createPolicyExplainer({
      default: "ask",
      rules: [
        { tools: ["wiki.*"], decision: "deny" },
        deny([{ arg: "project", equals: "OPS" }]),
        { tools: ["jira.*"], decision: "allow" },
      ],
    });
    const { considered, decision } = explain(tool("jira.do"), { project: "DEMO" });
    expect(decision.decision).toBe("allow");
    expect(considered.map((one) => one.matched)).toEqual([false, false, true]);
    expect(considered[0]?.why).toContain("jira.do");
    expect(considered[1]?.why).toContain('project is "DEMO"');
  });
});

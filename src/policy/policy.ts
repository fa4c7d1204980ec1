import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PolicyDecision } from "#contract/policy.ts";
import type { Tool } from "#contract/tool.ts";

import { compileToolGlob } from "../base/glob.ts";
import { messageOf } from "../base/errors.ts";
import { type CompiledCondition, compileCondition } from "./conditions.ts";
import type { PolicyRule, PolicySettings } from "./rules.ts";

/** Decides one call. Pure: the same call gets the same decision. */
export type Policy = (tool: Tool, args: JsonObject) => PolicyDecision;

/** What each rule said of a call, up to the one that decided. */
export interface PolicyExplanation {
  decision: PolicyDecision;
  considered: { rule: string; matched: boolean; why: string }[];
}

const DEFAULT_TTL_MS = 24 * 3_600_000;

/**
 * Rules are tried in order and the first that matches decides. Without one, read-only tools of a
 * server whose annotations the operator trusts are allowed, and all else gets the default.
 */
export function createPolicy(settings: PolicySettings): Policy {
  const explain = createPolicyExplainer(settings);
  return (tool, args) => explain(tool, args).decision;
}

/** As createPolicy, with the reasons. */
export function createPolicyExplainer(
  settings: PolicySettings,
): (tool: Tool, args: JsonObject) => PolicyExplanation {
  const rules = settings.rules.map((rule, index) => ({
    rule,
    name: ruleName(index, settings.firstRules ?? 0, rule),
    matchesTool: compileGlobs(rule.tools),
    conditions: (rule.when ?? []).map(compileCondition),
  }));
  return (tool, args) => {
    const considered: PolicyExplanation["considered"] = [];
    for (const { rule, name, matchesTool, conditions } of rules) {
      let against: string | undefined;
      try {
        against = matchesTool(tool)
          ? firstObjection(conditions, args)
          : `it names other tools than ${tool.id}`;
      } catch (error) {
        const why = messageOf(error);
        considered.push({ rule: name, matched: true, why });
        return { decision: toDecision("deny", `${name}: ${why}`, rule, args), considered };
      }
      considered.push({
        rule: name,
        matched: against === undefined,
        why: against ?? "every condition holds",
      });
      if (against === undefined) return { decision: toDecision(rule.decision, name, rule, args), considered };
    }
    if (tool.trusted && tool.annotations.readOnlyHint === true) {
      const rule = "read-only tool of a trusted server";
      considered.push({
        rule,
        matched: true,
        why: `${tool.server} is trusted and marks the tool as read-only`,
      });
      return { decision: toDecision("allow", rule, {}, args), considered };
    }
    considered.push({ rule: "default", matched: true, why: "no rule names this call" });
    return { decision: toDecision(settings.default, "default", {}, args), considered };
  };
}

/** Numbered as in the configuration: a channel's own rules and the general ones each from 1. */
function ruleName(index: number, firstRules: number, rule: PolicyRule): string {
  const tools = rule.tools.join(", ");
  return index < firstRules
    ? `channel rule ${index + 1} (${tools})`
    : `rule ${index - firstRules + 1} (${tools})`;
}

function toDecision(
  decision: PolicyDecision["decision"],
  rule: string,
  from: Partial<PolicyRule>,
  args: JsonObject,
): PolicyDecision {
  const { lookup, grants, remind_ms: remindMs } = from;
  return {
    decision,
    rule,
    approvers: from.approvers ?? ["requester"],
    excludeRequester: from.exclude_requester ?? false,
    quorum: from.quorum ?? 1,
    ttlMs: from.ttl_ms ?? DEFAULT_TTL_MS,
    ...(remindMs === undefined ? {} : { remindMs }),
    reasonRequired: from.reason_required ?? false,
    idempotent: from.idempotent ?? false,
    ...(lookup === undefined
      ? {}
      : { lookup: { tool: lookup.tool, args: fillArguments(lookup.args, args) } }),
    ...(grants === undefined
      ? {}
      : { grants: { maxTtlMs: grants.max_ttl_ms, maxUses: grants.max_uses, vary: grants.vary } }),
  };
}

/** A text value `{name}` stands for the argument of that name. */
function fillArguments(template: JsonObject, args: JsonObject): JsonObject {
  const filled = Object.entries(template).map(([key, value]): [string, JsonValue] => {
    const name = typeof value === "string" ? /^\{([^{}]+)\}$/.exec(value)?.[1] : undefined;
    return [key, name === undefined ? value : (args[name] ?? null)];
  });
  return Object.fromEntries(filled);
}

function compileGlobs(globs: string[]): (tool: Tool) => boolean {
  const matchers = globs.map((glob) => compileToolGlob(glob));
  return ({ id }) => matchers.some((matches) => matches(id));
}

function firstObjection(conditions: CompiledCondition[], args: JsonObject): string | undefined {
  for (const condition of conditions) {
    const objection = condition(args);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

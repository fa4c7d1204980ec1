import picomatch from "picomatch";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PolicyDecision } from "#contract/policy.ts";
import type { Tool } from "#contract/tool.ts";

/** A condition on one argument. All that are given must hold; a missing argument meets none. */
export interface ArgumentCondition {
  arg: string;
  in?: JsonValue[] | undefined;
  equals?: JsonValue | undefined;
  /** A glob over the argument's text. */
  matches?: string | undefined;
  gt?: number | undefined;
  gte?: number | undefined;
  lt?: number | undefined;
  lte?: number | undefined;
}

export interface PolicyRule {
  /** Globs over `server.tool`; a glob without a dot is matched against the bare name. */
  tools: string[];
  when?: ArgumentCondition[] | undefined;
  decision: "allow" | "ask" | "deny";
  approvers?: string[] | undefined;
  exclude_requester?: boolean | undefined;
  quorum?: number | undefined;
  ttl_ms?: number | undefined;
  reason_required?: boolean | undefined;
  idempotent?: boolean | undefined;
}

export interface PolicySettings {
  default: "allow" | "ask" | "deny";
  rules: PolicyRule[];
}

/** Decides one call. Pure: the same call gets the same decision. */
export type Policy = (tool: Tool, args: JsonObject) => PolicyDecision;

const DEFAULT_TTL_MS = 24 * 3_600_000;

/**
 * Rules are tried in order and the first that matches decides. Without one, read-only tools of a
 * server whose annotations the operator trusts are allowed, and all else gets the default.
 */
export function createPolicy(settings: PolicySettings): Policy {
  const rules = settings.rules.map((rule, index) => ({
    rule,
    name: `rule ${index + 1} (${rule.tools.join(", ")})`,
    matchesTool: toolMatcher(rule.tools),
    conditions: (rule.when ?? []).map(conditionMatcher),
  }));
  return (tool, args) => {
    for (const { rule, name, matchesTool, conditions } of rules) {
      if (!matchesTool(tool) || !conditions.every((holds) => holds(args))) continue;
      return toDecision(rule.decision, name, rule);
    }
    if (tool.trusted && tool.annotations.readOnlyHint === true) {
      return toDecision("allow", "read-only tool of a trusted server", {});
    }
    return toDecision(settings.default, "default", {});
  };
}

function toDecision(decision: PolicyDecision["decision"], rule: string, from: Partial<PolicyRule>): PolicyDecision {
  return {
    decision,
    rule,
    approvers: from.approvers ?? ["requester"],
    excludeRequester: from.exclude_requester ?? false,
    quorum: from.quorum ?? 1,
    ttlMs: from.ttl_ms ?? DEFAULT_TTL_MS,
    reasonRequired: from.reason_required ?? false,
    idempotent: from.idempotent ?? false,
  };
}

function toolMatcher(globs: string[]): (tool: Tool) => boolean {
  const matchers = globs.map((glob) => {
    const matches = picomatch(glob, { dot: true });
    return glob.includes(".") || glob === "*" || glob === "**"
      ? (tool: Tool) => matches(tool.id)
      : (tool: Tool) => matches(tool.name);
  });
  return (tool) => matchers.some((matches) => matches(tool));
}

function conditionMatcher(condition: ArgumentCondition): (args: JsonObject) => boolean {
  const glob = condition.matches === undefined ? undefined : picomatch(condition.matches, { dot: true });
  return (args) => {
    const value = Object.hasOwn(args, condition.arg) ? args[condition.arg] : undefined;
    if (value === undefined) return false;
    if (condition.in !== undefined && !condition.in.some((one) => isSame(one, value))) return false;
    if (condition.equals !== undefined && !isSame(condition.equals, value)) return false;
    if (glob !== undefined && !(typeof value === "string" && glob(value))) return false;
    return isWithin(condition, value);
  };
}

function isWithin(condition: ArgumentCondition, value: JsonValue): boolean {
  const { gt, gte, lt, lte } = condition;
  if (gt === undefined && gte === undefined && lt === undefined && lte === undefined) return true;
  if (typeof value !== "number") return false;
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  );
}

/** Names and keys are compared without regard to case, so that `ops` cannot slip past a rule for `OPS`. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === "string" && typeof b === "string") return a.toLowerCase() === b.toLowerCase();
  return JSON.stringify(a) === JSON.stringify(b);
}

import type { Lookup, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { compilePattern, ownPattern } from "../base/pattern.ts";
import { MINUTE_MS } from "../base/time.ts";
import { compileToolGlob } from "../base/tool-names.ts";

/** A condition on one argument. Every operator that is given must hold; a missing argument meets none. */
interface ArgumentCondition {
  /** Name of the argument, with dots into objects: `fields.priority`. */
  arg: string;
  equals?: JsonValue;
  in?: JsonValue[];
  /** A regular expression (RE2) that must match somewhere in the text of the argument. */
  matches?: string;
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

/** One rule as the configuration has it. */
export interface PolicyRule {
  /** Globs over `server.tool`; a glob without a dot is matched against the bare name. */
  tools: string[];
  when?: ArgumentCondition[];
  decision: "allow" | "ask" | "deny";
  approvers?: string[];
  exclude_requester?: boolean;
  quorum?: number;
  ttl_ms?: number;
  /** See PolicySettings. */
  remind?: Remind;
  reason_required?: boolean;
  idempotent?: boolean;
  /** `dry_run`: the call's own dry run. */
  lookup?: { tool: string; args: JsonObject } | "dry_run";
  grants?: { max_ttl_ms: number; max_uses: number; vary: string[] };
}

/** Milliseconds before a request expires at which people are reminded of it; `auto`: see remindMsOf. */
export type Remind = "auto" | "off" | number;

export interface PolicySettings {
  default: "allow" | "ask" | "deny";
  rules: PolicyRule[];
  /** Where a rule does not say; absent: off. */
  remind?: Remind;
  /** How many of the rules, from the first, are a channel's own; for their names. */
  firstRules?: number;
}

/** Decides one call. Pure: the same call gets the same decision. */
export type Policy = (tool: Tool, args: JsonObject) => PolicyDecision;

/** What each rule said of a call, up to the one that decided. */
export interface PolicyExplanation {
  decision: PolicyDecision;
  considered: { rule: string; matched: boolean; why: string }[];
}

/** The name of what decides where no rule does. */
export const DEFAULT_RULE = "default";

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
  const { remind = "off" } = settings;
  const rules = settings.rules.map((rule, index) => ({
    rule,
    name: ruleName(index, settings.firstRules ?? 0, rule),
    globs: rule.tools.map((glob) => compileToolGlob(glob)),
    conditions: (rule.when ?? []).map(compileCondition),
  }));
  return (tool, args) => {
    const considered: PolicyExplanation["considered"] = [];
    const decide = (
      decision: PolicyDecision["decision"],
      rule: string,
      why: string,
      from: Partial<PolicyRule> = {},
    ): PolicyExplanation => {
      considered.push({ rule, matched: true, why });
      return { decision: toDecision(decision, rule, { remind, ...from }, { tool, args }), considered };
    };
    for (const { rule, name, globs, conditions } of rules) {
      try {
        const against = globs.some((matches) => matches(tool.id))
          ? firstObjection(conditions, args)
          : `it names other tools than ${tool.id}`;
        if (against === undefined) return decide(rule.decision, name, "every condition holds", rule);
        considered.push({ rule: name, matched: false, why: against });
      } catch (error) {
        const why = messageOf(error);
        considered.push({ rule: name, matched: true, why });
        return { decision: toDecision("deny", `${name}: ${why}`, rule, { tool, args }), considered };
      }
    }
    if (tool.trusted && tool.annotations.readOnlyHint === true) {
      const why = `${tool.server} is trusted and marks the tool as read-only`;
      return decide("allow", "read-only tool of a trusted server", why);
    }
    return decide(settings.default, DEFAULT_RULE, "no rule names this call");
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
  call: { tool: Tool; args: JsonObject },
): PolicyDecision {
  const { lookup, grants, ttl_ms: ttlMs = DEFAULT_TTL_MS } = from;
  const remindMs = decision === "ask" ? remindMsOf(from.remind, ttlMs) : undefined;
  return {
    decision,
    rule,
    approvers: from.approvers ?? ["requester"],
    excludeRequester: from.exclude_requester ?? false,
    quorum: from.quorum ?? 1,
    ttlMs,
    ...(remindMs === undefined ? {} : { remindMs }),
    reasonRequired: from.reason_required ?? false,
    idempotent: from.idempotent ?? false,
    ...(lookup === undefined ? {} : { lookup: lookupOf(lookup, call) }),
    ...(grants === undefined
      ? {}
      : { grants: { maxTtlMs: grants.max_ttl_ms, maxUses: grants.max_uses, vary: grants.vary } }),
  };
}

/** People who wait so little, or were asked so lately, need no reminder. */
const LEAST_NOTICE_MS = 15 * MINUTE_MS;
const LEAST_WAIT_MS = 5 * MINUTE_MS;

/**
 * How long before it expires people are reminded of a request; undefined: never. By itself at half of its time,
 * and at least a quarter of an hour before its end; of a short one not at all.
 */
export function remindMsOf(remind: Remind | undefined, ttlMs: number): number | undefined {
  if (remind === undefined || remind === "off") return undefined;
  if (remind !== "auto") return remind < ttlMs ? remind : undefined;
  const before = Math.max(Math.round(ttlMs / 2), LEAST_NOTICE_MS);
  return ttlMs - before >= LEAST_WAIT_MS ? before : undefined;
}

function lookupOf(
  lookup: NonNullable<PolicyRule["lookup"]>,
  { tool, args }: { tool: Tool; args: JsonObject },
): Lookup {
  if (lookup === "dry_run") return { tool: tool.id, args: { ...args, dry_run: true } };
  return { tool: lookup.tool, args: fillArguments(lookup.args, args) };
}

/** A text value `{name}` stands for the argument of that name. */
function fillArguments(template: JsonObject, args: JsonObject): JsonObject {
  const filled = Object.entries(template).map(([key, value]): [string, JsonValue] => {
    const name = typeof value === "string" ? /^\{([^{}]+)\}$/.exec(value)?.[1] : undefined;
    return [key, name === undefined ? value : (args[name] ?? null)];
  });
  return Object.fromEntries(filled);
}

function firstObjection(conditions: CompiledCondition[], args: JsonObject): string | undefined {
  for (const condition of conditions) {
    const objection = condition(args);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** A condition made ready: why it does not hold for these arguments, or undefined when it does. */
type CompiledCondition = (args: JsonObject) => string | undefined;

function compileCondition(condition: ArgumentCondition): CompiledCondition {
  const pattern = condition.matches === undefined ? undefined : compilePattern(condition.matches, ownPattern);
  const { arg } = condition;
  return (args) => {
    const value = valueAt(args, arg);
    if (value === undefined) return `${arg} is not given`;
    const shown = JSON.stringify(value).slice(0, 80);
    if (condition.equals !== undefined && !isSame(condition.equals, value)) return `${arg} is ${shown}`;
    if (condition.in !== undefined && !condition.in.some((one) => isSame(one, value)))
      return `${arg} is ${shown}`;
    if (pattern !== undefined) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const matches = pattern.matches(text);
      // Neither yes nor no would be safe: what is not known is refused.
      if (matches === undefined)
        throw new CountersignError(
          "too_long",
          `expected a shorter ${arg} for the pattern of a policy rule, got ${text.length} characters`,
        );
      if (!matches) return `${arg} is ${shown}`;
    }
    return isWithin(condition, value) ? undefined : `${arg} is ${shown}`;
  };
}

/** The value at a path with dots; own properties only. */
function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}

function isWithin({ gt, gte, lt, lte }: ArgumentCondition, value: JsonValue): boolean {
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

import type { JsonObject, JsonValue } from "#contract/json.ts";

/** A condition on one argument. Every operator that is given must hold; a missing argument meets none. */
export interface ArgumentCondition {
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
  remind_ms?: number;
  reason_required?: boolean;
  idempotent?: boolean;
  lookup?: { tool: string; args: JsonObject };
  grants?: { max_ttl_ms: number; max_uses: number; vary: string[] };
}

export interface PolicySettings {
  default: "allow" | "ask" | "deny";
  rules: PolicyRule[];
  /** How many of the rules, from the first, are a channel's own; for their names. */
  firstRules?: number;
}

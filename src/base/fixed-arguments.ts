import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ArgSources } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

/** Whose call it is. Without a turn, or an actor, what names them is left out. */
export interface FixedFor {
  turnId?: string | undefined;
  channel: string;
  actor?: string | undefined;
}

/**
 * The arguments with those that the product sets itself, before policy, approval and binding see them. What a call
 * says of a switch counts, unless a model made it up: a default that changes nothing is repeated by models.
 */
export function withFixed(
  { fixed = [] }: Pick<Tool, "fixed">,
  args: JsonObject,
  whose: FixedFor,
  sources: ArgSources = {},
): JsonObject {
  if (fixed.length === 0) return args;
  const set = fixed.filter(
    ({ name, yields }) =>
      yields !== true ||
      !Object.hasOwn(args, name) ||
      ["model", "default"].includes(sources[name]?.from ?? ""),
  );
  const made = set.flatMap(({ name, value }) => {
    const filled = fill(value, whose);
    return filled === undefined ? [] : [[name, filled] as const];
  });
  return { ...withoutFixed({ fixed: set }, args), ...Object.fromEntries(made) };
}

/** The arguments that are left to people. */
export function withoutFixed({ fixed = [] }: Pick<Tool, "fixed">, args: JsonObject): JsonObject {
  const names = new Set(fixed.map(({ name }) => name));
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
}

/** Whether an argument says no more than that the call is meant, as every approved one is. */
export function isMeant(name: string, value: JsonValue): boolean {
  return (name === "dry_run" && value === false) || (name === "confirm" && value === true);
}

const NAMED = /\$\{(turn\.id|channel|actor)\}/g;

/** Undefined where it names what is not known. */
function fill(value: JsonValue, whose: FixedFor): JsonValue | undefined {
  if (typeof value !== "string") return value;
  const known: Record<string, string | undefined> = {
    "turn.id": whose.turnId,
    channel: whose.channel,
    actor: whose.actor,
  };
  const isWhole = [...value.matchAll(NAMED)].every(([, name = ""]) => known[name] !== undefined);
  return isWhole ? value.replaceAll(NAMED, (_, name: string) => known[name] ?? "") : undefined;
}

/** `${agent.field}` and conditions over it, as `when`, `until`, `carry` and `dispatch` have them. */

const REFERENCE = /\$\{([^${}]+)\}/;

/** The agent that a reference names, and the fields behind it. */
export function partsOf(expression: string): string[] {
  return (REFERENCE.exec(expression)?.[1] ?? "").split(".").map((part) => part.trim());
}

/** Whether a condition holds: `${ref}` is there and not empty, or `${ref} == literal`, or `!=`. */
export function holds(condition: string, valueOf: (path: string[]) => unknown): boolean {
  const value = valueOf(partsOf(condition));
  const compared = /\}\s*(==|!=)\s*(.*?)\s*$/s.exec(condition);
  if (compared === null) return isTruthy(value);
  const isEqual = same(value, literal(compared[2] ?? ""));
  return compared[1] === "==" ? isEqual : !isEqual;
}

function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return Boolean(value) && value !== "false";
}

function literal(token: string): unknown {
  const quoted = /^(["'])(.*)\1$/s.exec(token);
  if (quoted !== null) return quoted[2];
  if (token === "true" || token === "false") return token === "true";
  return token !== "" && Number.isFinite(Number(token)) ? Number(token) : token;
}

/** A model may write a number or a truth value as text. */
function same(value: unknown, expected: unknown): boolean {
  if (value === expected) return true;
  return typeof value === "string" && typeof expected !== "string" && value.trim() === String(expected);
}

/** Walks fields of an answer; what a script answered in `data` counts as its own. */
export function fieldOf(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  const direct = walk(value, path);
  if (direct !== undefined || !isObject(value)) return direct;
  return walk(value.data, path);
}

function walk(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a text says where it is JSON, also inside the fence that models put around it; else undefined. */
export function parsedJson(answer: string): unknown {
  const inner = /^\s*```(?:json)?\s*\n(.*?)\n?```\s*$/s.exec(answer)?.[1] ?? answer;
  if (!/^\s*(?:[[{"]|-?\d|true|false|null)/.test(inner)) return undefined;
  try {
    return JSON.parse(inner) as unknown;
  } catch {
    return undefined;
  }
}

/** A value as text: text as it is, the rest as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

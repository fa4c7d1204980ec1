import type { Path } from "./problem.ts";

/** A place whose text names a variable that is not set, or is no valid reference. */
export interface MissingVariable {
  path: Path;
  /** As written, such as `${JIRA_TOKEN}`. */
  reference: string;
  /** Absent when the reference itself is malformed. */
  name?: string;
}

export interface Substituted {
  data: unknown;
  /** Paths (as JSON) of the texts in which something was replaced. */
  replaced: ReadonlySet<string>;
  missing: readonly MissingVariable[];
}

/** `$${` is a literal `${`; the last alternative catches what looks like a reference and is none. */
const reference = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{[^}]*\}?/g;

/** The most that variables may bring in, in characters: one that is named often could fill the memory. */
const MOST_FILLED_IN = 4_000_000;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text value; as in a shell, the default also
 * stands in for an empty variable. Keys are left as they are. Cyclic data,
 * and more than `MOST_FILLED_IN`, is a RangeError.
 */
export function substituteEnv(data: unknown, env: NodeJS.ProcessEnv): Substituted {
  const replaced = new Set<string>();
  const missing: MissingVariable[] = [];
  let filledIn = 0;

  function inText(text: string, path: Path): string {
    return text.replaceAll(
      reference,
      (whole: string, name: string | undefined, fallback: string | undefined) => {
        if (whole === "$${") return "${";
        replaced.add(JSON.stringify(path));
        if (name === undefined) {
          missing.push({ path, reference: whole });
          return "";
        }
        const value = env[name];
        filledIn += value?.length ?? 0;
        if (filledIn > MOST_FILLED_IN)
          throw new RangeError(`more than ${MOST_FILLED_IN} characters from the environment`);
        if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
        if (value === undefined) missing.push({ path, reference: whole, name });
        return value ?? "";
      },
    );
  }

  function walk(value: unknown, path: Path): unknown {
    if (typeof value === "string") return inText(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  }

  return { data: walk(data, []), replaced, missing };
}

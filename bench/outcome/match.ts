import { isDeepStrictEqual } from "node:util";

/** Arguments of a tool, as JSON. */
export type Args = Record<string, unknown>;

/** A call that was made, proposed or expected. `tool` is its bare name. */
export interface Call {
  server?: string | undefined;
  tool: string;
  args: Args;
}

/** One argument, or a field within one, that is not as expected. `missing`: it was expected and not sent. */
export interface Difference {
  arg: string;
  kind: "missing" | "extra" | "value";
  sent?: unknown;
}

interface Schema {
  type?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
}

/** What of a call's arguments is not as expected; see the format of cases in test/fixtures/outcome/README.md. */
export function differences(sent: Args, expected: Args, schema: Schema = {}): Difference[] {
  const found: Difference[] = [];
  for (const [arg, wanted] of Object.entries(expected)) {
    const own = schema.properties?.[arg];
    if (sent[arg] === undefined) {
      if (!mayBeAbsent(wanted) && !(own?.default !== undefined && matches(own.default, wanted)))
        found.push({ arg, kind: "missing" });
    } else if (isObject(wanted) && formOf(wanted) === undefined && isObject(sent[arg])) {
      found.push(...differences(sent[arg], wanted, own));
    } else if (!matches(sent[arg], wanted, own)) found.push({ arg, kind: "value", sent: sent[arg] });
  }
  for (const [arg, value] of Object.entries(sent)) {
    if (arg in expected || value === undefined) continue;
    if (!isDeepStrictEqual(schema.properties?.[arg]?.default, value))
      found.push({ arg, kind: "extra", sent: value });
  }
  return found;
}

/** Whether a value is as expected. */
export function matches(value: unknown, wanted: unknown, schema: Schema = {}): boolean {
  const form = formOf(wanted);
  switch (form?.name) {
    case "any":
      return true;
    case "optional":
      return matches(value, form.value, schema);
    case "any_of":
      return (form.value as unknown[]).some((one) => matches(value, one, schema));
    case "matches":
      return new RegExp(String(form.value), "iu").test(asText(value));
    case "contains":
      return normal(asText(value)).includes(normal(String(form.value)));
    case "exact":
      return isDeepStrictEqual(value, form.value);
    case undefined:
  }
  if (typeof wanted === "string") return typeof value === "string" && normal(value) === normal(wanted);
  if (Array.isArray(wanted)) return Array.isArray(value) && sameItems(value, wanted);
  if (isObject(wanted)) return isObject(value) && differences(value, wanted, schema).length === 0;
  if (typeof wanted === "number" && typeof value === "string" && schema.type === "string")
    return Number(value) === wanted;
  return value === wanted;
}

/** Same items in any order. */
function sameItems(values: unknown[], wanted: unknown[]): boolean {
  const left = [...values];
  return (
    values.length === wanted.length &&
    wanted.every((one) => {
      const at = left.findIndex((value) => matches(value, one));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    })
  );
}

const FORMS = ["any", "optional", "any_of", "matches", "contains", "exact"] as const;

function formOf(wanted: unknown): { name: (typeof FORMS)[number]; value: unknown } | undefined {
  if (!isObject(wanted)) return undefined;
  const [entry, another] = Object.entries(wanted);
  const name = FORMS.find((form) => form === entry?.[0]);
  return name === undefined || another !== undefined ? undefined : { name, value: entry?.[1] };
}

function mayBeAbsent(wanted: unknown): boolean {
  const form = formOf(wanted);
  if (form?.name === "any_of") return (form.value as unknown[]).some(mayBeAbsent);
  return form?.name === "any" || form?.name === "optional";
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As the comparison of texts reads them: NFC, white space collapsed, without case. */
export function normal(text: string): string {
  return text.normalize("NFC").replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, " ").trim().toLowerCase();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

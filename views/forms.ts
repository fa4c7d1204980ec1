import type { Form, FormFault, FormField, FormReading, Forms, FormTool, FormValues } from "#contract/form.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { exactLine } from "./cards/shown.ts";
import { read, write } from "./forms/kinds.ts";
import { type Leaf, leavesOf } from "./forms/leaves.ts";
import { isObject } from "./json.ts";
import { cut, humanise, oneLine } from "./text.ts";

/** Forms over tool arguments, for the composition root to hand to the adapters. */
export function createForms(): Forms {
  return { toForm, fromForm };
}

function toForm(tool: FormTool, args: JsonObject): Form {
  return {
    title: exactLine(oneLine(tool.title ?? humanise(tool.name), 120)),
    fields: leavesOf(tool, args).map(toField),
  };
}

function fromForm(tool: FormTool, args: JsonObject, values: FormValues): FormReading {
  const leaves = leavesOf(tool, args);
  const names = new Set(leaves.map(nameOf));
  const faults: FormFault[] = [...values.keys()]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, message: `${tool.id} has no such field now; open the form again.` }));
  let edited = args;
  for (const leaf of leaves) {
    const name = nameOf(leaf);
    const text = values.get(name);
    // A field that was not touched keeps its value as it is, whatever its text would be read as.
    if (text === undefined || text === textOf(leaf)) {
      if (leaf.required && leaf.value === undefined) faults.push({ name, message: REQUIRED });
      continue;
    }
    if (text === "") {
      if (leaf.required) faults.push({ name, message: REQUIRED });
      else edited = without(edited, leaf);
      continue;
    }
    const value = read(leaf.shape, text);
    if (value.ok) edited = withValue(edited, leaf.path, value.value);
    else faults.push({ name, message: value.message });
  }
  return faults.length === 0 ? { ok: true, args: edited } : { ok: false, faults };
}

const REQUIRED = "This is required.";

function toField(leaf: Leaf): FormField {
  const { options, kind } = leaf.shape;
  const help = helpOf(leaf);
  return {
    name: nameOf(leaf),
    label: labelOf(leaf),
    kind,
    required: leaf.required,
    value: textOf(leaf),
    ...(options === undefined
      ? {}
      : { options: options.map(({ value, label }) => ({ value, label: exactLine(label) })) }),
    ...(help === "" ? {} : { help }),
  };
}

function nameOf({ path }: Leaf): string {
  return path.join(".");
}

function textOf({ shape, value }: Leaf): string {
  return value === undefined ? "" : (write(shape, value) ?? "");
}

function labelOf({ path, schema }: Leaf): string {
  const own = path.at(-1) ?? "";
  const { title } = schema;
  const label = typeof title === "string" && title.trim() !== "" ? title : humanise(own);
  const whole = path.length === 1 ? label : `${humanise(path[0])}: ${label}`;
  return exactLine(oneLine(whole.trim() === "" ? JSON.stringify(own) : whole, 100));
}

/** What the schema says of the argument, in a line. */
function helpOf({ schema, shape }: Leaf): string {
  const { description, examples, default: fallback } = schema;
  const parts = [
    typeof description === "string" ? description.trim() : "",
    Array.isArray(examples) && examples.length > 0 && shape.kind !== "select"
      ? `For example ${examples.slice(0, 5).map(shortly).join(", ")}`
      : "",
    fallback === undefined ? "" : `Left empty: ${shortly(fallback)}`,
    shape.kind === "list" ? "One per line" : "",
    shape.kind === "json" ? "Written as JSON" : "",
  ].filter((part) => part !== "");
  return cut(
    exactLine(
      parts
        .map((part) => `${part.replace(/\.$/, "")}.`)
        .join(" ")
        .replaceAll(/\s+/g, " "),
    ),
    300,
  );
}

function shortly(value: JsonValue): string {
  return cut(typeof value === "string" ? value : JSON.stringify(value), 60);
}

function withValue(args: JsonObject, path: Leaf["path"], value: JsonValue): JsonObject {
  const [name, member] = path;
  if (member === undefined) return withMember(args, name, value);
  return withMember(args, name, withMember(memberOf(args, name), member, value));
}

function without(args: JsonObject, { path, holderIsOptional }: Leaf): JsonObject {
  const [name, member] = path;
  if (member === undefined) return withoutMember(args, name);
  const rest = withoutMember(memberOf(args, name), member);
  const isGone = holderIsOptional && Object.keys(rest).length === 0;
  return isGone ? withoutMember(args, name) : withMember(args, name, rest);
}

function memberOf(args: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return isObject(value) ? value : {};
}

/** Entries, not assignment: an argument may be called `__proto__`. The order stays. */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  if (!Object.hasOwn(object, name)) return Object.fromEntries([...Object.entries(object), [name, value]]);
  return Object.fromEntries(Object.entries(object).map(([key, old]) => [key, key === name ? value : old]));
}

function withoutMember(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

import type { Form, FormFault, FormField, FormReading, Forms, FormTool, FormValues } from "#contract/form.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import { withoutFixed } from "#src/base/fixed-arguments.ts";
import { isObject } from "#src/base/json.ts";
import { labelText } from "#src/base/statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { argumentLabel, humanise, toolTitle } from "#src/base/tool-words.ts";
import { en, type Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { exactLine, visibleLine } from "../cards/exact.ts";
import { memberOf } from "../text.ts";
import { type FieldShape, parseFieldText, shapeFor, toFieldText, typeOf } from "./kinds.ts";

/** Forms over tool arguments, for the composition root to hand to the adapters. */
export function createForms(): Forms {
  return { toForm, fromForm };
}

function toForm(tool: FormTool, args: JsonObject, language?: string): Form {
  const say = wordsOf(language);
  return {
    ...(language === undefined ? {} : { language }),
    title: exactLine(toolTitle(tool)),
    fields: argumentFieldsOf(tool, args).map((field) => toField(field, say)),
  };
}

function fromForm(tool: FormTool, args: JsonObject, values: FormValues): FormReading {
  const fields = argumentFieldsOf(tool, args);
  const names = new Set(fields.map(nameOf));
  const faults: FormFault[] = [...values.keys()]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, message: en.recorded.noSuchField(tool.id) }));
  let edited = args;
  for (const field of fields) {
    const name = nameOf(field);
    const text = values.get(name);
    // A field that was not touched keeps its value as it is, whatever its text would be read as.
    if (text === undefined || text === textOf(field)) {
      if (field.required && field.value === undefined) faults.push({ name, message: REQUIRED });
      continue;
    }
    if (text === "") {
      if (field.required) faults.push({ name, message: REQUIRED });
      else edited = without(edited, field);
      continue;
    }
    const value = parseFieldText(field.shape, text);
    if (value.ok) edited = withValue(edited, field.path, value.value);
    else faults.push({ name, message: value.message });
  }
  return faults.length === 0 ? { ok: true, args: edited } : { ok: false, faults };
}

const REQUIRED = en.recorded.required();

function toField(field: ArgumentField, say: Words): FormField {
  const { options, kind } = field.shape;
  const help = helpOf(field, say);
  return {
    name: nameOf(field),
    label: labelOf(field, say),
    kind,
    required: field.required,
    value: textOf(field),
    ...(options === undefined
      ? {}
      : { options: options.map(({ value, label }) => ({ value, label: exactLine(label) })) }),
    ...(help === "" ? {} : { help }),
  };
}

function nameOf({ path }: ArgumentField): string {
  return path.join(".");
}

function textOf({ shape, value }: ArgumentField): string {
  return value === undefined ? "" : (toFieldText(shape, value) ?? "");
}

function labelOf({ path, schema }: ArgumentField, say: Words): string {
  const own = path.at(-1) ?? "";
  const label = labelText(argumentLabel(own, schema), say);
  const whole = path.length === 1 ? label : `${labelText(humanise(path[0]), say)}: ${label}`;
  return exactLine(oneLine(whole.trim() === "" ? JSON.stringify(own) : whole, 100));
}

/** What the schema says of the argument, in a line. */
function helpOf({ schema, shape }: ArgumentField, { forms: say }: Words): string {
  const { description, examples, default: fallback } = schema;
  const parts = [
    typeof description === "string" ? description.trim() : "",
    Array.isArray(examples) && examples.length > 0 && shape.kind !== "select"
      ? say.forExample(examples.slice(0, 5).map(shortly).join(", "))
      : "",
    isEmpty(fallback) ? "" : say.leftEmpty(shortly(fallback)),
    shape.kind === "list" ? say.onePerLine : "",
    shape.kind === "json" ? say.asJson : "",
  ].filter((part) => part !== "");
  return visibleLine(parts.map((part) => `${part.replace(/\.$/, "")}.`).join(" "), 300);
}

/** A default of which nothing can be said. */
function isEmpty(value: JsonValue | undefined): value is undefined {
  return value === undefined || ["null", '""', "[]", "{}"].includes(JSON.stringify(value));
}

function shortly(value: JsonValue): string {
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
  return cutText(typeof value === "string" ? value : isTexts ? value.join(", ") : JSON.stringify(value), 60);
}

function withValue(args: JsonObject, [name, inner]: ArgumentField["path"], value: JsonValue): JsonObject {
  return withMember(args, name, inner === undefined ? value : withMember(objectIn(args, name), inner, value));
}

function without(args: JsonObject, { path: [name, inner], holderIsOptional }: ArgumentField): JsonObject {
  if (inner === undefined) return withoutMember(args, name);
  const rest = withoutMember(objectIn(args, name), inner);
  const isGone = holderIsOptional && Object.keys(rest).length === 0;
  return isGone ? withoutMember(args, name) : withMember(args, name, rest);
}

function objectIn(args: JsonObject, name: string): JsonObject {
  const value = memberOf(args, name);
  return isObject(value) ? value : {};
}

/** Entries, not assignment: an argument may be called `__proto__`. The order stays. */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries(new Map(Object.entries(object)).set(name, value));
}

function withoutMember(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** One field of the form: an argument, or a member of an argument that is an object with known members. */
interface ArgumentField {
  path: [string] | [string, string];
  schema: JsonObject;
  required: boolean;
  /** The object it is a member of is left out with its last member. */
  holderIsOptional: boolean;
  shape: FieldShape;
  /** The present value; undefined where the argument is absent. */
  value: JsonValue | undefined;
}

/** The fields in the order of the schema, then what the arguments hold beside it. */
function argumentFieldsOf(tool: FormTool, args: JsonObject): ArgumentField[] {
  const root = tool.inputSchema;
  // What is filled in is to happen: whether a call only tries is no question to a person.
  const members = membersOf(root, withoutFixed(tool, args)).filter(
    ({ name, required, value }) => name !== "dry_run" || required || value !== undefined,
  );
  // A dot in a name would make two fields of the same name possible.
  const canOpen = members.every(({ name }) => !name.includes("."));
  return members.flatMap(({ name, schema, required, value }): ArgumentField[] => {
    const resolved = resolve(schema, root);
    const inner = canOpen ? openable(resolved, value) : undefined;
    if (inner === undefined) {
      const shape = shapeFor(resolved, name, value);
      return [{ path: [name], schema: resolved, required, holderIsOptional: false, shape, value }];
    }
    return inner.map((member) => {
      const own = resolve(member.schema, root);
      return {
        path: [name, member.name],
        schema: own,
        // The members of an object that may be left out as a whole can all stay empty.
        required: member.required && (required || value !== undefined),
        holderIsOptional: !required,
        shape: shapeFor(own, member.name, member.value),
        value: member.value,
      };
    });
  });
}

interface Member {
  name: string;
  schema: JsonValue | undefined;
  required: boolean;
  value: JsonValue | undefined;
}

function membersOf(schema: JsonSchema, held: JsonObject): Member[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(held)])];
  return names.map((name) => ({
    name,
    schema: memberOf(properties, name),
    required: required.includes(name),
    value: memberOf(held, name),
  }));
}

/** The members of an argument that is better edited one by one; an empty object stays whole. */
function openable(schema: JsonObject, value: JsonValue | undefined): Member[] | undefined {
  const isKnown = typeOf(schema) === "object" && isObject(schema["properties"]);
  if (!isKnown || (value !== undefined && !isObject(value))) return undefined;
  if (value !== undefined && Object.keys(value).length === 0) return undefined;
  const members = membersOf(schema, value ?? {});
  return members.length > 0 && members.every(({ name }) => !name.includes(".")) ? members : undefined;
}

/** Follows a reference within the document; what leads nowhere takes any value. */
function resolve(schema: JsonValue | undefined, root: JsonSchema): JsonObject {
  let current = schema;
  for (let hops = 0; hops < 8; hops += 1) {
    if (!isObject(current)) return {};
    const { $ref: reference } = current;
    if (typeof reference !== "string") return current;
    current = reference.startsWith("#/") ? at(root, reference.slice(2).split("/")) : undefined;
  }
  return {};
}

function at(root: JsonValue, path: string[]): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const part of path) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    current = isObject(current) ? memberOf(current, name) : undefined;
  }
  return current;
}

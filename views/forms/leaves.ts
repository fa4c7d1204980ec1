import type { FormTool } from "#contract/form.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";

import { isObject } from "../json.ts";
import { shapeFor, type Shape, typeOf } from "./kinds.ts";

/** One field of the form: an argument, or a member of an argument that is an object with known members. */
export interface Leaf {
  path: [string] | [string, string];
  schema: JsonObject;
  required: boolean;
  /** The object it is a member of is left out with its last member. */
  holderIsOptional: boolean;
  shape: Shape;
  /** The present value; undefined where the argument is absent. */
  value: JsonValue | undefined;
}

/** The fields in the order of the schema, then what the arguments hold beside it. */
export function leavesOf(tool: FormTool, args: JsonObject): Leaf[] {
  const root = tool.inputSchema;
  const members = membersOf(root, args);
  // A dot in a name would make two fields of the same name possible.
  const canOpen = members.every(({ name }) => !name.includes("."));
  return members.flatMap(({ name, schema, required, value }): Leaf[] => {
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
    schema: Object.hasOwn(properties, name) ? properties[name] : undefined,
    required: required.includes(name),
    value: Object.hasOwn(held, name) ? held[name] : undefined,
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
    current = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  return current;
}

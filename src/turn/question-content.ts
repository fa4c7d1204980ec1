import type { ErrorObject } from "ajv";

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { jsonFault } from "../base/json.ts";
import { compileSchema } from "../base/schema-check.ts";

/**
 * The content of an answer as it is sent: defaults filled in, nothing beside the fields of the form.
 * Throws `bad_args` (details: fields).
 */
export function checkContent(schema: JsonSchema, given: JsonObject): JsonObject {
  const unsound = jsonFault(given, { texts: true });
  if (unsound !== undefined) throw badFields(unsound.field === undefined ? [] : [unsound.field], unsound.why);
  const content = structuredClone(given);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const unknown = Object.keys(content).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0)
    throw badFields(unknown, `expected only the fields of the form, got ${unknown.join(", ")}`);
  const errors = faultsOf(schema, content);
  if (errors.length === 0) return content;
  const faults = errors.map((error) => ({
    field: String(
      error.keyword === "required" ? error.params.missingProperty : (error.instancePath.split("/")[1] ?? ""),
    ),
    message:
      error.keyword === "enum"
        ? `expected one of ${JSON.stringify(error.params.allowedValues)}`
        : (error.message ?? `fails ${error.keyword}`),
  }));
  const words = faults.slice(0, 5).map(({ field, message }) => `${field}: ${message}`);
  throw badFields([...new Set(faults.map((fault) => fault.field))], words.join("; "));
}

/** Fills defaults in. What cannot be checked is left to the server, which looks at its answers itself. */
function faultsOf(schema: JsonSchema, content: JsonObject): ErrorObject[] {
  try {
    const verdict = compileSchema(schema, { defaults: true }).check(content);
    if ("errors" in verdict) return verdict.errors;
    throw new CountersignError("bad_schema", verdict.unchecked);
  } catch (error) {
    throw new CountersignError(
      "bad_args",
      `The server's form cannot be read: ${messageOf(error)}. Decline it.`,
      {
        details: { fields: [] },
      },
    );
  }
}

function badFields(fields: string[], message: string): CountersignError {
  return new CountersignError("bad_args", message, { details: { fields } });
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema document (draft 2020-12 as MCP uses it), kept as plain data. */
export type JsonSchema = JsonObject;

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";

/** Rules that every grammar of this file may use. Numbers have an end, for models that do not find one. */
const BASE = String.raw`
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
integer ::= "-"? ("0" | [1-9] [0-9]{0,8})
number ::= integer ("." [0-9]{1,6})?
boolean ::= "true" | "false"
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
array ::= "[" (value ("," value)*)? "]"
value ::= object | array | string | number | boolean | "null"
`;

/**
 * A grammar of llama.cpp for a JSON schema as Ollama reads one: properties in their order, those that are
 * not required may be left out. node-llama-cpp's own converter wants all of them, which makes a model
 * invent values.
 */
export function toGbnf(schema: JsonSchema): string {
  const rules: string[] = [];
  const name = (body: string): string => {
    rules.push(`r${rules.length} ::= ${body}`);
    return `r${rules.length - 1}`;
  };

  const defined = new Map<string, string>();

  function ruleOf(value: JsonValue | undefined): string {
    const { $ref, type, const: only, enum: choices, anyOf, properties, required, items } = asObject(value);
    if (typeof $ref === "string") {
      const target = $ref.replace("#/$defs/", "");
      const rule = defined.get(target) ?? ruleOf(asObject(schema.$defs)[target]);
      defined.set(target, rule);
      return rule;
    }
    if (only !== undefined) return literal(JSON.stringify(only));
    if (Array.isArray(choices)) return name(choices.map((one) => literal(JSON.stringify(one))).join(" | "));
    if (Array.isArray(anyOf)) return name(anyOf.map(ruleOf).join(" | "));
    if (properties !== undefined) return name(objectOf(asObject(properties), required));
    if (type === "array" && items !== undefined) {
      const item = ruleOf(items);
      return name(`"[" (${item} ("," ${item})*)? "]"`);
    }
    return typeof type === "string" ? type : "value";
  }

  function objectOf(properties: JsonObject, required: JsonValue | undefined): string {
    const wanted = Array.isArray(required) ? required : [];
    const rule = (key: string): string => `${literal(`${JSON.stringify(key)}:`)} ${ruleOf(properties[key])}`;
    const keys = Object.keys(properties);
    const always = keys.filter((key) => wanted.includes(key)).map(rule);
    const maybe = keys.filter((key) => !wanted.includes(key)).map((key) => name(rule(key)));
    const later = (from: number): string =>
      maybe
        .slice(from)
        .map((one) => `("," ${one})?`)
        .join(" ");
    if (always.length > 0) return `"{" ${always.join(` "," `)} ${later(0)} "}"`;
    if (maybe.length === 0) return `"{" "}"`;
    return `"{" (${maybe.map((one, index) => `${one} ${later(index + 1)}`).join(" | ")})? "}"`;
  }

  return `root ::= ${ruleOf(schema)}\n${rules.join("\n")}${BASE}`;
}

function literal(text: string): string {
  return JSON.stringify(text);
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

import type { Credentials, Site } from "#contract/credentials.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { isHeaderValue } from "../base/header.ts";

/** What a call is sent with beside its own arguments. All of it is secret. */
export interface Injected {
  args: JsonObject;
  /** Of every HTTP request that the call makes. */
  headers: Record<string, string>;
  /** Members of the request's `_meta`. */
  meta: JsonObject;
}

export type Injection =
  | { ok: true; injected: Injected; secrets: string[] }
  /** Names of credentials that the tool cannot do without, such as `tenant.token`. */
  | { ok: false; missing: string[] }
  /** A header whose value may not stand in one. */
  | { ok: false; unfit: string }
  /** An argument that the tool wants in a header as well, and the token that would stand there. */
  | { ok: false; exposed: { argument: string; header: string; token: string } };

/** A key of the mapping: `header:NAME`, `meta:NAME`, or the name of an argument. */
type Place = { kind: "header" | "meta" | "argument"; name: string };

const reference = /\{([a-z]+\.[a-z]+)\}/g;

function placeOf(key: string): Place {
  const [, kind, name] = /^(header|meta):(.+)$/s.exec(key) ?? [];
  return kind === undefined || name === undefined
    ? { kind: "argument", name: key }
    : { kind: kind as "header" | "meta", name };
}

/**
 * The tool as planner, people and policy see it: without the arguments that the product fills in, so
 * that nobody is asked for them. `Tool.filled` remembers them; the digest stays that of what was listed.
 */
export function hideFilled(tool: Tool, mapping: Readonly<Record<string, string>>): Tool {
  const { properties, required } = tool.inputSchema;
  if (!isObject(properties)) return tool;
  const names = Object.keys(mapping)
    .map(placeOf)
    .filter((place) => place.kind === "argument" && Object.hasOwn(properties, place.name))
    .map((place) => place.name);
  if (names.length === 0) return tool;
  const needed = Array.isArray(required) ? required : [];
  const shown: JsonSchema = {
    ...tool.inputSchema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    ...(Array.isArray(required)
      ? { required: needed.filter((name) => typeof name !== "string" || !names.includes(name)) }
      : {}),
  };
  const filled = names.map((name) => {
    const schema = properties[name];
    const mirrored = isObject(schema) && headerOf(schema) !== undefined ? { mirrored: schema } : {};
    return { name, required: needed.includes(name), ...mirrored };
  });
  return { ...tool, inputSchema: shown, filled };
}

/**
 * The schema by which a call is made: with what the product fills in and the server wants in headers, which
 * the specification has clients mirror there (https://modelcontextprotocol.io/seps/2243-http-standardization).
 */
export function schemaOfCall({ inputSchema, filled = [] }: Pick<Tool, "inputSchema" | "filled">): JsonSchema {
  const mirrored = filled.flatMap(({ name, mirrored: schema }) =>
    schema === undefined ? [] : [[name, schema] as const],
  );
  if (mirrored.length === 0) return inputSchema;
  const shown = isObject(inputSchema.properties) ? inputSchema.properties : {};
  return { ...inputSchema, properties: { ...shown, ...Object.fromEntries(mirrored) } };
}

function headerOf({ "x-mcp-header": header }: JsonObject): string | undefined {
  return typeof header === "string" ? header : undefined;
}

/** What the mapping makes of the turn's credentials for one tool. `overHttp`: there are headers to mirror into. */
export function inject(
  tool: Tool,
  mapping: Readonly<Record<string, string>>,
  credentials: Credentials | undefined,
  overHttp: boolean,
): Injection {
  const known = valuesOf(credentials);
  const injected: Injected = { args: {}, headers: {}, meta: {} };
  const missing = new Set<string>();
  for (const [key, template] of Object.entries(mapping)) {
    const place = placeOf(key);
    const filled = tool.filled?.find(({ name }) => name === place.name);
    if (place.kind === "argument" && filled === undefined) continue;
    const header = filled?.mirrored === undefined ? undefined : headerOf(filled.mirrored);
    const token = namesIn(template).find((name) => name.endsWith(".token"));
    // Whoever is between sees and logs headers: a token goes there only where an operator says so.
    if (overHttp && place.kind === "argument" && header !== undefined && token !== undefined)
      return { ok: false, exposed: { argument: place.name, header: `Mcp-Param-${header}`, token } };
    const made = fill(template, known);
    if ("missing" in made) {
      // Tools that need no site can be called without one; the server says what it thinks of that.
      if (filled?.required === true) for (const name of made.missing) missing.add(name);
    } else if (place.kind === "argument") injected.args[place.name] = made.value;
    else if (place.kind === "meta") injected.meta[place.name] = made.value;
    else if (isHeaderValue(String(made.value))) injected.headers[place.name] = String(made.value);
    else return { ok: false, unfit: place.name };
  }
  if (missing.size > 0) return { ok: false, missing: [...missing] };
  const { args, headers, meta } = injected;
  const texts = [
    ...known.values(),
    ...[args, headers, meta].flatMap((part) => Object.values<JsonValue>(part)),
  ];
  return { ok: true, injected, secrets: texts.filter((text) => typeof text === "string") };
}

/** A bare name keeps its type; within other text it becomes text. */
function fill(
  template: string,
  known: ReadonlyMap<string, string | boolean>,
): { value: string | boolean } | { missing: string[] } {
  const bare = known.get(template);
  if (bare !== undefined) return { value: bare };
  const missing = namesIn(template).filter((name) => !known.has(name));
  if (missing.length > 0) return { missing };
  return { value: template.replaceAll(reference, (_, name: string) => String(known.get(name))) };
}

/** Which credentials a template is made of. */
function namesIn(template: string): string[] {
  if (credentialNames.includes(template)) return [template];
  return [...template.matchAll(reference)].map(([, name = ""]) => name);
}

const parts = ["domain", "token", "ssl"] as const;

/** What a mapping may name. */
export const credentialNames: readonly string[] = ["tenant", "source", "target"].flatMap((site) =>
  parts.map((part) => `${site}.${part}`),
);

function valuesOf(credentials: Credentials | undefined): Map<string, string | boolean> {
  const values = new Map<string, string | boolean>();
  const add = (prefix: string, site: Site | undefined): void => {
    for (const part of parts) {
      const value = site?.[part];
      if (value !== undefined) values.set(`${prefix}.${part}`, value);
    }
  };
  add("tenant", credentials?.tenant);
  add("source", credentials?.migration?.source);
  add("target", credentials?.migration?.target);
  return values;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { SiteCredentials } from "#contract/message.ts";
import type { CallRequest, FixedArgument, Tool } from "#contract/tool.ts";

import { CREDENTIAL, credentialsFor, credentialsIn, credentialValues } from "../../base/call-targets.ts";
import { withFixed } from "../../base/fixed-arguments.ts";
import { headerFault, isHeaderValue } from "../../base/http.ts";
import { isObject } from "../../base/json.ts";
import { isSecretKey, secretArguments } from "../../base/redact.ts";
import { en } from "../../base/words/en.ts";
import type { McpServerConfig } from "../config.ts";
import type { FilledIn } from "../connect/connection.ts";
import { createMask, type Mask, maskRequest, type SecretLog } from "./masking.ts";

/** A call on its way out, with what only the server is told. */
export interface OutgoingCall extends CallRequest {
  injected?: FilledIn;
}

/** `mask`: for all that comes back. `message`: why the call is not made, for its person. */
export type FillIn = (
  request: CallRequest,
) => { ok: true; request: OutgoingCall; mask: Mask | undefined } | { ok: false; message: string };

/**
 * Fills in what the turn's credentials give a call; policy, approval and audit saw the call without. The mask covers
 * these values, the secrets that the configuration gives the server and those among the arguments.
 */
export function createFillIn(config: McpServerConfig, log: SecretLog): FillIn {
  const { name, credentials: mapping = {} } = config;
  const isMapped = Object.keys(mapping).length > 0;
  const known = configuredSecrets(config);
  const usual = known.length === 0 ? undefined : createMask(known, []);
  return ({ credentials, ...request }) => {
    const { tool } = request;
    const theirs = isMapped ? credentialsFor(name, credentials) : undefined;
    const made = inject(tool, mapping, theirs, config.url !== undefined);
    if (!made.ok) return { ok: false, message: whyNotFilled(made, tool, name) };
    // The plan cannot know what is filled in: a value there is made up.
    const own = Object.entries(request.args).filter(([key]) => !tool.filled?.some((one) => one.name === key));
    // Calls that nobody planned, such as a look at what a change acts on, are made without them.
    const isLeft = ({ name, yields }: FixedArgument): boolean =>
      yields !== true && !Object.hasOwn(request.args, name);
    const args = withFixed({ fixed: (tool.fixed ?? []).filter(isLeft) }, Object.fromEntries(own), request);
    if (made.secrets.length > 0) log.sent(name, made.secrets);
    const more = [...secretArguments(args), ...made.secrets];
    const mask = more.length === 0 ? usual : createMask([...known, ...more], made.secrets);
    const outgoing = { ...request, args, injected: made.injected };
    return { ok: true, request: mask === undefined ? outgoing : maskRequest(outgoing, mask), mask };
  };
}

function whyNotFilled(made: Exclude<Injection, { ok: true }>, tool: Tool, name: string): string {
  if ("exposed" in made) {
    const { argument, header, token } = made.exposed;
    return `${tool.id} was not called: ${name} wants its argument ${argument} in the header ${header} as well, and servers.${name}.credentials puts ${token} there, which everything on the way could read. Take ${argument} out of that mapping, and give the token as "header:Authorization" or in a way of the server's own.`;
  }
  if ("unfit" in made)
    return `${tool.id} was not called: servers.${name}.credentials makes the header ${made.unfit} of what this turn came with, which has to be ${headerFault}.`;
  const sites = new Set(made.missing.map((one) => one.split(".")[0] ?? ""));
  const { noSiteChosen, noSitesChosen } = en.recorded;
  return sites.has("tenant") ? noSiteChosen(name) : noSitesChosen(name);
}

/**
 * Secrets of its environment and headers: values under a name that says so, and passwords in addresses.
 * What anybody may say as well, such as an address or a word, is none.
 */
export function configuredSecrets({
  env = {},
  headers = {},
  person_headers = {},
}: McpServerConfig): string[] {
  const named = [env, headers, ...Object.values(person_headers)].flatMap((one) => Object.entries(one));
  const values = named.flatMap(([key, value]) => {
    const { password = "" } = URL.parse(value) ?? {};
    const [, token = ""] = /^(?:Bearer|Basic|Token) +(\S+)$/i.exec(value) ?? [];
    const isSecret = isSecretKey(key) && !isCommon(value);
    return [...(isSecret ? [value, token] : []), ...(password === "" ? [] : decoded(password))];
  });
  // Short ones are too common to search for.
  return values.filter((value) => value.length >= 8);
}

/** An address without a password, or a lower-case word. */
function isCommon(value: string): boolean {
  return /^[a-z]+$/.test(value) || (/^https?:\/\//i.test(value) && URL.parse(value)?.password === "");
}

/** As it stands in the address, and as it was meant. */
function decoded(password: string): string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

export type Injection =
  | { ok: true; injected: FilledIn; secrets: string[] }
  /** Names of credentials that the tool cannot do without, such as `tenant.token`. */
  | { ok: false; missing: string[] }
  /** A header whose value may not stand in one. */
  | { ok: false; unfit: string }
  /** An argument that the tool wants in a header as well, and the token that would stand there. */
  | { ok: false; exposed: { argument: string; header: string; token: string } };

/** A key of the mapping: `header:NAME`, `meta:NAME`, or the name of an argument. */
type Place = { kind: "header" | "meta" | "argument"; name: string };

function placeOf(key: string): Place {
  const [, kind, name] = /^(header|meta):(.+)$/s.exec(key) ?? [];
  return kind === undefined || name === undefined
    ? { kind: "argument", name: key }
    : { kind: kind as "header" | "meta", name };
}

/**
 * The tool as planner, people and policy see it: without the arguments that the product fills in, so
 * that nobody is asked for them. `Tool.filled` and `Tool.credentials` remember them; the digest stays that of what was
 * listed.
 */
export function hideFilled(listed: Tool, mapping: Readonly<Record<string, string>>): Tool {
  const { properties, required } = listed.inputSchema;
  const own = Object.entries(mapping).filter(
    ([key]) => placeOf(key).kind !== "argument" || (isObject(properties) && Object.hasOwn(properties, key)),
  );
  const tool = own.length === 0 ? listed : { ...listed, credentials: Object.fromEntries(own) };
  if (!isObject(properties)) return tool;
  const names = Object.keys(mapping)
    .map(placeOf)
    .filter(({ kind, name }) => kind === "argument" && Object.hasOwn(properties, name))
    .map(({ name }) => name);
  if (names.length === 0) return tool;
  const needed = Array.isArray(required) ? required : [];
  const shown: JsonSchema = {
    ...tool.inputSchema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    ...(Array.isArray(required) && { required: needed.filter((name) => !names.includes(name as string)) }),
  };
  const filled = names.map((name) => {
    const schema = properties[name];
    const mirrored = isObject(schema) && headerOf(schema) !== undefined ? { mirrored: schema } : {};
    return { name, required: needed.includes(name), ...mirrored };
  });
  return { ...tool, inputSchema: shown, filled };
}

function headerOf({ "x-mcp-header": header }: JsonObject): string | undefined {
  return typeof header === "string" ? header : undefined;
}

/** What the mapping makes of the turn's credentials for one tool. `overHttp`: there are headers to mirror into. */
export function inject(
  tool: Tool,
  mapping: Readonly<Record<string, string>>,
  credentials: SiteCredentials | undefined,
  overHttp: boolean,
): Injection {
  const known = credentialValues(credentials);
  const injected: FilledIn = { args: {}, headers: {}, meta: {} };
  const missing = new Set<string>();
  for (const [key, template] of Object.entries(mapping)) {
    const place = placeOf(key);
    const filled = tool.filled?.find(({ name }) => name === place.name);
    if (place.kind === "argument" && filled === undefined) continue;
    const header = filled?.mirrored === undefined ? undefined : headerOf(filled.mirrored);
    const token = credentialsIn(template).find((name) => name.endsWith(".token"));
    // Proxies see and log headers: a token goes there only where an operator says so.
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
  // The ends of a migration are what its people decide about: card and record name them.
  const isRead = tool.annotations.readOnlyHint === true;
  const named = isRead ? [] : [known.get("source.domain"), known.get("target.domain")];
  const secrets = texts.filter((text) => typeof text === "string").filter((text) => !named.includes(text));
  return { ok: true, injected, secrets };
}

/** A bare name keeps its type; within other text it becomes text. */
function fill(
  template: string,
  known: ReadonlyMap<string, string | boolean>,
): { value: string | boolean } | { missing: string[] } {
  const bare = known.get(template);
  if (bare !== undefined) return { value: bare };
  const missing = credentialsIn(template).filter((name) => !known.has(name));
  if (missing.length > 0) return { missing };
  return { value: template.replaceAll(CREDENTIAL, (_, name: string) => String(known.get(name))) };
}

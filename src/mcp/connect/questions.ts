import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
} from "@modelcontextprotocol/client";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { QuestionBody } from "#contract/question.ts";
import type { SamplingRequest } from "#contract/tool.ts";

import { messageOf } from "../../base/errors.ts";
import { isObject, jsonFault } from "../../base/json.ts";
import { isSecretKey } from "../../base/redact.ts";
import { LONGEST, plainName, secretAskedFor, secretIn } from "../../base/secret-words.ts";
import type { McpLog } from "../ports.ts";
import type { OpenCall } from "./open-call.ts";

/** A link longer than this is nothing to show to a person. */
const longestUrl = 4_000;
/** More than that is no question. */
const mostFields = 200;

export interface ElicitOptions {
  server: string;
  log: McpLog;
  /** How long a person may take, in milliseconds. */
  ttlMs: number;
}

/**
 * Hands what a server asks to the person whose call it belongs to. Neither limit of the call counts
 * meanwhile. Never rejects: where nobody can be asked the server is told `cancel`.
 */
export async function elicit(
  params: ElicitRequestParams,
  call: OpenCall | undefined,
  signal: AbortSignal,
  { server, log, ttlMs }: ElicitOptions,
): Promise<ElicitResult> {
  if (call?.ask === undefined) {
    const why = call === undefined ? "no single call it could belong to" : "nobody to ask";
    log.warn({ server, why }, "a server's question was cancelled");
    return { action: "cancel" };
  }
  if (!call.clock.admitQuestion()) {
    log.warn({ server, tool: call.toolId }, "a call was ended: its server asks too many questions");
    return { action: "cancel" };
  }
  const body = toBody(params);
  const refusal = whyRefused(body);
  const release = call.clock.hold();
  try {
    const reply = await call.ask(
      { ...body, toolId: call.toolId, ttlMs, ...(refusal !== undefined && { refusal }) },
      AbortSignal.any([signal, call.signal]),
    );
    if (reply.action !== "accept") return reply;
    // Nothing but what a form asks for is sent back; a link has no content.
    if (body.kind === "link") return { action: "accept" };
    return { action: "accept", content: (reply.content ?? {}) as NonNullable<ElicitResult["content"]> };
  } finally {
    release();
  }
}

function toBody(params: ElicitRequestParams): QuestionBody {
  const message = params.message.slice(0, LONGEST);
  if (params.mode !== "url") {
    return { kind: "form", message, schema: params.requestedSchema as unknown as JsonSchema };
  }
  // What is shown, what is opened and what the domain is said of are the same address, in its normal form.
  if (whyNoLink(params.url) !== undefined) return { kind: "link", message, url: params.url, domain: "" };
  const { href, host } = new URL(params.url);
  return { kind: "link", message, url: href, domain: host };
}

/** Why a question is declined without being asked, in words for the person; undefined where it may be asked. */
export function whyRefused(body: QuestionBody): string | undefined {
  if (body.kind === "link") return whyNoLink(body.url);
  const fault = jsonFault(body.schema);
  const why = fault?.why ?? whyTooMuch(body.schema);
  if (why !== undefined) return `Its form cannot be shown: ${why}.`;
  const missing = undescribed(body.schema);
  if (missing !== undefined)
    return `Its form cannot be answered: it requires ${JSON.stringify(missing)}, and has no field of that name that could be asked for.`;
  const secret = secretAskedFor(body.message, canType(body.schema)) ?? secretField(body.schema);
  return secret === undefined
    ? undefined
    : `It asks for a secret (${secret}). Secrets are never given through a chat: they belong into the server's own configuration.`;
}

function whyNoLink(text: string): string | undefined {
  if (text.length > longestUrl || !URL.canParse(text)) return "The link it gives is not an address.";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `The link it gives is no web page (${url.protocol}).`;
  // Browsers read a backslash as a slash, and leave out spaces and line breaks; people read on.
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\\\p{C}\s]/u.test(text))
    return "The link it gives is written in a way that hides where it leads.";
  // `https://bank.example@evil.example/` reads as the wrong place.
  if (url.username !== "" || url.password !== "") return "The link it gives hides its address behind a name.";
  return undefined;
}

/** What is required and has no field. The protocol's library leaves a field out that is called `__proto__`. */
function undescribed(schema: JsonSchema): string | undefined {
  const fields = fieldsOf(schema);
  const names = Array.isArray(schema.required) ? schema.required : [];
  return names.filter((name) => typeof name === "string").find((name) => !Object.hasOwn(fields, name));
}

/** What is shown of each field has to be looked through, and read. */
function whyTooMuch(schema: JsonSchema): string | undefined {
  const fields = Object.entries(fieldsOf(schema));
  if (fields.length > mostFields) return `expected at most ${mostFields} fields, got ${fields.length}`;
  const texts = fields.flatMap(([name, about]) =>
    isObject(about) ? [name, about.title, about.description] : name,
  );
  const isLong = texts.some((text) => typeof text === "string" && text.length > LONGEST);
  return isLong ? `expected at most ${LONGEST} characters about a field, got more` : undefined;
}

/** The first field that asks for a secret by its name, title, description or format. */
function secretField(schema: JsonSchema): string | undefined {
  return Object.entries(fieldsOf(schema)).find(([name, field]) => {
    const { title, description, format, writeOnly } = isObject(field) ? field : {};
    if (isSecretKey(name) || isSecretKey(plainName(name))) return true;
    if (format === "password" || writeOnly === true) return true;
    const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[_\-.]+/g, " ");
    const names = [words, title].filter((text) => typeof text === "string");
    const texts = [...names, description].filter((text) => typeof text === "string");
    return (
      names.some((text) => secretIn(text, { isName: true }) !== undefined) ||
      texts.some((text) => secretIn(text) !== undefined)
    );
  })?.[0];
}

/** Whether anything but choices is asked for. */
function canType(schema: JsonSchema): boolean {
  return Object.values(fieldsOf(schema)).some(
    (field) => !isObject(field) || (field.type !== "boolean" && field.enum === undefined),
  );
}

function fieldsOf({ properties }: JsonSchema): JsonObject {
  return isObject(properties) ? properties : {};
}

/** The specification's code for a person's no. */
const rejected = -1;

/**
 * Has the model answer what a server asks for in the middle of a call. Neither limit of the call counts
 * meanwhile. Rejects with an error for the server where it is not allowed.
 */
export async function sample(
  params: CreateMessageRequestParams,
  call: OpenCall | undefined,
  signal: AbortSignal,
): Promise<CreateMessageResult> {
  if (call?.sample === undefined) throw new ProtocolError(rejected, "There is nobody to ask about this.");
  if (!call.clock.admitQuestion()) throw new ProtocolError(rejected, "That is too much for one call.");
  const messages = params.messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    const texts = blocks.map((block) => {
      if (block.type === "text") return block.text;
      throw new ProtocolError(-32_602, `Only text can be sampled here, not ${block.type}.`);
    });
    return { role, text: texts.join("\n") };
  });
  const request: SamplingRequest = {
    server: call.toolId.split(".")[0] ?? "",
    toolId: call.toolId,
    ...(params.systemPrompt !== undefined && { system: params.systemPrompt }),
    messages,
  };
  const release = call.clock.hold();
  try {
    const { text, model } = await call.sample(request, AbortSignal.any([signal, call.signal]));
    return { role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" };
  } catch (error) {
    throw new ProtocolError(rejected, messageOf(error));
  } finally {
    release();
  }
}

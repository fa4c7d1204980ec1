import type { Context } from "hono";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject, jsonFault } from "#src/base/json.ts";

import { ApiError, badField } from "../errors.ts";
import { actorOf, type HttpEnv } from "../identity.ts";
import { conversationOf } from "./wire.ts";

type PersonBody = z.ZodType<{ actor?: string | undefined }>;

/**
 * The checked JSON body, with who asks as its `actor`: the token's, or the one that it names. The error of a bad
 * body names the field.
 */
export async function readBody<Schema extends PersonBody>(
  c: Context<HttpEnv>,
  schema: Schema,
): Promise<Omit<z.infer<Schema>, "actor"> & { actor: ActorId }> {
  const checked = schema.safeParse(await readJson(c));
  if (checked.success) return { ...checked.data, actor: actorOf(c.get("identity"), checked.data.actor) };
  const faults = checked.error.issues.flatMap(toFaults);
  throw new ApiError(400, "bad_request", faults.map((fault) => fault.message).join("; "), {
    details: { field: faults[0]?.field ?? "", fields: faults.map((fault) => fault.field) },
  });
}

async function readJson(c: Context): Promise<unknown> {
  const bytes = await c.req.arrayBuffer();
  // A stop needs no body at all; where fields are required the schema says which.
  if (bytes.byteLength === 0) return {};
  const type = c.req.header("content-type");
  if (type?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new ApiError(
      415,
      "unsupported_media_type",
      `Content-Type: expected application/json, got ${type === undefined ? "none" : JSON.stringify(type)}`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "the bytes are not UTF-8";
    throw new ApiError(400, "bad_json", `body: expected a JSON object, got something else (${why})`);
  }
  const { field, why } = jsonFault(value) ?? {};
  if (why === undefined) return value;
  const details = { field: field ?? "", fields: [field ?? ""] };
  throw new ApiError(400, "bad_request", `${field ?? "body"}: ${why}`, { details });
}

function toFaults(issue: z.core.$ZodIssue): { field: string; message: string }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const field = [...issue.path, key].join(".");
      return { field, message: `${field}: unknown field` };
    });
  }
  const field = issue.path.length === 0 ? "body" : issue.path.join(".");
  return [{ field, message: `${field}: ${issue.message.replace(/^Invalid input: /, "")}` }];
}

const hasWholeCharacters = (text: string): boolean => text.isWellFormed();
const BROKEN_PAIR = "holds a broken surrogate pair";

export const actorField: z.ZodType<string | undefined> = z.string().min(1).max(80).optional();

export const sessionId: z.ZodType<string> = z
  .string()
  .min(1, "expected 1 to 128 characters, got none")
  .max(128, "expected 1 to 128 characters")
  .refine((text) => text.trim() !== "", "expected 1 to 128 characters, got only blanks")
  .refine(hasWholeCharacters, BROKEN_PAIR)
  .refine((text) => !hasControlCharacters(text), "holds control characters");

/** Deduplicates: one event id starts one turn of a session. */
export const eventId: z.ZodType<string> = z.string().min(1).max(128).refine(hasWholeCharacters, BROKEN_PAIR);

/** Largest message in bytes of UTF-8. */
const MESSAGE_LIMIT_BYTES: number = 32 * 1024;

export const messageText: z.ZodType<string> = z
  .string()
  .transform((text) => text.replaceAll("\r\n", "\n"))
  .refine((text) => text.trim() !== "", "expected some text, got an empty message")
  .refine(
    (text) => Buffer.byteLength(text) <= MESSAGE_LIMIT_BYTES,
    `expected at most ${MESSAGE_LIMIT_BYTES / 1024} KB; shorten it or put the long part into a ticket or page`,
  )
  .refine(hasWholeCharacters, BROKEN_PAIR)
  .refine(
    (text) => !hasControlCharacters(text),
    "holds control characters; only tab and newline are allowed beside printable text",
  );

/** A reason, or what somebody knows of an outcome. */
export const noteText: z.ZodType<string> = z
  .string()
  .max(2000)
  .refine((text) => !hasControlCharacters(text.replaceAll("\r\n", "\n")), "holds control characters");

/** Passes the object as parsed: zod's record would lose a key called `__proto__`. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>((value) => isObject(value), {
  error: "expected an object",
});

/** For stopping a turn, looking up an outcome, revoking a grant. */
export const actorBody: PersonBody = z.strictObject({ actor: actorField });

/** `POST /approvals/{id}/edit` */
export const editBody: z.ZodType<{ args: JsonObject; actor?: string | undefined }> = z.strictObject({
  args: jsonObject,
  actor: actorField,
});

/** The fields of a form of the page. Pairs, not an object: a field may have any name. */
export const fieldValues: z.ZodType<[name: string, value: string][]> = z.array(
  z.tuple([z.string(), z.string()]),
);

/** `state` and `session_id` of a query, as a filter of the core. */
export function readFilter<State extends string>(
  c: Context,
  states: readonly State[],
): { state?: State; conversationId?: string } {
  const given = c.req.query("state");
  const session = c.req.query("session_id");
  const state = states.find((one) => one === given);
  if (given !== undefined && state === undefined) {
    const got = JSON.stringify(given.slice(0, 40));
    throw badField("state", `expected one of ${states.join(", ")}, got ${got}`);
  }
  return {
    ...(state !== undefined && { state }),
    ...(session !== undefined && { conversationId: conversationOf(session) }),
  };
}

/** Whether a text holds NUL or another C0 control or DEL, tab and newline aside. */
export function hasControlCharacters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text);
}

import type { Context } from "hono";
import * as z from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { Site } from "#contract/message.ts";
import { headerFault, isHeaderValue } from "#src/base/http.ts";
import { jsonFault } from "#src/base/json.ts";

import { ApiError } from "../errors.ts";

/** The checked JSON body. The error of a bad one names the field. */
export async function readBody<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const value = await readJson(c);
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
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
  const fault = jsonFault(value);
  if (fault !== undefined)
    throw new ApiError(400, "bad_request", `${fault.field ?? "body"}: ${fault.why}`, {
      details: { field: fault.field ?? "", fields: [fault.field ?? ""] },
    });
  return value;
}

function toFaults(issue: z.core.$ZodIssue): { field: string; message: string }[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const field = path === "" ? key : `${path}.${key}`;
      return { field, message: `${field}: unknown field` };
    });
  }
  const field = path === "" ? "body" : path;
  return [{ field, message: `${field}: ${issue.message.replace(/^Invalid input: /, "")}` }];
}

/** Largest message in bytes of UTF-8. */
const MESSAGE_LIMIT_BYTES: number = 32 * 1024;

const actor = z.string().min(1).max(80);

const sessionId = z
  .string()
  .min(1, "expected 1 to 128 characters, got none")
  .max(128, "expected 1 to 128 characters")
  .refine((text) => text.trim() !== "", "expected 1 to 128 characters, got only blanks")
  .refine((text) => text.isWellFormed(), "holds a broken surrogate pair")
  .refine((text) => !hasControlCharacters(text), "holds control characters");

/** The same one starts one turn of a session. */
export const eventId: z.ZodType<string> = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => text.isWellFormed(), "holds a broken surrogate pair");

const message = z
  .string()
  .transform((text) => text.replaceAll("\r\n", "\n"))
  .refine((text) => text.trim() !== "", "expected some text, got an empty message")
  .refine(
    (text) => Buffer.byteLength(text) <= MESSAGE_LIMIT_BYTES,
    `expected at most ${MESSAGE_LIMIT_BYTES / 1024} KB; shorten it or put the long part into a ticket or page`,
  )
  .refine((text) => text.isWellFormed(), "holds a broken surrogate pair")
  .refine(
    (text) => !hasControlCharacters(text),
    "holds control characters; only tab and newline are allowed beside printable text",
  );

/** Checked here and never logged or sent back. */
const site: z.ZodType<Site> = z.strictObject({
  domain: z.string().min(1).max(2048),
  token: z.string().min(1).max(8192).refine(isHeaderValue, `expected ${headerFault}`),
  ssl: z.boolean().exactOptional(),
});

/** `POST /agent/turn` */
export interface TurnBody {
  session_id: string;
  message?: string | undefined;
  actor?: string | undefined;
  approved_keys?: string[] | undefined;
  allow_summarization: boolean;
  tenant_config?: Site | undefined;
  migration_config?: { source: Site; target: Site } | undefined;
  event_id?: string | undefined;
}

export const turnBody: z.ZodType<TurnBody> = z
  .strictObject({
    session_id: sessionId,
    message: message.optional(),
    actor: actor.optional(),
    approved_keys: z.array(z.string().min(1).max(256)).max(50).optional(),
    allow_summarization: z.boolean().default(true),
    tenant_config: site.optional(),
    migration_config: z.strictObject({ source: site, target: site }).optional(),
    event_id: eventId.optional(),
  })
  .refine((body) => body.message !== undefined || (body.approved_keys ?? []).length > 0, {
    path: ["message"],
    message: "is required unless approved_keys decides a pending request",
  });

const note = z
  .string()
  .max(2000)
  .refine((text) => !hasControlCharacters(text.replaceAll("\r\n", "\n")), "holds control characters");

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m` and the like, in milliseconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,6}[smhd]$/, "expected a duration such as 30s, 30m, 24h or 7d")
  .transform((text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0));

/** `POST /approvals/{id}/decision` */
export interface DecisionBody {
  decision: "approve" | "deny";
  actor?: string | undefined;
  reason?: string | undefined;
  /** `ttl` in milliseconds once read. */
  grant?: { ttl: number; uses?: number | undefined } | undefined;
}

export const decisionBody: z.ZodType<DecisionBody> = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    actor: actor.optional(),
    reason: note.optional(),
    grant: z.strictObject({ ttl: duration, uses: z.int().min(1).max(1_000_000).optional() }).optional(),
  })
  .refine((body) => body.grant === undefined || body.decision === "approve", {
    path: ["grant"],
    message: "goes with approve only",
  });

/** As it was parsed: a record of zod would lose a key that is called `__proto__`. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  { error: "expected an object" },
);

/** `POST /approvals/{id}/edit` */
export interface EditBody {
  args: JsonObject;
  actor?: string | undefined;
}

export const editBody: z.ZodType<EditBody> = z.strictObject({
  args: jsonObject,
  actor: actor.optional(),
});

/** What needs nothing but to know who: stopping a turn, looking up an outcome, revoking a grant. */
export interface ActorBody {
  actor?: string | undefined;
}

export const actorBody: z.ZodType<ActorBody> = z.strictObject({ actor: actor.optional() });

/** `POST /approvals/{id}/settle` */
export interface SettleBody {
  outcome: "happened" | "did_not";
  actor?: string | undefined;
  note?: string | undefined;
}

export const settleBody: z.ZodType<SettleBody> = z.strictObject({
  outcome: z.enum(["happened", "did_not"]),
  actor: actor.optional(),
  note: note.optional(),
});

/** `PUT /channels/{id}/privacy` */
export interface PrivacyBody {
  summarize: boolean;
  actor?: string | undefined;
}

export const privacyBody: z.ZodType<PrivacyBody> = z.strictObject({
  summarize: z.boolean(),
  actor: actor.optional(),
});

/** `POST /connections/{server}` */
export interface ConnectBody {
  actor?: string | undefined;
  /** Whose channel it is for, where the server is asked with an account of the channel. */
  session_id?: string | undefined;
}

export const connectBody: z.ZodType<ConnectBody> = z.strictObject({
  actor: actor.optional(),
  session_id: sessionId.optional(),
});

/** `session_id` of a query; undefined where none, or none that could be one, was given. */
export function sessionQuery(given: string | undefined): string | undefined {
  const checked = sessionId.safeParse(given);
  return checked.success ? checked.data : undefined;
}

/** Whether a text holds NUL or another C0 control or DEL, tab and newline aside. */
export function hasControlCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09 && code !== 0x0a) || code === 0x7f) return true;
  }
  return false;
}

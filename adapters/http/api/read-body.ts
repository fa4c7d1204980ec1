import type { Context } from "hono";
import type * as z from "zod";

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

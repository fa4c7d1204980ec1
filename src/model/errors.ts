import type { ModelErrorCode } from "#contract/model.ts";

import { CountersignError } from "../base/errors.ts";

/** An error of a model with its stable code. */
export class ModelError extends CountersignError {
  declare readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
    this.name = "ModelError";
  }
}

/** The innermost message of a failed request: `fetch failed` alone helps nobody. */
export function rootMessage(error: unknown): string {
  let message = String(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    message = at.message === "" ? code : at.message;
  }
  return message.slice(0, 500);
}

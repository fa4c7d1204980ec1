import type { Context } from "hono";

import type { HttpEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import type { Identity } from "../identity.ts";

/** Who looks at a fragment; rejects where tokens are configured and none came. */
export function requiredIdentity(c: Context<HttpEnv>): Identity {
  const identity = c.get("identity");
  if (identity === undefined) throw new ApiError(401, "unauthorized", "Sign in first");
  return identity;
}

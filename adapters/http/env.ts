import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

import type { Offer } from "#contract/viewer.ts";

import { ApiError } from "./errors.ts";
import type { Identity } from "./identity.ts";

/**
 * What the guard leaves for the routes: nothing only on public paths, where tokens are configured and none
 * came. Routes reach the product through `offer` alone, which is of who asks.
 */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { identity: Identity | undefined; offer: Offer | undefined };
}

/** What who asks may see and use; rejects where tokens are configured and none came. */
export function offerOf(c: Context<HttpEnv>): Offer {
  const offer = c.get("offer");
  if (offer === undefined) throw new ApiError(401, "unauthorized", "Sign in first");
  return offer;
}

import type { HttpBindings } from "@hono/node-server";

import type { Identity } from "./identity.ts";

/** What the guard leaves for the routes: no identity only on public paths, where tokens are configured and none came. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { identity: Identity | undefined };
}

import type { ActorId } from "#contract/actor.ts";

import { ApiError } from "./errors.ts";

const NAME = /^[A-Za-z0-9._@-]{1,64}$/;

/** Who speaks when nobody is named and no tokens are configured. */
export const LOCAL_ACTOR: ActorId = "http:local";

/** `ana` or `http:ana` to `http:ana`. Another surface's prefix is refused: HTTP speaks only for its own people. */
export function toHttpActor(name: string, field = "actor"): ActorId {
  const own = name.startsWith("http:") ? name.slice("http:".length) : name;
  if (!NAME.test(own)) {
    throw new ApiError(
      400,
      "bad_request",
      `${field}: expected a name of 1 to 64 letters, digits or . _ @ -, as "ana" or "http:ana"; ` +
        `people of other surfaces cannot be named here`,
      { details: { field } },
    );
  }
  return `http:${own}`;
}

/** `http:ana` to `ana`; people of other surfaces keep their prefix. */
export function actorLabel(actor: string): string {
  return actor.startsWith("http:") ? actor.slice("http:".length) : actor;
}

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { ActorId } from "#contract/actor.ts";

import { LOCAL_ACTOR, toHttpActor } from "./actors.ts";
import { ApiError } from "./errors.ts";

/** Who a request comes from. `open`: no tokens are configured and the body may name the actor. */
export type Identity = { mode: "open" } | { mode: "token"; actor: ActorId };

/** The configured tokens. Comparisons take the same time whatever is presented. */
export interface TokenBook {
  readonly empty: boolean;
  ofBearer(token: string): ActorId | undefined;
  ofCookie(value: string): ActorId | undefined;
  /** The value of the page's session cookie: it stands for the token, does not reveal it, and dies with it. */
  cookieFor(token: string): string | undefined;
}

export function createTokenBook(tokens: { token: string; actor: string }[]): TokenBook {
  const entries = tokens.map(({ token, actor }, index) => ({
    actor: toHttpActor(actor, `http.tokens[${index}].actor`),
    token: sha256(token),
    cookie: cookieOf(token),
  }));
  const find = (
    match: (entry: (typeof entries)[number]) => boolean,
  ): (typeof entries)[number] | undefined => {
    let found: (typeof entries)[number] | undefined;
    // Every entry is looked at, so that the time does not tell which one matched.
    for (const entry of entries) if (match(entry)) found = entry;
    return found;
  };
  const byToken = (token: string) => {
    const given = sha256(token);
    return find((entry) => timingSafeEqual(entry.token, given));
  };
  return {
    empty: entries.length === 0,
    ofBearer: (token) => byToken(token)?.actor,
    ofCookie(value) {
      const given = sha256(value);
      return find((entry) => timingSafeEqual(sha256(entry.cookie), given))?.actor;
    },
    cookieFor: (token) => byToken(token)?.cookie,
  };
}

/** The actor of a request: the token's, or in open mode the one the body names. */
export function actorOf(identity: Identity | undefined, named: string | undefined): ActorId {
  if (identity === undefined)
    throw new ApiError(401, "unauthorized", "Authorization: expected Bearer TOKEN, got none");
  const wanted = named === undefined ? undefined : toHttpActor(named);
  if (identity.mode === "open") return wanted ?? LOCAL_ACTOR;
  if (wanted !== undefined && wanted !== identity.actor) {
    throw new ApiError(
      403,
      "actor_mismatch",
      `actor: this token stands for ${identity.actor}, not for ${wanted}; leave actor out or use the token of that person`,
      { details: { field: "actor" } },
    );
  }
  return identity.actor;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function cookieOf(token: string): string {
  return createHmac("sha256", token).update("countersign playground session").digest("base64url");
}

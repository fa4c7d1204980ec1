import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { ActorId } from "#contract/actor.ts";

import { LOCAL_ACTOR, toHttpActor } from "./actors.ts";
import { ApiError } from "./errors.ts";
import type { TokenSettings } from "./options.ts";

/** Who a request comes from. `open`: no tokens are configured and the body may name the actor. */
export type Identity = { mode: "open" } | TokenIdentity;

export interface TokenIdentity {
  mode: "token";
  actor: ActorId;
  /** Sees and uses what everybody does. */
  isOperator: boolean;
  /** Who they are on chat platforms. */
  also: readonly ActorId[];
}

/** The configured tokens. Comparisons take the same time whatever is presented. */
export interface TokenBook {
  readonly empty: boolean;
  ofBearer(token: string): TokenIdentity | undefined;
  /** What a session keeps of the token that began it: it tells nobody the token, and fits no other. */
  proofFor(token: string, session: string): string | undefined;
  /** Whom the proof is of; undefined when their token is not configured any more. */
  ofProof(proof: string, session: string): TokenIdentity | undefined;
}

export function createTokenBook(tokens: readonly TokenSettings[]): TokenBook {
  const entries = tokens.map(({ token, actor, role, also = [] }, index) => ({
    identity: {
      mode: "token",
      actor: toHttpActor(actor, `http.tokens[${index}].actor`),
      isOperator: role === "operator",
      also,
    } satisfies TokenIdentity,
    digest: sha256(token),
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
    return find((entry) => timingSafeEqual(entry.digest, given));
  };
  return {
    empty: entries.length === 0,
    ofBearer: (token) => byToken(token)?.identity,
    proofFor(token, session) {
      const entry = byToken(token);
      return entry === undefined ? undefined : proofOf(entry.digest, session);
    },
    ofProof(proof, session) {
      const given = sha256(proof);
      return find((entry) => timingSafeEqual(sha256(proofOf(entry.digest, session)), given))?.identity;
    },
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

/** The session's id is nowhere but in its cookie: without it a proof cannot be tried against guessed tokens. */
function proofOf(digest: Buffer, session: string): string {
  return createHmac("sha256", session).update(digest).digest("base64url");
}

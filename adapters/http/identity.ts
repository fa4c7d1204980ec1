import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

import type { ActorId } from "#contract/actor.ts";
import type { Offer } from "#contract/core.ts";

import { ApiError, badField } from "./errors.ts";
import type { TokenSettings } from "./options.ts";

/**
 * What the guard leaves for the routes: nothing only on public paths, where tokens are configured and none
 * came. Routes reach the product through `offer` alone, which is of who asks.
 */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { identity: Identity | undefined; offer: Offer | undefined; isScraper: true | undefined };
}

/** Returns what the requester may see and use; throws 401 when tokens are configured and none came. */
export function offerOf(c: Context<HttpEnv>): Offer {
  return c.get("offer") ?? signInFirst();
}

/** Returns the requester; throws 401 when tokens are configured and none came. */
export function requiredIdentity(c: Context<HttpEnv>): Identity {
  return c.get("identity") ?? signInFirst();
}

/** Returns the actor of a request whose query may name them. */
export function viewerOf(c: Context<HttpEnv>): ActorId {
  return actorOf(c.get("identity"), c.req.query("actor"));
}

/** Tells of a decision that a browser makes in which nobody signed in: it may act as whomever it names. */
export function signedBy(c: Context<HttpEnv>): { via?: "page" } {
  // Browsers name the page with every POST; programs do not.
  const isOpenPage = c.get("identity")?.mode === "open" && c.req.header("origin") !== undefined;
  return isOpenPage ? { via: "page" } : {};
}

function signInFirst(): never {
  throw new ApiError(401, "unauthorized", "Sign in first");
}

/** The requester. `open`: no tokens are configured, so the request may name its actor. */
export type Identity = { mode: "open" } | TokenIdentity;

export interface TokenIdentity {
  mode: "token";
  actor: ActorId;
  /** Sees and uses everything. */
  isOperator: boolean;
  /** Who they are on chat platforms. */
  also: readonly ActorId[];
}

/** The configured tokens. Comparisons take the same time whatever is presented. */
export interface TokenRegistry {
  readonly empty: boolean;
  ofBearer(token: string): TokenIdentity | undefined;
  /** Returns what a session keeps of its token: it reveals nothing of it and fits no other. */
  proofFor(token: string, session: string): string | undefined;
  /** Returns whose proof it is; undefined once their token is gone from the configuration. */
  ofProof(proof: string, session: string): TokenIdentity | undefined;
}

export function createTokenRegistry(tokens: readonly TokenSettings[]): TokenRegistry {
  const entries = tokens.map(({ token, actor, role, also = [] }, index) => ({
    identity: {
      mode: "token",
      actor: toHttpActor(actor, `http.tokens[${index}].actor`),
      isOperator: role === "operator",
      also,
    } satisfies TokenIdentity,
    digest: sha256(token),
  }));
  // Every entry is looked at, so that the time does not tell which one matched.
  const find = (match: (entry: (typeof entries)[number]) => boolean) => entries.filter(match).at(-1);
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

/** Returns the token's actor, or in open mode the one that the request names. */
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
  return hash("sha256", text, "buffer");
}

/** The session's id is nowhere but in its cookie: without it a proof cannot be tried against guessed tokens. */
function proofOf(digest: Buffer, session: string): string {
  return createHmac("sha256", session).update(digest).digest("base64url");
}

const NAME = /^[A-Za-z0-9._@-]{1,64}$/;

/** The actor in open mode when the request names none. */
const LOCAL_ACTOR: ActorId = "http:local";

/** Turns `ana` or `http:ana` into `http:ana`; throws for another surface's prefix. */
export function toHttpActor(name: string, field = "actor"): ActorId {
  const own = name.startsWith("http:") ? name.slice("http:".length) : name;
  if (!NAME.test(own)) {
    const expected = `expected a name of 1 to 64 letters, digits or . _ @ -, as "ana" or "http:ana"`;
    throw badField(field, `${expected}; people of other surfaces cannot be named here`);
  }
  return `http:${own}`;
}

/** Turns `http:ana` into `ana`; people of other surfaces keep their prefix. */
export function actorLabel(actor: string): string {
  return actor.startsWith("http:") ? actor.slice("http:".length) : actor;
}

/** A signed-in browser, stored under the digest of its session id. */
export interface SignedIn {
  actor: ActorId;
  /** See TokenRegistry.proofFor. */
  proof: string;
}

/** Plain state that outlives the process. Rejects when the store cannot be read or written. */
export interface SessionState {
  get(key: string): Promise<SignedIn | undefined>;
  set(key: string, value: SignedIn, ttlMs: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Keys with their values in the store's own form. */
  iterator(): AsyncIterable<[string, unknown]>;
}

/** Browsers that signed in with a token. A session is a random id, and ends with its token. */
export interface Sessions {
  /** Returns the id of a new session, for the cookie. The token must be configured. */
  begin(token: string): Promise<string>;
  of(id: string): Promise<TokenIdentity | undefined>;
  end(id: string): Promise<void>;
  /** Ends all sessions of one person. */
  endAll(actor: ActorId): Promise<void>;
}

export const SESSION_SECONDS: number = 7 * 24 * 3600;

export function createSessions(state: SessionState, tokens: TokenRegistry): Sessions {
  return {
    async begin(token) {
      const id = randomBytes(32).toString("base64url");
      const proof = tokens.proofFor(token, id);
      const actor = tokens.ofBearer(token)?.actor;
      if (proof === undefined || actor === undefined) throw new Error("expected a token that is configured");
      await state.set(keyOf(id), { actor, proof }, SESSION_SECONDS * 1000);
      return id;
    },
    async of(id) {
      const kept = await state.get(keyOf(id));
      return kept === undefined ? undefined : tokens.ofProof(kept.proof, id);
    },
    async end(id) {
      await state.delete(keyOf(id));
    },
    async endAll(actor) {
      for await (const [key] of state.iterator())
        if ((await state.get(key))?.actor === actor) await state.delete(key);
    },
  };
}

function keyOf(id: string): string {
  return hash("sha256", id);
}

import { createHash, randomBytes } from "node:crypto";

import type { ActorId } from "#contract/actor.ts";

import type { TokenBook, TokenIdentity } from "./identity.ts";

/** What is kept of a browser that signed in, under the digest of its session's id. */
export interface SignedIn {
  actor: ActorId;
  /** See TokenBook.proofFor. */
  proof: string;
}

/** Plain state that outlives the process. Rejects when the store cannot be read or written. */
export interface SessionState {
  get(key: string): Promise<SignedIn | undefined>;
  set(key: string, value: SignedIn, ttlMs: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Keys, each with what stands there in the store's own form. */
  iterator(): AsyncIterable<[string, unknown]>;
}

/** Browsers that signed in with a token. A session is a random id, and ends with its token. */
export interface Sessions {
  /** The id of a new session, for the cookie. The token must be one that is configured. */
  begin(token: string): Promise<string>;
  of(id: string): Promise<TokenIdentity | undefined>;
  end(id: string): Promise<void>;
  /** Ends all of one person. */
  endAll(actor: ActorId): Promise<void>;
}

export const SESSION_SECONDS: number = 7 * 24 * 3600;

export function createSessions(state: SessionState, tokens: TokenBook): Sessions {
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
  return createHash("sha256").update(id).digest("hex");
}

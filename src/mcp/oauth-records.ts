import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";

/** An authorisation that waits for its person's browser. */
export interface OAuthFlow {
  server: string;
  identity: string;
  /** Who began it; nobody else's account is meant. */
  actor: ActorId;
  verifier: string;
  discovery: OAuthDiscoveryState;
  scope?: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Tokens of one person or channel with one server. */
export interface OAuthGrant {
  server: string;
  identity: string;
  /** Who connected it. */
  actor: ActorId;
  tokens: StoredOAuthTokens;
  /** Whom the tokens were given to: no other client may renew or revoke them. */
  client?: StoredOAuthClientInformation;
  /** When the tokens were given, milliseconds since the epoch. */
  savedAt: number;
  /** When the account was connected; absent in records from before that was kept. */
  connectedAt?: number;
}

/** One kind of state, sealed in the store and shared by all replicas; a Keyv fits. Names of keys are not sealed. */
export interface SealedState<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttlMs?: number): Promise<unknown>;
  delete(key: string): Promise<boolean>;
  iterator?: () => AsyncIterable<[string, Value]>;
}

export interface OAuthStore {
  flows: SealedState<OAuthFlow>;
  grants: SealedState<OAuthGrant>;
  /** How the product is registered with an authorisation server. */
  clients: SealedState<StoredOAuthClientInformation>;
  /**
   * Changes a grant only where it is still there, in one step; `change` may be asked again, and leaves it with
   * undefined. False where nothing changed.
   */
  renew(key: string, change: (before: OAuthGrant) => OAuthGrant | undefined): Promise<boolean>;
  /** Changes a grant and notes that in the audit chain, in one transaction; without it nothing is noted. */
  noted?: {
    /** False, with nothing changed, where somebody else's stands there (`isTaken`). */
    connect(key: string, grant: OAuthGrant): Promise<boolean>;
    /** False where there was none any more. */
    disconnect(key: string, grant: OAuthGrant): Promise<boolean>;
  };
}

import type { ActorId } from "./actor.ts";
import type { JsonObject } from "./json.ts";

/** An account that a person, or a channel, has connected with a server by OAuth. */
export interface Connection {
  server: string;
  /** A person, or the id of a channel. */
  whose: string;
  per: "person" | "channel";
  /** Milliseconds since the epoch. */
  since: number;
}

/** What a surface may ask about connected accounts. Rejects with codes, as `Core`. */
export interface Connections {
  /** Those of a person, and those of channels that they connected. */
  list(actor: ActorId): Promise<Connection[]>;
  /**
   * Forgets an account, and tells its authorisation server so. Code `not_found` where there is none that
   * this person connected.
   */
  disconnect(server: string, actor: ActorId, whose?: string): Promise<Connection>;
  /** What an authorisation that is about to end would connect. Code `unknown_state`. */
  look(state: string): Promise<{ server: string; whose: string; actor: ActorId }>;
  /**
   * Ends an authorisation with what the authorisation server sent the browser back with. Codes
   * `unknown_state`, `authorization_refused`, `authorization_failed`.
   */
  finish(params: URLSearchParams): Promise<{ server: string; whose: string; actor: ActorId }>;
  /** Client id metadata document; see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document */
  clientDocument(): JsonObject;
}

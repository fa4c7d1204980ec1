import type { ActorId } from "./actor.ts";
import type { Card } from "./card.ts";
import type { JsonObject } from "./json.ts";

/** An account that a person, or a channel, has connected with a server by OAuth. */
export interface Connection {
  server: string;
  /** A person, or the id of a channel. */
  whose: string;
  per: "person" | "channel";
  /** Who connected it: nobody else may disconnect it. */
  by: ActorId;
  /** Milliseconds since the epoch. */
  since: number;
}

/** A server that wants an account, as it concerns one person in one channel. */
export interface Account {
  server: string;
  per: "person" | "channel";
  /** The person, or the channel, that the account is or would be of. */
  whose: string;
  /** Absent where none is connected. */
  connection?: Connection;
}

/** Who asks about accounts, and where. */
export interface AccountAsker {
  actor: ActorId;
  channel: string;
}

/** A page of an authorisation server, for one person alone: opening it connects an account. */
export interface AccountLink {
  server: string;
  whose: string;
  url: string;
  /** What has to be shown before it is opened. */
  domain: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** What a surface may ask about connected accounts. Rejects with codes, as `Core`. */
export interface Connections {
  /** Those of a person, and those of channels that they connected. */
  list(actor: ActorId): Promise<Connection[]>;
  /** Every server that wants an account, in the order of the configuration. */
  accounts(asker: AccountAsker): Promise<Account[]>;
  /** Codes `not_found`, `already_connected`, `authorization_failed` (its server does not answer as it should). */
  begin(server: string, asker: AccountAsker): Promise<AccountLink>;
  /**
   * Forgets an account, and tells its authorisation server. Codes `not_found` (this person connected none),
   * `not_eligible` (somebody else connected that of the channel `whose`).
   */
  disconnect(server: string, actor: ActorId, whose?: string): Promise<Connection>;
  /** What an authorisation that is about to end would connect. Code `unknown_state`. */
  look(state: string): Promise<{ server: string; whose: string; actor: ActorId }>;
  /** With what the browser came back with. Codes `unknown_state`, `authorization_refused`, `authorization_failed`. */
  finish(params: URLSearchParams): Promise<{ server: string; whose: string; actor: ActorId }>;
  /** Client id metadata document; see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document */
  clientDocument(): JsonObject;
}

/** What can be done about one account of a list. */
export interface AccountAction {
  action: "connect" | "disconnect";
  server: string;
  /** What stands on its button. */
  label: string;
  /** For `disconnect`: names the account when it is pressed, see `AccountsDesk.disconnect`. */
  value: string;
}

/** The accounts that servers want of a person and a channel, and what this person can do about them. */
export interface AccountList {
  card: Card;
  actions: AccountAction[];
}

/** What came of a wish to connect an account. */
export type ConnectReply = { ok: true; link: AccountLink; words: string } | { ok: false; words: string };

/**
 * Accounts on a chat platform, in the same words on each, for the person alone. What is refused is an answer; a
 * method rejects only where something is broken.
 */
export interface AccountActions {
  /** `nameOf`: what the platform calls people. */
  list(asker: AccountAsker, nameOf?: (actor: ActorId) => Promise<string | undefined>): Promise<AccountList>;
  /** The link is for this person alone. */
  connect(server: string, asker: AccountAsker): Promise<ConnectReply>;
  /** `value` of the action; whoever presses is looked at anew. Resolves to what to tell them. */
  disconnect(value: string, actor: ActorId): Promise<string>;
}

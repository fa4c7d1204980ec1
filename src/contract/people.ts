import type { ActorId } from "./actor.ts";
import type { Card } from "./card.ts";

/** Somebody as the operator's file says: the actors are one person. */
export interface ConfiguredPerson {
  name?: string;
  email?: string;
  actors: readonly ActorId[];
  /** By server: the id of their account there. */
  accounts: Readonly<Record<string, string>>;
}

/** What a surface says of an actor. The e-mail address is one that it has made sure of. */
export interface Profile {
  name?: string;
  email?: string;
}

/** Somebody's account in a server, which is whatever its tools take for a person. */
export interface PersonAccount {
  server: string;
  id: string;
  name: string;
  email?: string;
}

/**
 * How it is known whose an account is: the operator's file says so, the person did, both sides give one e-mail
 * address, or the operator gave the actor of the HTTP API the very id of the account.
 */
export type AccountOrigin = "file" | "told" | "email" | "id";

export interface KnownAccount extends PersonAccount {
  origin: AccountOrigin;
}

/** A server whose tools name people, as it concerns one person. */
export interface PersonInServer {
  server: string;
  /** What the server calls itself, such as "Jira". */
  title: string;
  /** Absent: nobody knows yet; they are asked when it matters. */
  account?: KnownAccount;
  /** Its accounts can be searched. */
  canSearch: boolean;
}

/** Who somebody is, for themselves. */
export interface PersonView {
  actor: ActorId;
  name?: string;
  email?: string;
  /** The same person elsewhere, as the operator's file says. */
  also: ActorId[];
  servers: PersonInServer[];
}

/** What a surface may ask about who somebody is in the servers. Rejects with codes, as `Core`. */
export interface People {
  me(actor: ActorId): Promise<PersonView>;
  /** Accounts that fit a name, a part of one or an e-mail address; at most 20. Code `not_found` (server). */
  search(server: string, text: string, actor: ActorId): Promise<PersonAccount[]>;
  /**
   * From now on the person is this account, by its id, name or e-mail address. Codes `not_found` (server, or no such
   * account), `bad_args` (several fit), `not_eligible` (the operator's file says who they, or who that account, is).
   */
  set(actor: ActorId, server: string, account: string): Promise<KnownAccount>;
  /** Forgets what the person said. Codes `not_found`, `not_eligible` (the operator's file says it). */
  forget(actor: ActorId, server: string): Promise<void>;
}

/** Who somebody is in the servers, in the same words on each surface, for the person alone. */
export interface MeActions {
  /**
   * Does what the words say and resolves to how it is then: "" shows it, "SERVER ACCOUNT" changes it, "SERVER forget"
   * forgets. What is refused is said on the card. `command`: what is typed here before such words; empty where a form
   * takes them.
   */
  me(
    words: string,
    asker: { actor: ActorId; command: string; language?: string | undefined },
  ): Promise<MeReply>;
}

export interface MeReply {
  view: PersonView;
  /** What became of the words; absent where they only asked. */
  said?: string;
  card: Card;
}

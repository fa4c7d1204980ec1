import type { ActorId } from "./actor.ts";
import type { Card } from "./card.ts";
import type { AccountAsker, AccountLink } from "./connections.ts";

/** What can be done about one account of a list. */
export interface AccountDeed {
  deed: "connect" | "disconnect";
  server: string;
  /** What stands on its button. */
  label: string;
  /** For `disconnect`: names the account when it is pressed, see `AccountsDesk.disconnect`. */
  value: string;
}

/** The accounts that servers want of a person and a channel, and what this person can do about them. */
export interface AccountList {
  card: Card;
  deeds: AccountDeed[];
}

/** What came of a wish to connect an account. */
export type Connecting = { ok: true; link: AccountLink; words: string } | { ok: false; words: string };

/**
 * Accounts on a chat platform, in the same words on each of them. All of it is for the person alone. What
 * is refused is an answer, not an error; a method rejects only where something is broken.
 */
export interface AccountsDesk {
  /** `nameOf`: what the platform calls people. */
  list(asker: AccountAsker, nameOf?: (actor: ActorId) => Promise<string | undefined>): Promise<AccountList>;
  /** The link is for this person alone. */
  connect(server: string, asker: AccountAsker): Promise<Connecting>;
  /** `value` of the deed; whoever presses is looked at anew. Resolves to what to tell them. */
  disconnect(value: string, actor: ActorId): Promise<string>;
}

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

/** What a site is to a server: the one it works on, or one end of a migration. */
export type SiteUse = "tenant" | "source" | "target";

/** A site that a person connected under a name of their own. */
export interface ConnectedSite {
  name: string;
  domain: string;
  /** What it is used as in the channel that was asked about. */
  uses: readonly SiteUse[];
}

/** A server that wants an account, as it concerns one person in one channel. */
export interface Account {
  server: string;
  per: "person" | "channel";
  /** The person, or the channel, that the account is or would be of. */
  whose: string;
  /** Absent where none is connected. */
  connection?: Connection;
  /** The server wants sites of people, and takes them as these; without `connection`: another can be connected. */
  takes?: readonly SiteUse[];
  /** With `takes` and `connection`. */
  site?: ConnectedSite;
}

/** What a page of ours asks for, by a link for one person. */
export interface SiteRequest {
  server: string;
  actor: ActorId;
  takes: readonly SiteUse[];
}

/** What is typed into that page. */
export interface SiteForm {
  /** Empty: named after its domain. */
  name: string;
  /** A host, perhaps with a port, or an address. */
  domain: string;
  token: string;
  /** False: without TLS. */
  ssl: boolean;
}

/** What became of it; `untried`: the server offers no read that a site could be tried with. */
export interface KeptSite {
  server: string;
  name: string;
  domain: string;
  actor: ActorId;
  untried: boolean;
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

/** What a person wants of one of their sites in a channel; `name` undefined: that none is used as that any more. */
export interface SiteChoice {
  server: string;
  name: string | undefined;
  as: SiteUse;
}

/** Sites that people connect over a page of ours. Rejects with codes, as `Core`. */
export interface SiteConnections {
  /** From their next message in the channel on. Codes `not_found`, `bad_args` (the server takes none as that). */
  use(choice: SiteChoice, asker: AccountAsker): Promise<void>;
  /** What a link to the page is for. Code `unknown_state`. */
  lookSite(token: string): Promise<SiteRequest>;
  /** Tries a site, and keeps it where its server took it. Codes `unknown_state`, `bad_args`, `site_refused`. */
  keepSite(token: string, form: SiteForm): Promise<KeptSite>;
}

/** What a surface may ask about connected accounts and sites. Rejects with codes, as `Core`. */
export interface Connections extends AccountConnections, SiteConnections {}

/** Accounts by OAuth. */
export interface AccountConnections {
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
  action: "connect" | "disconnect" | "use_site";
  server: string;
  /** What stands on its button. */
  label: string;
  /** Names what it is about when it is pressed, see `AccountActions`. */
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
  list(
    asker: AccountAsker,
    nameOf?: (actor: ActorId) => Promise<string | undefined>,
    language?: string,
  ): Promise<AccountList>;
  /** The link is for this person alone. */
  connect(server: string, asker: AccountAsker): Promise<ConnectReply>;
  /** `value` of the action; whoever presses is looked at anew. Resolves to what to tell them. */
  disconnect(value: string, actor: ActorId): Promise<string>;
  /** `value` of the action. Resolves to what to tell them. */
  use(value: string, asker: AccountAsker): Promise<string>;
  /** What is typed after `/connect`; undefined: the list is to be shown. */
  byWords(words: string, asker: AccountAsker): Promise<ConnectReply | undefined>;
}

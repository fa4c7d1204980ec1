import type { JsonObject } from "./json.ts";

/** Somebody's words that a message asks about. */
export interface Quote {
  text: string;
  /** As the surface names its author. */
  author?: string;
  /** It may hold what tools brought: in privacy mode no model sees it. */
  derived?: boolean;
}

/** What was said before a message, by a client that keeps it itself: data, whatever it says. */
export interface EarlierMessage {
  /** `assistant`: what it says may hold what tools brought; in privacy mode no model sees it. */
  role: "user" | "assistant";
  text: string;
}

/** Whether a turn works on one site, or moves things between two. */
export type TurnMode = "chat" | "migration";

/** A tool with all arguments that a person gave it in a form. */
export interface FilledCall {
  /** The tool's id. */
  tool: string;
  args: JsonObject;
}

/** A site's address and its access token. */
export interface Site {
  domain: string;
  token: string;
  /** Whether it is reached over TLS. */
  ssl?: boolean;
}

/** What servers that work on a person's site need: one site, or the two of a migration. */
export interface SiteCredentials {
  tenant?: Site;
  migration?: { source: Site; target: Site };
}

/** Sealed while the turn lasts, and given to nothing but its calls. */
export interface Credentials extends SiteCredentials {
  /** Those that the person has connected for one server, by its name: no other server gets them. */
  sites?: Readonly<Record<string, SiteCredentials>>;
}

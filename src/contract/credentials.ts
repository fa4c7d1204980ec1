/** A site's address and its access token. */
export interface Site {
  domain: string;
  token: string;
  /** Whether it is reached over TLS. */
  ssl?: boolean;
}

/**
 * What a person gives along with a turn, for servers that work on a site of theirs: one site, or the
 * two of a migration. Kept sealed for as long as the turn lasts, and given to nothing but the calls.
 */
export interface Credentials {
  tenant?: Site;
  migration?: { source: Site; target: Site };
}

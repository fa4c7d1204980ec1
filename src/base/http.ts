import { isIPv6 } from "node:net";

/** An address as `listen` takes it: people write IPv6 with the brackets that URLs need. */
export function bareHost(host: string): string {
  const inner = /^\[(.*)\]$/.exec(host)?.[1];
  return inner !== undefined && isIPv6(inner) ? inner : host;
}

/** Where a server on this host and port is reached. */
export function httpUrl(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${bareHost(host)}]` : host}:${port}`;
}

/**
 * Whether a text may stand in a header of HTTP: letters of Latin-1 without control characters. Blanks and line
 * ends around it are left out where it is sent, as at the end of a file with a token.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""));
}

/** What to say of one that may not, without saying it. */
export const headerFault =
  "text without line breaks, control characters and letters beyond Latin-1, as headers need it";

/** An error's words without the value of a header, which Node quotes where it may not stand in one. */
export function withoutHeaderValue(message: string): string {
  return message.replaceAll(
    /(Headers\.\w+: )"[^]*" is an invalid header value/g,
    "$1a header has an invalid value",
  );
}

/** Whether a text is an address that may be linked. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text);
}

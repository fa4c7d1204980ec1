import { lookup as lookUp, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

import ipaddr from "ipaddr.js";

import { ToolFailure } from "../kit/tool.ts";

/** The addresses that a name stands for. */
export type Resolve = (name: string, told: (error: Error | null, found: LookupAddress[]) => void) => void;

export const resolveName: Resolve = (name, told) => lookUp(name, { all: true }, told);

/**
 * Whether an address belongs to the internet, and not to this machine, its network, a carrier's, or a purpose of its
 * own: https://www.iana.org/assignments/iana-ipv6-special-registry. An address of IPv4 within one of IPv6 counts.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.range() === "unicast";
  // 64:ff9b::/96 is how networks without IPv4 write its addresses.
  if (parsed.range() === "rfc6052") return isPublic(parsed.toByteArray().slice(12).join("."));
  return parsed.range() === "unicast" && parsed.match(ipaddr.IPv6.parse("2000::"), 3);
}

/** Throws a ToolFailure for a URL that may not be asked: no web address, or one whose host is a private address. */
export function checkUrl(url: URL, isAllowed: (address: string) => boolean): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ToolFailure("bad_url", `expected an address that begins with https://, got ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new ToolFailure("bad_url", "expected an address without a name or password in it");
  const host = url.hostname.replaceAll(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isAllowed(host)) throw privateAddress(url.host);
}

/**
 * Resolves a name for the connection that is about to be made, and fails it unless every address behind the name is
 * allowed. What was checked is what is connected to: no second look at the name can give another address.
 */
export function guardedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, { all, family }, callback) => {
    resolve(name, (error, found) => {
      if (error !== null) return callback(error, "", 0);
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => isAllowed(address)))
        return callback(privateAddress(name), "", 0);
      if (all === true) return callback(null, found);
      const fit = found.find((one) => one.family === family) ?? first;
      return callback(null, fit.address, fit.family);
    });
  };
}

function privateAddress(host: string): ToolFailure {
  return new ToolFailure(
    "private_address",
    `${host.slice(0, 200)} is not on the public internet: expected a public address, and nothing was asked for`,
  );
}

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

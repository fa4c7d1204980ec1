import type { PriorDiscovery, ServerCapabilities } from "@modelcontextprotocol/client";

/** Where the pool writes what it sees; pino's loggers fit. Must not throw. */
export interface McpLog {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** Which revision of the protocol a server speaks, and when that was found out (ms since the epoch). */
export interface NegotiatedProtocol {
  prior: PriorDiscovery;
  at: number;
  /** It keeps silent when it is asked for its revision: asking again would take the time of a whole start. */
  isSilent?: true;
}

/** Rejections only cost a negotiation. */
export type NegotiatedProtocolStore = KeyValues<NegotiatedProtocol>;

/** A session of a server over Streamable HTTP, as another connection needs it to go on with it. */
export interface KeptSession {
  /** Mcp-Session-Id */
  id: string;
  protocolVersion: string;
  /** As the server told them when the session began; a resumed connection is not told again. */
  capabilities: ServerCapabilities;
}

/** A session as the store keeps it. */
export interface SessionRecord {
  /** Which server it belongs to, see `serverKey`. */
  server: string;
  channel: string;
  session: KeptSession;
  /** When it was last used by any process, about; milliseconds since the epoch. */
  usedAt: number;
}

/** Shared by all replicas; without `iterator` sessions that an earlier process left are not ended. */
export type SessionRecords = KeyValues<SessionRecord>;

/** Plain key-value state; a Keyv fits. */
export interface KeyValues<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  iterator?: () => AsyncIterable<[string, Value]>;
}

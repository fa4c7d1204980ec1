import type { PriorDiscovery, ServerCapabilities } from "@modelcontextprotocol/client";

import type { OAuth } from "./auth/oauth.ts";
import type { BuiltinParts } from "./catalogue/builtins.ts";

/** Where the pool writes what it sees; pino's loggers fit. Must not throw. */
export interface McpLog {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/**
 * One server of the configuration. It has a `command` (stdio), a `url` (Streamable HTTP) or an
 * `sse_url` (HTTP+SSE). With a command and a url the command is launched and reached over the url.
 */
export interface McpServerConfig {
  name: string;
  /** Program and arguments; `node` means the Node that runs this process. */
  command?: string[];
  /** Relative to `ToolBoxOptions.cwd`. */
  cwd?: string;
  env?: Record<string, string>;
  url?: string;
  sse_url?: string;
  /** Sent with every HTTP request to the server. */
  headers?: Record<string, string>;
  /** Sent beside those, and before them, with what one person calls; by actor. */
  person_headers?: Record<string, Record<string, string>>;
  /** What of a turn's credentials goes where into a call, see `inject`. */
  credentials?: Record<string, string>;
  /** People, or channels, are authorised by OAuth 2.1. */
  oauth?: OAuthConfig;
  /** Keep one connection for all calls. Default: a fresh one for each call. */
  use_persistent_session?: boolean;
  /** The operator vouches for the annotations of this server's tools. */
  trust_annotations?: boolean;
  /** Longest silence of a call; a progress notification starts it anew. Default 60 000. */
  timeout_ms?: number;
  /** Longest duration of a call, whatever it reports; waiting for a person aside. Default 20 times `timeout_ms`. */
  total_timeout_ms?: number;
  /** Whether each channel has sessions of its own. Default: `shared` for a command, else `channel`. */
  session_scope?: "channel" | "shared";
  /** How long a channel's session is kept without a call, in ms. Default 10 minutes. */
  session_idle_ms?: number;
  /** Sessions kept open at once by this process; the one longest unused makes room. Default 50. */
  max_sessions?: number;
  /** Calls at once; others wait. Default 16. */
  max_calls?: number;
  /** How long a person may take to answer a question of the server, in ms. Default 10 minutes. */
  question_timeout_ms?: number;
  /** What of the server is offered as tools beside its tools, see `listExposed`. Default nothing. */
  expose?: ("prompts" | "resources")[];
  /** Folders that the server is told of when it asks. Default: it is not told that it may ask. */
  roots?: string[];
  /** Whether the server may ask for an answer of the model. Default `off`. */
  sampling?: "off" | "ask";
  /** The command runs under bubblewrap; absent: it does not. */
  sandbox?: SandboxConfig;
}

/** How people, or channels, are authorised with a server. */
export interface OAuthConfig {
  per: "person" | "channel";
  /** What is asked for where the server does not say. */
  scope?: string;
  /** As the authorisation server of `issuer` knows the product; without it the product registers itself. */
  client_id?: string;
  client_secret?: string;
  issuer?: string;
}

/** How a launched server is shut in, see `sandboxed`. Paths are absolute. */
export interface SandboxConfig {
  network?: boolean;
  /** Folders it may read beside the system's; absent: everything but the product's data. */
  read?: string[];
  /** Folders it may write. */
  write?: string[];
}

/** Which revision of the protocol a server speaks, and when that was found out (ms since the epoch). */
export interface NegotiatedProtocol {
  prior: PriorDiscovery;
  at: number;
}

/** Plain key-value state; a Keyv fits. Rejections only cost a negotiation. */
export interface NegotiatedProtocolStore {
  get(key: string): Promise<NegotiatedProtocol | undefined>;
  set(key: string, verdict: NegotiatedProtocol): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

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

/** Plain key-value state that all replicas share; a Keyv fits. */
export interface SessionRecords {
  get(key: string): Promise<SessionRecord | undefined>;
  set(key: string, record: SessionRecord): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** All of them; without it sessions that an earlier process left are not ended. */
  iterator?: () => AsyncIterable<[string, SessionRecord]>;
}

export interface ToolBoxOptions {
  /** In order: the last one wins a bare tool name that several offer. */
  servers: McpServerConfig[];
  /** Of this product, told to the servers. */
  version: string;
  cwd: string;
  /** The parent's environment; only an allow-listed part of it reaches a server. */
  env: NodeJS.ProcessEnv;
  log: McpLog;
  /** Longest time to connect to a server and list its tools. Default 10 000. */
  discoveryTimeoutMs?: number;
  /** Keeps which revision each server speaks, so that a restart need not negotiate again. */
  verdicts?: NegotiatedProtocolStore;
  /** Keeps the sessions of servers, for the next process and other replicas. Without it each process has its own. */
  sessions?: SessionRecords;
  /** The accounts of people with servers; without it a server with `oauth` authorises nobody. */
  oauth?: OAuth;
  /** What the built-in tools need of the product. */
  builtins?: BuiltinParts;
  /** Back-off between tries of a server that is down. Default 1 000 to 30 000. */
  retry?: { minMs: number; maxMs: number };
}

/** The largest result that is passed on, in bytes of JSON. */
export const maxResultBytes: number = 5 * 1024 * 1024;

/** The largest message that is read from a server at all, in bytes; beyond it the connection ends. */
export const maxMessageBytes: number = 16 * 1024 * 1024;

/** So many messages of a server are taken at once, and so many bytes of them, until others have their turn. */
export const slice: { messages: number; bytes: number } = { messages: 32, bytes: 4 * 1024 };

import type { PriorDiscovery } from "@modelcontextprotocol/client";

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
  /** Keep one connection for all calls. Default: a fresh one for each call. */
  use_persistent_session?: boolean;
  /** The operator vouches for the annotations of this server's tools. */
  trust_annotations?: boolean;
  /** Longest silence of a call; a progress notification starts it anew. Default 60 000. */
  timeout_ms?: number;
}

/** Which revision of the protocol a server speaks, and when that was found out (ms since the epoch). */
export interface Verdict {
  prior: PriorDiscovery;
  at: number;
}

/** Plain key-value state; a Keyv fits. Rejections only cost a negotiation. */
export interface VerdictStore {
  get(key: string): Promise<Verdict | undefined>;
  set(key: string, verdict: Verdict): Promise<unknown>;
  delete(key: string): Promise<unknown>;
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
  verdicts?: VerdictStore;
  /** Back-off between tries of a server that is down. Default 1 000 to 30 000. */
  retry?: { minMs: number; maxMs: number };
}

/** The largest result that is passed on, in bytes of JSON. */
export const maxResultBytes: number = 5 * 1024 * 1024;

/** The largest message that is read from a server at all, in bytes; beyond it the connection ends. */
export const maxMessageBytes: number = 16 * 1024 * 1024;

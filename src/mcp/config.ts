import type { JsonObject } from "#contract/json.ts";

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
  /** Globs over names or ids of tools that are for such turns alone, beside those that say it of themselves. */
  modes?: { migration: string[] };
  /** Arguments of its tools that nobody is asked for, see `Tool.fixed`. */
  fixed_arguments?: JsonObject;
  /** People, or channels, are authorised by OAuth 2.1. */
  oauth?: OAuthConfig;
  /** Keep one connection for all calls. Default: a fresh one for each call. */
  use_persistent_session?: boolean;
  /** The operator vouches for the annotations of this server's tools. */
  trust_annotations?: boolean;
  /**
   * Longest silence of a launched server that is starting, in ms: whatever it writes begins it anew, ten times at
   * the most. Default 120 000.
   */
  start_timeout_ms?: number;
  /** Longest silence of a call; any sign of life of the server starts it anew. Default 60 000. */
  timeout_ms?: number;
  /**
   * Longest duration of a call, whatever it reports; waiting for a person aside. Default 20 times `timeout_ms`. As an
   * object: by glob over names or ids of tools, of which the first that fits counts, and `default` for the others.
   */
  total_timeout_ms?: number | Record<string, number>;
  /** Whether each channel has sessions of its own. Default `channel`. */
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

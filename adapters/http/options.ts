import type { ActorId } from "#contract/actor.ts";

/** What the log of the process offers to this adapter. Must not throw. */
export interface HttpLog {
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** A bearer token and the person it stands for: `ana` or `http:ana`. */
export interface TokenSettings {
  token: string;
  actor: string;
  /** Sees and uses everything. */
  role?: "operator";
  /** Who the bearer is on chat platforms. */
  also?: readonly ActorId[];
}

export interface HttpOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Empty: loopback only. */
  tokens: TokenSettings[];
  version: string;
  /** Prompts that the playground suggests. */
  examples: string[];
  log: HttpLog;
  /** Reads /metrics, as operators do; absent or empty: there is none. */
  metricsToken?: string;
  /** Milliseconds between keepalive events of a stream; default 15000. */
  keepaliveMs?: number;
}

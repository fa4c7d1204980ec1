import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Presenter, TurnView } from "#contract/present.ts";

/** The `slack` settings, and where signed requests are served. */
export interface SlackOptions {
  bot_token: string;
  /** Set: Socket Mode. Empty: signed HTTP. */
  app_token: string;
  signing_secret: string;
  api_url: string;
  /** Of the server for signed requests; 0: any free port. */
  http: { host: string; port: number };
}

/** Each takes data first, as pino does. */
export type SlackLog = Record<"debug" | "info" | "warn" | "error", (data: object, message: string) => void>;

/** Plain state that outlives the process. Rejects when the store cannot be read or written. */
export interface SlackState<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<unknown>;
}

/** What the composition root hands to the adapter. */
export interface SlackParts {
  core: Core;
  cards: Cards;
  forms: Forms;
  log: SlackLog;
  /** The turn as it is now; undefined when there is none. */
  view: (turnId: string) => Promise<TurnView | undefined>;
  /** By turn id: which page of each card is open. */
  pages: SlackState<Record<string, number>>;
  /** By channel and `ts` of a first message: the conversation in its thread, where it has another name. */
  threads: SlackState<string>;
  /** By turn id: the files that were uploaded. */
  files: SlackState<string[]>;
}

/** What handles what people do. */
export interface SlackDesk extends SlackParts {
  presenter: Pick<Presenter, "submit">;
}

import type { MessageRef, Presenter } from "#contract/present.ts";

import type { ChatParts, ChatState } from "../chat/parts.ts";
import type { Draft } from "./drafts.ts";
import type { InstallationParts } from "./installed-tokens.ts";

/** The `slack` settings, and where signed requests are served. */
export interface SlackOptions {
  bot_token: string;
  /** Set: Socket Mode. Empty: signed HTTP. */
  app_token: string;
  signing_secret: string;
  /** Set, in place of a bot token: workspaces install the app over OAuth. */
  client_id: string;
  client_secret: string;
  /** Ids of the workspaces and organisations that may; `*` stands for all. */
  workspaces: string[];
  /** What an installation asks for. */
  scopes: string[];
  /** Where browsers reach this server; empty: the redirect URL of the app's settings is used. */
  public_url: string;
  api_url: string;
  /** Of the server for signed requests and installations; 0: any free port. */
  http: { host: string; port: number };
}

/** What the composition root hands to the adapter. */
export interface SlackParts extends ChatParts, InstallationParts {
  /** By workspace, channel and `ts` of a first message: the conversation in its thread, where it has another name. */
  threads: ChatState<string>;
  /** By turn id: the files that were uploaded. */
  files: ChatState<string[]>;
  /** By question: the page it wants opened was shown to its person. */
  told: ChatState<boolean>;
  /** By their names: turns that wait for what a person fills into a window. */
  draftStore: ChatState<Draft>;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
  /** Things to ask, as people say them. */
  prompts: readonly string[];
}

/** What handles what people do. */
export interface SlackDesk extends SlackParts {
  presenter: Pick<Presenter, "submit">;
}

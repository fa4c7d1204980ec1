import type { Installation } from "@slack/oauth";

import type { ActorId } from "#contract/actor.ts";
import type { FilledCall, Quote } from "#contract/message.ts";
import type { MessageRef } from "#contract/present.ts";

import type { ChatParts, ChatState } from "../chat/parts.ts";

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
  /** `auto`: the blocks of 2026 where a workspace takes them; `off`: nowhere. */
  native_blocks: "auto" | "off";
  /** Who sees what a command of the configuration looked up: who typed it, until they share it, or the channel. */
  slash_answers: "private" | "channel";
  /** How long a turn may take before its status is posted. */
  status_after_ms: number;
  /** Of the server for signed requests and installations; 0: any free port. */
  http: { host: string; port: number };
}

/** What the composition root hands to the adapter. */
export interface SlackDeps extends ChatParts {
  /** Encrypted; by the id of a workspace or an organisation. */
  installations: ChatState<Installed> & { delete(key: string): Promise<unknown> };
  /** By the id of a workspace: the organisation that has the app for it. */
  orgs: ChatState<string>;
  /** By workspace, channel and `ts` of a first message: the conversation in its thread, where it has another name. */
  threads: ChatState<string>;
  /** By turn id: the files that were uploaded. */
  files: ChatState<string[]>;
  /** By question: the page it wants opened was shown to its person. */
  told: ChatState<boolean>;
  /** By workspace: it refused the blocks of 2026 not long ago. */
  withoutNative: ChatState<boolean>;
  /** By their names: a window may come back to another replica, and holds little itself. */
  draftStore: ChatState<Draft>;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
  /** Things to ask, as people say them. */
  prompts: readonly string[];
}

/** An installation as it is kept. */
export interface Installed {
  installation: Installation;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A turn that waits for what a person fills into a window. */
export interface Draft {
  team: string;
  channel: string;
  /** Who fills it in, and nobody else; drafts of before this was recorded have none. */
  actor?: ActorId;
  /** The thread that the answer goes to; without one it begins a thread of its own. */
  thread?: string;
  /** Absent where the answer begins a conversation of its own. */
  conversationId?: string;
  /** Where to say that the channel is closed to the bot. */
  respond?: string;
  /** What the turn says was asked; a question about a message asks for it. */
  message: string;
  about: { kind: "call"; call: FilledCall } | { kind: "quote"; quote: Quote; authorId?: string };
}

import type { REST } from "discord.js";

import type { ActorId } from "#contract/actor.ts";
import type { ApprovalTopic } from "#contract/approval-actions.ts";
import type { Suggest } from "#contract/core.ts";
import type { FilledCall, Quote } from "#contract/message.ts";
import type { MessageRef, Place } from "#contract/present.ts";

import type { ChatParts, ChatState } from "../chat/parts.ts";
import type { NameOf } from "../chat/people.ts";
import type { Conversations } from "./receive/conversations.ts";

/** The `discord` settings. */
export interface DiscordOptions {
  token: string;
  api_url: string;
  /** Follow-ups in threads need no mention; needs the privileged intent. */
  message_content: boolean;
  /** Guilds that are served, and whose commands are registered; without any all that have the bot. */
  guilds: string[];
  /** By group of the policy: the ids of the roles that it means. */
  roles: Readonly<Record<string, string[]>>;
  /** Components V2 cannot be used: messages are made of embeds. */
  embeds: boolean;
  /** How long a turn may take before its status is posted. */
  status_after_ms: number;
  /** Who sees what a command looked up: who typed it, until they share it, or the channel. */
  slash_answers: "private" | "channel";
  /** Of how many shards this process runs which. */
  shards: { total: number; ids: number[] };
}

/** What the composition root hands to the adapter. */
export interface DiscordParts extends ChatParts {
  /** By id of a message or thread: the conversation there, where it has another name. */
  threads: ChatState<string>;
  /** By message id: the files that it has. */
  files: ChatState<{ id: string; filename: string }[]>;
  /** By question: the page it wants opened was shown to its person. By place: it was told that it is not served. */
  told: ChatState<boolean>;
  /** What does not fit into a button. */
  values: ChatState<string>;
  /** Forms that are being filled in: a window may come back to another replica, and holds little itself. */
  formStore: ChatState<FormSession>;
  /** By place: the digest of the commands that were registered there last. */
  registered: ChatState<string>;
  suggest: Suggest;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
}

/** Who the bot is. */
export interface Identity {
  /** Of the application, for commands and the addresses of interactions. */
  app: string;
  /** Of its user, as messages mention it. */
  bot: string;
}

/** What every part of the running adapter may use. */
export interface DiscordDeps extends DiscordParts {
  options: DiscordOptions;
  rest: REST;
  /** Throws before Discord has answered for the first time. */
  me: () => Identity;
  /** What people are called. */
  nameOf: NameOf;
  rooms: Conversations;
}

/** What a form is filled in for. */
export type FormPurpose =
  | { kind: "desk"; topic: ApprovalTopic }
  /** An answer to what a server asks in the middle of a call. */
  | { kind: "question"; questionId: string }
  /** A turn of one call. */
  | { kind: "call"; call: FilledCall; start: TurnStart }
  /** A turn about somebody's message. */
  | { kind: "quote"; quote: Quote; start: TurnStart };

/** The turn that a form or a command begins. */
export interface TurnStart {
  conversationId: string;
  channel: string;
  /** What the turn says was asked. */
  message: string;
  place: Place;
  /** Its message answers the interaction that begins it. */
  isAnswer: boolean;
}

/** A form that a person fills in, over as many windows as it needs. */
export interface FormSession {
  actor: ActorId;
  /** The channel or thread in which it was begun; nowhere else it goes on. */
  channel: string;
  purpose: FormPurpose;
  /** What was filled in so far, by field. */
  values: Record<string, string>;
}

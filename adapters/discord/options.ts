import type { MessageRef, Presenter } from "#contract/present.ts";
import type { Suggest } from "#contract/suggest.ts";

import type { ChatParts, ChatState } from "../chat/parts.ts";
import type { FormSession } from "./form-sessions.ts";

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
  /** Forms that are being filled in. */
  formStore: ChatState<FormSession>;
  /** By place: the digest of the commands that were registered there last. */
  registered: ChatState<string>;
  suggest: Suggest;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
}

/** What handles what people do. */
export interface DiscordDesk extends DiscordParts {
  presenter: Pick<Presenter, "submit">;
}

import type {
  ApplicationCommandType,
  ChannelType,
  InteractionResponseType,
  InteractionType,
  MessageType,
} from "discord-api-types/v10";

import type { Clock } from "../slack/clock.ts";

export type Fields = Record<string, unknown>;

export interface User {
  id: string;
  /** The handle, as in `discord.user("ana")`. */
  name: string;
  realName: string;
  isBot: boolean;
}

export interface Role {
  id: string;
  name: string;
  permissions: bigint;
  mentionable: boolean;
  /** True for the role that came with the bot. */
  managed: boolean;
}

export interface Guild {
  id: string;
  name: string;
  owner: string;
  roles: Map<string, Role>;
  /** Role ids of each member, without @everyone, by user id. */
  members: Map<string, Set<string>>;
}

/** What a channel allows and denies a role (0) or a member (1) on top of the guild. */
export interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export type ChannelKind =
  | ChannelType.GuildText
  | ChannelType.DM
  | ChannelType.PublicThread
  | ChannelType.PrivateThread;

export interface Channel {
  id: string;
  type: ChannelKind;
  /** Undefined for direct messages. */
  guild: string | undefined;
  name: string;
  overwrites: Overwrite[];
  /** The channel that a thread hangs on. */
  parent: string | undefined;
  /** Who began the thread. */
  owner: string | undefined;
  /** The people of a direct conversation, or those who joined a thread. */
  members: Set<string>;
  archived: boolean;
  locked: boolean;
  /** Minutes. */
  autoArchive: number;
  archivedAt: number;
  lastMessage: string | null;
  messageCount: number;
}

export interface StoredFile {
  id: string;
  filename: string;
  description: string | undefined;
  contentType: string;
  content: Buffer;
  ephemeral: boolean;
}

/** What an edit can change. */
export interface Content {
  content: string;
  embeds: Fields[];
  components: Fields[];
  attachments: StoredFile[];
  flags: number;
}

export interface Message extends Content {
  id: string;
  channel: string;
  author: string;
  type: MessageType;
  createdAt: number;
  editedAt: number | undefined;
  /** Users and roles that were notified, and whether everybody was. */
  mentions: string[];
  mentionRoles: string[];
  mentionEveryone: boolean;
  /** The id of the message that this one answers. */
  reference: string | undefined;
  nonce: string | number | undefined;
  enforceNonce: boolean;
  webhook: boolean;
  /** The interaction that brought it. */
  interaction: Fields | undefined;
  reactions: { emoji: string; users: string[] }[];
  /** What it said before each edit, oldest first. */
  history: Content[];
  deleted: boolean;
  /** The one person who sees it. */
  ephemeralFor: string | undefined;
}

/** One thing that a person did with the app, and what became of it. */
export interface Interaction {
  id: string;
  token: string;
  type: InteractionType;
  user: string;
  channel: string;
  at: number;
  /** The payload that was dispatched. */
  payload: Fields;
  /** The message whose button or menu was used, also when a modal was opened by it. */
  source: string | undefined;
  acknowledged: { type: InteractionResponseType; at: number } | undefined;
  /** The id of `@original`. */
  original: string | undefined;
  metadata: Fields;
  /** Choices that answered an autocomplete. */
  choices: { name: string; value: string | number }[] | undefined;
  modal: Modal | undefined;
  /** Called when it is acknowledged. */
  answered: () => void;
}

/** A modal on a person's screen. */
export interface Modal {
  id: string;
  customId: string;
  title: string;
  components: Fields[];
  user: string;
  /** The interaction that it answered. */
  interaction: string;
}

export interface Command extends Fields {
  id: string;
  guild_id?: string;
  name: string;
  type: ApplicationCommandType;
  options?: Fields[];
}

/** One request to the REST API. */
export interface Call {
  method: string;
  /** Without `/api/v10`, without a query. */
  path: string;
  /** With `:id` in place of ids: `POST /channels/:id/messages`. */
  route: string;
  at: number;
  body: Fields;
  files: string[];
  status: number;
  /** Discord's code of an error, 0 for none. */
  code: number;
}

/** Something that a well-made app does not do. */
export interface Violation {
  kind: "form" | "unknown field" | "interaction" | "rate limit" | "gateway";
  /** Where, as in `POST /channels/:id/messages`. */
  where: string;
  problem: string;
}

export interface AppSetup {
  /** Also the id of the bot's user, as for every app since 2017. */
  id: string;
  name: string;
  token: string;
  /** Privileged intents that are switched on in the developer portal. */
  privileged: { messageContent: boolean; members: boolean; presences: boolean };
}

export interface GatewayEvent {
  t: string;
  d: Fields;
  /** Decides the shard; undefined for direct messages. */
  guild: string | undefined;
  /** The bot must see it. */
  channel?: string;
  /** Reaches clients whatever their intents are. */
  always?: boolean;
}

/** Everything the fake knows. */
export interface World {
  clock: Clock;
  app: AppSetup;
  /** `http://127.0.0.1:PORT` */
  origin: string;
  guilds: Map<string, Guild>;
  users: Map<string, User>;
  channels: Map<string, Channel>;
  /** In the order of posting; added with `addMessage`. */
  messages: Message[];
  byId: Map<string, Message>;
  /** Those of this guild, or of every guild under `global`. */
  commands: Map<string, Command[]>;
  /** When commands were created, by the same keys. */
  creates: Map<string, number[]>;
  /** By token. */
  interactions: Map<string, Interaction>;
  /** The open modal of each person, by user id. */
  modals: Map<string, Modal>;
  files: Map<string, StoredFile>;
  /** Users who let no bot write to them. */
  closedDirects: Set<string>;
  /** Until when the bot is seen typing, by channel. */
  typing: Map<string, number>;
  /** What people do now comes of an app that they installed for themselves. */
  personalInstall: boolean;
  calls: Call[];
  violations: Violation[];
  nextId(): string;
  /** Sends an event to the clients that it concerns. */
  emit(event: GatewayEvent): void;
  /** Wakes everyone who waits. */
  changed(): void;
}

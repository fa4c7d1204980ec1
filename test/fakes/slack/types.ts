import type { Clock } from "./clock.ts";

/** A JSON object of Slack's wire format. */
export type Fields = Record<string, unknown>;

export interface Block extends Fields {
  type: string;
  block_id?: string;
}

export interface Team {
  id: string;
  name: string;
  domain: string;
  botToken: string;
  /** Scopes that the bot token was granted. */
  scopes: readonly string[];
  botUserId: string;
  botId: string;
  /** The organisation it belongs to. */
  org?: Org;
  /** Types of blocks that it answers with `invalid_blocks`. */
  unknownBlocks: ReadonlySet<string>;
}

/** An organisation of Enterprise Grid. */
export interface Org {
  id: string;
  name: string;
  /** Set while the app is installed for all its workspaces. */
  botToken: string;
}

export interface User {
  id: string;
  team: string;
  /** The handle, as in `slack.user("ana")`. */
  name: string;
  realName: string;
  isAdmin: boolean;
  isGuest: boolean;
  isBot: boolean;
  deleted: boolean;
}

export type ChannelKind = "public" | "private" | "im";

export interface Channel {
  id: string;
  team: string;
  name: string;
  kind: ChannelKind;
  members: Set<string>;
  archived: boolean;
}

/** What an edit can change. */
export interface Content {
  text: string;
  blocks?: Block[];
  attachments?: Fields[];
}

export interface Reaction {
  name: string;
  users: string[];
}

export interface Message extends Content {
  ts: string;
  channel: string;
  team: string;
  user: string;
  bot_id?: string;
  app_id?: string;
  thread_ts?: string;
  metadata?: Fields;
  files: string[];
  reactions: Reaction[];
  edited?: { user: string; ts: string };
  /** What it said before each edit, oldest first. */
  history: Content[];
  deleted: boolean;
  /** The one person who sees it. */
  ephemeralFor?: string;
  /** Set while and after it is streamed. */
  stream?: { state: "open" | "closed" | "expired"; startedAt: number; markdown: string; tasks: Fields[] };
}

export interface View extends Fields {
  id: string;
  type: "modal" | "home";
  hash: string;
  blocks: Block[];
  team_id: string;
  root_view_id: string;
  previous_view_id: string | null;
  state: { values: Fields };
}

export interface OpenView {
  view: View;
  user: string;
}

export interface StoredFile {
  id: string;
  team: string;
  user: string;
  name: string;
  title: string;
  length: number;
  content: Buffer | undefined;
  altText: string | undefined;
  snippetType: string | undefined;
  channel: string | undefined;
  thread: string | undefined;
  completed: boolean;
}

export interface UserGroup {
  id: string;
  team: string;
  handle: string;
  name: string;
  users: string[];
}

export interface Trigger {
  user: string;
  team: string;
  at: number;
  used: boolean;
}

export interface ResponseUrl {
  id: string;
  at: number;
  uses: number;
  channel: string;
  team: string;
  user: string;
  /** The message whose button was pressed; `replace_original` changes it. */
  message: string | undefined;
  thread: string | undefined;
}

export interface AgentSession {
  channel: string;
  thread: string;
  status: string;
  title: string | undefined;
}

/** One thing that the app gave Slack to show: kept for ever, also what was refused. */
export interface Sent {
  method: string;
  at: number;
  channel: string | undefined;
  ts: string | undefined;
  user: string | undefined;
  text: string | undefined;
  blocks: Block[];
  view: Fields | undefined;
  /** Why it was refused, or what was wrong with it, one line each. */
  problems: string[];
  error: string | undefined;
}

/** One request to the Web API, as it came. */
export interface Call {
  method: string;
  at: number;
  args: Fields;
  /** `ratelimited` where it was turned away with 429. */
  error: string | undefined;
  /** What it was made with. */
  token: string;
}

export interface Manifest {
  features?: {
    slash_commands?: { command: string }[];
    shortcuts?: { callback_id: string; type: string; name?: string }[];
  };
  oauth_config?: { scopes?: { bot?: string[]; bot_optional?: string[] } };
  settings?: { event_subscriptions?: { bot_events?: string[] } };
}

export interface AppSetup {
  id: string;
  name: string;
  appToken: string;
  signingSecret: string;
  clientId: string;
  clientSecret: string;
  /** Where Slack sends browsers after they consented; the first is taken where the app names none. */
  redirectUrls: string[];
  /** What it may receive; undefined receives everything. */
  events: readonly string[] | undefined;
  commands: readonly string[] | undefined;
  /** Shortcuts that the page offers. */
  shortcuts: readonly { callback_id: string; name: string; type: string }[];
}

/** Everything the fake knows. */
export interface World {
  clock: Clock;
  /** How many times faster Slack's long times pass: retries, rate limits, streams, response_url. */
  speed: number;
  app: AppSetup;
  /** `http://127.0.0.1:PORT` */
  origin: string;
  teams: Map<string, Team>;
  orgs: Map<string, Org>;
  /** Codes that the consent page gave out, by code; each is good for one exchange. */
  codes: Map<string, { team: Team; user: string; isOrgWide: boolean; redirect: string | undefined }>;
  /** Tokens that were good once, with what Slack says of them now. */
  deadTokens: Map<string, string>;
  users: Map<string, User>;
  channels: Map<string, Channel>;
  /** In the order of posting; added with `addMessage`. */
  messages: Message[];
  byTs: Map<string, Message>;
  /** Replies by the ts of what they answer. */
  replies: Map<string, Message[]>;
  views: Map<string, OpenView>;
  /** The stack of a person's open modals, by user id; the last is on top. */
  modals: Map<string, string[]>;
  homes: Map<string, string>;
  files: Map<string, StoredFile>;
  groups: Map<string, UserGroup>;
  triggers: Map<string, Trigger>;
  responseUrls: Map<string, ResponseUrl>;
  sessions: Map<string, AgentSession>;
  statuses: Map<string, { status: string; loading: string[]; at: number }>;
  prompts: Map<string, { title: string | undefined; prompts: { title: string; message: string }[] }>;
  titles: Map<string, string>;
  sent: Sent[];
  calls: Call[];
  nextTs(): string;
  nextId(prefix: string): string;
  /** Sends an event to the app, if it subscribed to it. */
  emit(team: Team, event: Fields): void;
  /** Wakes everyone who waits. */
  changed(): void;
}

/** A refusal in Slack's words. */
export class SlackError extends Error {
  readonly code: string;
  readonly extra: Fields;
  constructor(code: string, extra: Fields = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }
}

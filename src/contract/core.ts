import type { ActorId } from "./actor.ts";
import type { Approval, ApprovalState, DecideReply, DecideRequest, EditRequest, Grant } from "./approval.ts";
import type { AuditReader } from "./audit.ts";
import type { Card, ChartWish } from "./card.ts";
import type { Account, AccountActions, Connections } from "./connections.ts";
import type {
  ChangeBatch,
  ConversationFilter,
  ConversationSummary,
  Deleted,
  TurnPage,
  TurnPlace,
} from "./conversation.ts";
import type { Rating } from "./feedback.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { FilledCall } from "./message.ts";
import type { Metrics } from "./metrics.ts";
import type { MeActions, People, PersonView } from "./people.ts";
import type { PlannerName } from "./plan.ts";
import type { TurnView } from "./present.ts";
import type { AnswerRequest, Question, QuestionState } from "./question.ts";
import type { Statement } from "./statement.ts";
import type { ReadBack, ServerStatus, StoredFile, Tool } from "./tool.ts";
import type { NumberedEvent, ToolCallResult, Turn, TurnRequest, TurnStep } from "./turn.ts";

/**
 * What a surface may ask. Methods reject with an Error that carries a stable `code`; where its `forPeople` is true,
 * its message is a refusal written for the person who asked.
 */
export interface Core {
  /** Durable when it resolves. A known event id resolves to the turn it started, with `duplicate: true`. */
  submit(request: TurnRequest): Promise<{ turnId: string; duplicate: boolean }>;
  /**
   * The events after `after` (0: from the start), then live ones. Ends with the last for now, which a pending
   * confirmation is as well: what follows an approval is read by asking again. Aborting ends it without an
   * error. Rejects where the store takes nothing now; the turn goes on by itself later.
   */
  events(turnId: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<NumberedEvent>;
  /** The events so far, without waiting for more. */
  eventsSoFar(turnId: string): Promise<NumberedEvent[]>;
  turn(turnId: string): Promise<Turn | undefined>;
  /** The journal, and what was said, both without the values of secret arguments. */
  record(turnId: string): Promise<{ message: string; steps: TurnStep[] }>;
  /** The newest turns of a conversation, oldest first. */
  conversation(conversationId: string): Promise<Turn[]>;
  /** At most `limit` turns from a place on. Code `not_found` where the place is no turn of the conversation. */
  turnPage(conversationId: string, place: TurnPlace, limit: number): Promise<TurnPage>;
  conversations(filter: ConversationFilter): Promise<ConversationSummary[]>;
  /** Code `not_found` for a conversation without turns. */
  renameConversation(request: { conversationId: string; actor: ActorId; title: string }): Promise<void>;
  /**
   * Deletes what was said, answered and brought, and ends what is allowed in it. The audit record stays. Codes
   * `not_found`; `undecided` (details: approvals) and `busy` while something of it is not over.
   */
  deleteConversation(request: { conversationId: string; actor: ActorId }): Promise<Deleted>;
  /** The number of the last change, to begin with. */
  lastChange(): Promise<number>;
  /** Changes after a number, then live ones, on any replica. Aborting ends it without an error. */
  changes(options: { after: number; signal: AbortSignal }): AsyncIterable<ChangeBatch>;
  /** Stops a running turn, and says whether there was one to stop. Code `not_found` for an unknown id. */
  stop(turnId: string, actor: ActorId): Promise<{ stopped: boolean; message: string }>;
  /** Keeps what a person thinks of an answer. Code `not_found` for an unknown turn. */
  rate(rating: Rating): Promise<void>;
  /** What a person thinks of the answers of a conversation, as far as they said so. */
  ratings(filter: { conversationId: string; actor: ActorId }): Promise<Rating[]>;
  tools(): ToolListing[];
  health(): Promise<Health>;
  approvals(filter: {
    state?: ApprovalState;
    conversationId?: string;
    turnId?: string;
    takenPartBy?: readonly ActorId[];
  }): Promise<Approval[]>;
  approval(id: string): Promise<Approval | undefined>;
  /** Records a decision and starts the continuation. Code `not_found` for an unknown id. */
  decide(request: DecideRequest): Promise<DecideReply>;
  /**
   * Replaces a pending request by one with other arguments, which needs approval anew. Codes `not_found`,
   * `not_pending`, `not_eligible`, `bad_args` (details: the fields), `denied_by_policy`.
   */
  edit(request: EditRequest): Promise<Approval>;
  /** Reads whether an unknown outcome happened. Codes `not_found`, `not_unknown`, `no_lookup`, `not_eligible`. */
  lookup(approvalId: string, actor: ActorId): Promise<ToolCallResult>;
  grants(conversationId?: string, takenPartBy?: readonly ActorId[]): Promise<Grant[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Codes `not_found`, `not_eligible`. Revoking twice changes nothing. */
  revokeGrant(grantId: string, actor: ActorId): Promise<Grant>;
  /** Settles a call whose outcome is unknown. Codes `not_found`, `not_unknown`, `not_eligible`. */
  settle(request: SettleRequest): Promise<Approval>;
  /** A file that a call brought. */
  file(id: string): Promise<StoredFile | undefined>;
  /** What servers ask of people in the middle of a call, oldest first. */
  questions(filter: {
    state?: QuestionState;
    conversationId?: string;
    turnId?: string;
    takenPartBy?: readonly ActorId[];
  }): Promise<Question[]>;
  question(id: string): Promise<Question | undefined>;
  /** Codes `not_found`, `not_eligible`, `already_answered` (or expired, closed), `bad_args` (details: the fields). */
  answer(request: AnswerRequest): Promise<Question>;
  /** Slash commands from the configuration, for completion and help. */
  commands(): CommandInfo[];
  /** What a message means that begins with one of them; undefined for every other message. */
  readCommand(message: string): CommandReading | undefined;
  /** Holds arguments to the tool's schema, as a call does; never rejects. */
  checkCall(call: FilledCall): CallCheck;
  /** Requests that wait and that this person may decide and has not, the most urgent first. */
  approvalsFor(actor: ActorId): Promise<Approval[]>;
  /** Whether results of a channel's turns may be sent to a model. */
  privacy(channel: string): Promise<ChannelPrivacy>;
  /** Nobody makes a channel less private than the configuration. Codes `not_eligible`, `privacy_configured`. */
  setPrivacy(request: { channel: string; actor: ActorId; summarize: boolean }): Promise<ChannelPrivacy>;
  /**
   * Calls after requests or the privacy of a channel changed, on any replica, once for several changes. The
   * listener must not throw. Returns how to end it.
   */
  onChange(listener: () => void): () => void;
}

export interface ChannelPrivacy {
  /** False: no byte of a tool result is sent to a model. */
  summarize: boolean;
  /** Who made it private; absent where the configuration did, or nobody. */
  setBy?: ActorId;
}

export type CommandReading =
  /** `missing` names arguments that are required and absent, or not of their type. */
  | { kind: "call"; command: CommandInfo; tool: Tool; args: JsonObject; missing: string[] }
  | { kind: "help"; command: CommandInfo; problem?: string };

/** `faults` names arguments at the top of the schema; `message` tells of all that is wrong. */
export type CallCheck =
  | { ok: true; args: JsonObject }
  | { ok: false; message: string; faults: { name: string; message: string }[] };

export interface SettleRequest {
  approvalId: string;
  actor: ActorId;
  outcome: "happened" | "did_not";
  note?: string;
}

export interface ToolListing {
  tool: Tool;
  decision: "allow" | "ask" | "deny";
}

export interface CommandInfo {
  /** Without the slash. */
  name: string;
  server: string;
  /** The tool that runs when no subcommand is named. */
  defaultTool?: string;
  /** Arguments that the configuration sets; nobody types them. */
  defaultArgs?: JsonObject;
  subcommands: { name: string; tool: string; args?: JsonObject }[];
  /** Arguments whose values are suggested while they are typed; see suggest.ts. */
  completes?: string[];
}

export interface Health {
  status: "ok" | "degraded" | "starting";
  version: string;
  model: { provider: PlannerName; model: string; reachable: boolean; reason?: string };
  servers: ServerStatus[];
  /** `code` and `error`: why it does not work. `damage`: what a check found in a store that works. */
  store: { kind: "sqlite" | "postgres"; ok: boolean; code?: string; error?: string; damage?: string[] };
  /** What an operator should look at, such as a tool whose description changed. */
  notices?: string[];
  /** Chat platforms that are switched on, by name. */
  surfaces?: Record<string, SurfaceStatus>;
}

/** How the connection to a chat platform is; it is tried again by itself. */
export interface SurfaceStatus {
  status: "connecting" | "up" | "down";
  /** The platform's own word for why it is down, such as `invalid_auth`. */
  code?: string;
  /** Why it is down and what to do, or what does not work although it is up. */
  error?: string;
}

/** What a view is given. */
export interface ViewInput {
  toolId: string;
  server: string;
  name: string;
  /** Of the tool, as its server has it. */
  title?: string;
  args: JsonValue;
  ok: boolean;
  data: JsonValue;
  text?: string;
  /** See ToolCallResult. */
  from?: number;
  error?: { code: string; message: string };
  /** See CallOutcome. */
  readBack?: ReadBack;
  /** Of a change that was asked for: what it does, as it was approved. */
  statement?: Statement;
  /** What the card's own words are written in, such as German; absent: English. */
  language?: string;
  /** Set where the person asked for a chart. */
  chart?: ChartWish;
}

/** Picks and runs the view of a tool; never throws: a view that fails falls back to the generic one. */
export interface Views {
  result(input: ViewInput): Pick<ToolCallResult, "view" | "card" | "rows">;
}

/**
 * Cards that are not tool results. Pure functions; adapters get them from the composition root. Those of requests are
 * written as their statements are, others in `language`, such as German; without it in English.
 */
export interface Cards {
  approval(approval: Approval): Card;
  /** Several requests of a turn that wait: each listed with what it changes, decided one by one or all at once. */
  approvals(approvals: readonly Approval[]): Card;
  /** What can be said, with the product's own commands as the surface names them. */
  help(
    commands: readonly CommandInfo[],
    own: readonly OwnCommand[],
    problem?: string,
    language?: string,
  ): Card;
  /** How one command of the configuration is used. */
  commandHelp(command: CommandInfo, tools: readonly ToolListing[], problem?: string, language?: string): Card;
  tools(tools: readonly ToolListing[], language?: string): Card;
  status(health: Health, language?: string): Card;
  privacy(privacy: ChannelPrivacy, how: PrivacyWords): Card;
  /** What servers want of a person and their channel; `actor` is who asks. `names` of people, by actor. */
  accounts(
    accounts: readonly Account[],
    actor: ActorId,
    names?: Readonly<Record<string, string>>,
    language?: string,
  ): Card;
  /** Who a person is in the servers, below `said` where something just happened; `command` changes it. */
  me(person: PersonView, how: { command: string; said?: string; language?: string | undefined }): Card;
  /** Requests that wait for one person; `link` opens the message of one. */
  pending(approvals: readonly { approval: Approval; link?: string }[], language?: string): Card;
  /** What a standing approval that is given with this request would cover, argument by argument. */
  grantTerms(approval: Approval): Card;
  /** Standing approvals, one section each, in the order given. */
  grants(grants: readonly Grant[], language?: string): Card;
}

/** Such as `/ask TEXT` and what it does. */
export interface OwnCommand {
  usage: string;
  about: string;
}

/** How a surface switches the privacy of a channel on and off, and names the person who did. */
export interface PrivacyWords {
  on: string;
  off: string;
  setBy?: string;
  language?: string | undefined;
}

/** What is being typed for an argument of a configured command. */
export interface SuggestRequest {
  /** The command's name, without the slash. */
  command: string;
  /** The argument, as the tool's schema names it. */
  argument: string;
  text: string;
  actor: ActorId;
  channel: string;
  signal: AbortSignal;
}

export interface Suggestion {
  value: string;
  /** What people see; the value itself where the source names nothing else. */
  label: string;
}

/** From the read that the configuration names and policy allows without asking, else none. Rejects when it fails. */
export type Suggest = (request: SuggestRequest) => Promise<Suggestion[]>;

/** Somebody whom a surface has made sure of. */
export interface Viewer {
  actor: ActorId;
  /** Who they are on chat platforms, as the operator says. */
  also: readonly ActorId[];
}

/** The product as a surface is given it. */
export interface Offer {
  core: Core;
  /** Without them nobody connects an account. */
  connections?: Connections;
  accounts?: AccountActions;
  /** For operators alone. */
  audit?: AuditReader;
  /** For operators alone. */
  metrics?: Metrics;
  /** Without them nobody says who they are in the servers. */
  people?: People;
  me?: MeActions;
  /** A turn as its message on a chat platform would show it; undefined when there is none. */
  view(turnId: string): Promise<TurnView | undefined>;
}

export interface Offers {
  /** Everything: for operators, and where people are not told apart. */
  all: Offer;
  /** What one person may see and use: what belongs to others is there as if it did not exist. */
  of(viewer: Viewer): Offer;
}

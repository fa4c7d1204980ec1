import type { FilledCall, Quote } from "./message.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ModelErrorCode, ModelStage } from "./model.ts";
import type { DataPermit, Tainted } from "./tainted.ts";
import type { Tool } from "./tool.ts";

/** A command of the planner's protocol, checked against the catalogue. See contracts/protocol.md. */
export type PlannedCommand =
  | { command: "QUERY" | "TASK"; tool: string; args: JsonObject }
  | { command: "ERROR"; message: string };

/** A parse of model output: commands, or one fault that names exactly what is wrong. */
export type ParsedPlan = { ok: true; commands: PlannedCommand[] } | { ok: false; fault: PlanFault };

export interface PlanFault {
  code:
    | "no_block"
    | "second_block"
    | "unclosed_block"
    | "empty_block"
    | "bad_line"
    | "unknown_command"
    | "bad_json"
    | "bad_shape"
    | "mixed_block"
    | "unknown_tool"
    | "bad_args";
  /** What was expected and what came, for the repair prompt and the log. */
  message: string;
  /** With `bad_args`: the call as planned and the arguments to ask the person for. */
  question?: PendingQuestion;
}

/** What the perception stage makes of a large result. */
export interface Perception {
  /** Under 200 words. */
  summary: string;
  /** Names, keys, dates and numbers that later steps may need. */
  entities: string[];
}

/** What an earlier step of this turn brought. */
export interface Observation {
  /** Of the call. */
  id: string;
  tool: string;
  args: JsonObject;
  ok: boolean;
  data: Tainted<JsonValue>;
  /** The tool's own words about what went wrong. */
  error?: Tainted<string>;
  /** Made from the data by a model that was allowed to see it. */
  perception?: Tainted<Perception>;
  /** Absent in privacy mode: only the facts may be told to a model. */
  permit?: DataPermit;
  /** Facts that never hold tool data: row count, declared field names, the error's code. */
  facts: { rows?: number; fields?: string[]; error?: string };
}

/** An earlier turn of the conversation, oldest first. */
export interface PastTurn {
  message: string;
  /** What the message was about: data, never a request. */
  quote?: Quote;
  /** It may hold tool data. */
  reply: Tainted<string>;
  /** Absent in privacy mode. */
  permit?: DataPermit;
  /**
   * `derived`: the arguments may hold tool data, as whoever planned the call had seen some; `waits`: for an approval,
   * so that what it makes is not there yet; `later`: what is asked for when it was made, in the person's words.
   */
  calls: { tool: string; args: JsonObject; derived: boolean; waits?: true; later?: string[] }[];
  /** What its results put on the screen. */
  shown?: Tainted<Shown>;
  /** Set when that turn ended by asking for these arguments. */
  question?: PendingQuestion;
}

/** What people saw: one record, or the rows of a list in their order. */
export interface Shown {
  record?: ShownRecord;
  rows: ShownRecord[];
  /** The cursor of the next page, where the result named one. */
  next?: string;
}

export interface ShownRecord {
  /** By which tools know it: a key, a number, a path. */
  id: string;
  title?: string;
  /** Of a record that is shown alone: who is on it, and as what ("assignee"). */
  people?: { role: string; name: string }[];
  /** Of a record that is shown alone: the key of the epic, or other whole, that it belongs to. */
  parent?: string;
  /** Of a record that is shown alone: what it is linked to, and how ("blocks", "is blocked by"). */
  links?: { how: string; id: string; title?: string }[];
  /** Of a row: what tells it from the others, as its server says it; "" for nobody, and for no day. */
  facts?: RowFacts;
}

/** `due` is a day such as 2026-11-30, `created` a time as its server writes it, `assignee` a name. */
export interface RowFacts {
  created?: string;
  status?: string;
  type?: string;
  priority?: string;
  assignee?: string;
  due?: string;
}

/**
 * Where the value of an argument comes from. `ref` names the tool of the result or the earlier message, both as
 * people may see them; of a `form`, `edit` says that a request was changed.
 */
export interface ArgSource {
  from: "message" | "history" | "result" | "default" | "form" | "model" | "fixed" | "credential";
  ref?: string;
  /** Whom accounts in it are of: what people call them, and the account as the server's tools take it. */
  people?: { label: string; account: string }[];
}

/**
 * What people name: `kind` is "project", "space", "epic", "person", "issue" or "page", `id` what the tools of `server`
 * take, such as MOB or `ben`, and `name` what it is called, or its title.
 */
export interface KnownName {
  kind: string;
  id: string;
  name: string;
  server: string;
  /** Of an issue: what its tracker calls its kind, such as "Bug". */
  type?: string;
}

/** By the argument's name. */
export type ArgSources = Record<string, ArgSource>;

/** A tool's output of an earlier turn that resembles the message. */
export interface Recalled {
  tool: string;
  text: Tainted<string>;
  permit: DataPermit;
}

/** A change that nobody has asked for yet; `about` is the title of the record, where that is only likely. */
export interface MeantChange {
  tool: string;
  args: JsonObject;
  about?: string;
}

export interface PendingQuestion {
  tool: string;
  args: JsonObject;
  /** The names of the arguments that are missing or ill-typed. */
  fields: string[];
  /** What is asked for when the call was made, in the person's words. */
  later?: string[];
}

/** A tool that may have been meant, with what is known of its arguments. */
export interface Choice extends PendingQuestion {
  /** The tool in a person's words, such as "Search Jira issues". */
  title: string;
}

/** What a person can do next with what a turn brought, by a button that says `title`. Its arguments are never shown. */
export interface NextStep extends Choice {
  /**
   * `more`: the next page of a list. `retry`: a call that failed, once more. `form`: what can be done with the
   * record that was shown; its form opens first. `undo`: the change is taken back, as far as it still stands.
   * `value`: the same call with a value that the server would take, in place of the one that it refused. `meant`: the
   * change that the message may have asked for.
   */
  kind: "more" | "retry" | "form" | "undo" | "value" | "meant";
}

/** An example sentence for a tool, from the configuration. */
export interface ToolExample {
  message: string;
  tool: string;
  args: JsonObject;
}

export interface PlanInput {
  message: string;
  /** What the message is about: data, never a request. */
  quote?: Quote;
  /** The call to plan, as a person filled it in. */
  call?: FilledCall;
  /** The actor's own name, for "me" and "my". */
  actorName: string;
  tools: Tool[];
  examples: ToolExample[];
  /** What is known of the servers without asking. */
  known?: readonly KnownName[];
  /** Of this turn, in order. */
  observations: Observation[];
  /** What an earlier step of this turn left for when it was done, in the person's words. */
  later?: string[];
  history: PastTurn[];
  now: Date;
  /** The tools that earlier prompts of the conversation held stay in, so that prompts share their beginning. */
  conversationId?: string;
  /** Of earlier turns, the most similar first. */
  recalled?: Recalled[];
  /** Tokens that models have used for this turn so far. */
  spentTokens?: number;
  /** A model failed in this turn, and the built-in planner has its rest. */
  isHandedOver?: boolean;
  /** What people read the answer in, such as `German`; absent: as they asked. */
  language?: string;
  /** Where the turn is, for what the operator set for a channel. */
  channel?: string;
}

/** What the planner made of the message. */
export type PlannedOutcome =
  | { kind: "calls"; calls: PlannedCall[] }
  /** Enough is known: answer. With `reply` the answer was made in the same call; `local`: without a model. */
  | { kind: "final"; reply?: string; local?: true }
  /** The plan cannot be made; the planner says why. Never run. */
  | { kind: "message"; message: string; choices?: PendingQuestion[] }
  | { kind: "question"; question: PendingQuestion }
  /** There is no usable plan; the turn ends with this error. `code` is `plan_invalid` or a ModelErrorCode. */
  | { kind: "failed"; code: string; message: string };

export interface PlannedCall {
  command: "QUERY" | "TASK";
  tool: string;
  args: JsonObject;
  sources?: ArgSources;
}

export interface PlannedStep {
  planner: PlannerName;
  outcome: PlannedOutcome;
  /** Every prompt and raw answer of this step, for operators. Builtin plans have no prompt. */
  attempts: ModelAttempt[];
  /** What perception made of results, by the id of the call. */
  perceptions?: { call: string; perception: Perception }[];
  /** What people should know beside the answer, such as what was looked for: a sentence of the reply. */
  notice?: string;
  /** Why the built-in planner took over from the model. */
  handover?: string;
  /** What of the message is asked for once the changes of this step are made, in the person's words. */
  later?: string[];
  /** Changes that the message may ask for, too doubtful to be asked for: each is offered by a button. */
  meant?: MeantChange[];
  /** The changes are those of the turn before as they are wished now: they take their place where they still wait. */
  replaces?: true;
  /** The question that is meant, where the message says only what is different about the one before: "and next week?". */
  asks?: string;
}

/** One call of a model, or one plan made without. */
export interface ModelAttempt {
  stage?: ModelStage;
  /** `provider/model`. */
  model?: string;
  prompt?: string;
  raw: string;
  /** The answer ended at a limit. */
  isCut?: true;
  /** Why the answer could not be used. */
  fault?: string;
  code?: ModelErrorCode;
  /** Whether decoding was constrained to a schema. */
  structured?: boolean;
  usage?: { promptTokens: number; answerTokens: number };
  durationMs?: number;
}

/** Who planned: a model provider, the built-in planner, or a slash command. */
export type PlannerName = "ollama" | "gemini" | "openai" | "builtin" | "command";

/** All that the decisions saw, so that the prompts begin alike. */
export interface RespondInput extends PlanInput {
  /** Used as it is when no model may or can answer. */
  localReply: string;
  /** Who planned the turn; a turn planned without a model is answered without one. */
  planner: PlannerName;
}

/** The port to planning, filled by `src/plan`. No plan is an outcome; both reject only when the signal aborts. */
export interface Planner {
  /** Whether the turn is certainly planned at once, without a model. Without this it may take its time. */
  isQuick?(turn: Pick<PlanInput, "message" | "call">): boolean;
  decide(input: PlanInput, signal: AbortSignal): Promise<PlannedStep>;
  respond(input: RespondInput, signal: AbortSignal): Promise<Answer>;
}

export interface Answer {
  reply: string;
  /** The last prompt. */
  prompt?: string;
  attempts?: ModelAttempt[];
}

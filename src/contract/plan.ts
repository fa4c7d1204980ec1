import type { JsonObject, JsonValue } from "./json.ts";
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

/** What an earlier step of this turn brought, as far as the planner may see it. */
export interface Observation {
  tool: string;
  args: JsonObject;
  ok: boolean;
  /** Absent in privacy mode. */
  data?: JsonValue;
  /** Facts that never hold tool data: outcome, row count, field names. */
  facts: { rows?: number; fields?: string[]; error?: string };
}

/** An earlier turn of the conversation, oldest first. */
export interface PastTurn {
  message: string;
  reply: string;
  calls: { tool: string; args: JsonObject }[];
  /** Set when that turn ended by asking for these arguments. */
  question?: PendingQuestion;
}

export interface PendingQuestion {
  tool: string;
  args: JsonObject;
  /** The names of the arguments that are missing or ill-typed. */
  fields: string[];
}

/** An example sentence for a tool, from the configuration. */
export interface ToolExample {
  message: string;
  tool: string;
  args: JsonObject;
}

export interface PlanInput {
  message: string;
  /** The actor's own name, for "me" and "my". */
  actorName: string;
  tools: Tool[];
  examples: ToolExample[];
  /** Of this turn, in order. */
  observations: Observation[];
  history: PastTurn[];
  now: Date;
}

/** What the planner made of the message. */
export type PlannedOutcome =
  | { kind: "calls"; calls: PlannedCall[] }
  /** Enough is known: answer. */
  | { kind: "final" }
  /** The plan cannot be made; the planner says why. Never run. */
  | { kind: "message"; message: string }
  | { kind: "question"; question: PendingQuestion }
  /** There is no usable plan; the turn ends with this error. `code` is `plan_invalid` or a ModelErrorCode. */
  | { kind: "failed"; code: string; message: string };

export interface PlannedCall {
  command: "QUERY" | "TASK";
  tool: string;
  args: JsonObject;
}

export interface PlannedStep {
  planner: PlannerName;
  outcome: PlannedOutcome;
  /** Every prompt and raw answer of this step, for operators. Builtin plans have no prompt. */
  attempts: { prompt?: string; raw: string; fault?: string }[];
  /** Something people should know, such as that the model did not answer. */
  notice?: string;
}

/** Who planned: a model provider, the built-in planner, or a slash command. */
export type PlannerName = "ollama" | "gemini" | "openai" | "builtin" | "command";

export interface RespondInput {
  message: string;
  observations: Observation[];
  /** Used as it is when no model may or can answer. */
  localReply: string;
  /** Who planned the turn; a turn planned without a model is answered without one. */
  planner: PlannerName;
}

/**
 * The port to planning, filled by `src/plan`. A plan that cannot be made is an outcome, so that its
 * prompts are kept; both reject only when the signal aborts.
 */
export interface Planner {
  decide(input: PlanInput, signal: AbortSignal): Promise<PlannedStep>;
  respond(input: RespondInput, signal: AbortSignal): Promise<{ reply: string; prompt?: string }>;
}

import type { ActorId } from "./actor.ts";
import type { Credentials } from "./message.ts";
import type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
import type { QuestionDraft, QuestionReply } from "./question.ts";

/** The MCP tool annotations. They are the server's claim; policy decides whether they count. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** One tool of the catalogue, as discovered. */
export interface Tool {
  /** `server.name`, unique in the catalogue. */
  id: string;
  server: string;
  /** What the server calls itself, such as "Jira". */
  serverTitle?: string;
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations: ToolAnnotations;
  /** Set where it is no tool of the server but made of one of its prompts, or of its resources. */
  source?: "prompt" | "resource";
  /**
   * Arguments that the product fills in with credentials; `inputSchema` does not show them. `mirrored`: the
   * schema of one that goes into a header as well (`x-mcp-header`).
   */
  filled?: { name: string; required: boolean; mirrored?: JsonSchema }[];
  /** Set where it is for turns of that mode alone: by the server itself, or by the operator. */
  mode?: "migration";
  /**
   * Set where it searches what other servers have as well, so that these are asked first: of `everything`, of `code`,
   * or in another way (`other`).
   */
  searches?: "everything" | "code" | "other";
  /** Sentences that ask for it, with the arguments that these give; of servers that the operator trusts. */
  examples?: { message: string; args: JsonObject }[];
  /** What of a turn's credentials goes where into its calls: the part of the server's mapping that concerns it. */
  credentials?: Readonly<Record<string, string>>;
  /** Arguments that the product sets itself, see `withFixed`; `inputSchema` shows those that yield alone. */
  fixed?: FixedArgument[];
  /** `sha256` (hex) over the canonical JSON of name, description and both schemas, as the server lists them. */
  digest: string;
  /** The operator vouches for the server's annotations (`trust_annotations`). */
  trusted: boolean;
}

/**
 * Text of a value may name `${turn.id}`, `${channel}` and `${actor}`. `yields`: what a call says of it counts.
 * `mirrored`: as in `Tool.filled`.
 */
export interface FixedArgument {
  name: string;
  value: JsonValue;
  yields?: true;
  mirrored?: JsonSchema;
}

export interface ServerStatus {
  name: string;
  /**
   * `starting`: launched, and not yet heard of, as in a first start that downloads it. `retrying`: down, and tried
   * again with back-off. `waiting`: it wants an account, and there is none to ask it with; nothing is wrong with it.
   */
  status: "starting" | "connecting" | "up" | "waiting" | "retrying" | "stopped";
  /** Tools offered at the last successful discovery. */
  tools: number;
  error?: string;
  /** With `waiting`: what it waits for. */
  note?: string;
  /** With `starting`: the last line that it wrote. */
  doing?: string;
  /** After failures in a row: `open`, calls fail at once until `retryAt`; `half_open`, one try is under way. */
  circuit?: { state: "open" | "half_open"; failures: number; retryAt?: number };
}

/** Why a call brought no result. The server's own words are kept in the message. */
export type CallErrorCode =
  | "transport" // the connection failed or the server died
  | "protocol" // a protocol error of the server (`sent: "yes"`), or an answer that is not MCP (`"maybe"`)
  | "tool_error" // the tool ran and reported an error (`isError`)
  | "invalid_result" // structured content does not fit the tool's output schema
  | "timeout"
  | "cancelled"
  | "too_large"
  | "server_down" // known to be down before anything was sent
  | "unknown_tool"
  | "refused"; // policy or a person said no; nothing was sent

export interface CallError {
  code: CallErrorCode;
  message: string;
  /**
   * `no`: it certainly never reached the server and may be made again. `yes`: the server answered in the words of
   * the protocol. `maybe`: all else, also an error of HTTP, which anything on the way may have given.
   */
  sent: "no" | "maybe" | "yes";
}

/** `progress` is absent where the server only said something; `detail` is what it said beside. */
export interface CallProgress {
  message?: string;
  detail?: string;
  progress?: number;
  total?: number;
}

export interface CallRequest {
  tool: Tool;
  args: JsonObject;
  /** The channel that owns the MCP session, see `Turn.channel`. */
  channel: string;
  /** Whose call it is; absent: nobody's in particular. */
  actor?: ActorId;
  /** For whom the server's own account acts, told to servers that write it into what they write. */
  asker?: { name: string; account?: string };
  /** What the person gave for it. Nothing but the request itself is told of them. */
  credentials?: Credentials;
  /** Making it twice does no harm: a read of a trusted server, or idempotent by policy. Absent: sent once. */
  repeatable?: boolean;
  /** The trace context of W3C (`traceparent`) that the call is part of, told to the server. */
  trace?: string;
  signal: AbortSignal;
  /** Called zero or more times before the call ends; must not throw. */
  onProgress?: (progress: CallProgress) => void;
  /**
   * Asks who started the turn what the server wants to know. Never rejects; aborting closes the question, as
   * accepted where the reason is `accepted elsewhere`. Absent: there is nobody to ask.
   */
  ask?: (question: QuestionDraft, signal: AbortSignal) => Promise<QuestionReply>;
  /** Has the model answer something for the server. Rejects, or is absent, where that is not allowed. */
  sample?: (request: SamplingRequest, signal: AbortSignal) => Promise<{ text: string; model: string }>;
}

/** What a server wants a model to answer (MCP's sampling); all of it is the server's, and so data. */
export interface SamplingRequest {
  server: string;
  toolId: string;
  system?: string;
  messages: { role: "user" | "assistant"; text: string }[];
}

/** A file that a call brought: an image, sound, a binary resource, or a result that is too large to show. */
export interface CallFile {
  /** Without a path; safe to be shown and to save under. */
  name: string;
  mediaType: string;
  bytes: number;
  /** Base64, until it is in the store. */
  data?: string;
  /** Its id in the store. */
  id?: string;
}

/** A file as the store has it. */
export interface StoredFile {
  id: string;
  turnId: string;
  name: string;
  mediaType: string;
  bytes: number;
  data: Uint8Array;
}

/** What a call brought. `data` is structured content where the tool gives it, else its text. */
export interface CallOutcome {
  ok: boolean;
  data: JsonValue;
  /** The readable text beside structured content. */
  text?: string;
  files?: CallFile[];
  error?: CallError;
  /** What a change came to when its record was read again; absent where nothing could be told. */
  readBack?: ReadBack;
}

/** The arguments that the record does not have, though it has a field of the name: none where all took effect. */
export interface ReadBack {
  notApplied: string[];
}

/** The port to the tools, filled by `src/mcp`. `call` never rejects: a failure is an outcome with a typed error. */
export interface ToolBox {
  /** The merged catalogue, sorted by id; changes as servers come, go and change their lists. */
  tools(): Tool[];
  /** By id or bare name (the last configured server wins); `toolById` and `namedTool` are stricter. */
  find(name: string): Tool | undefined;
  servers(): ServerStatus[];
  call(request: CallRequest): Promise<CallOutcome>;
}

import type { JsonSchema } from "./json.ts";

export type ModelStage = "perception" | "decision" | "response";

declare const modelText: unique symbol;

/**
 * Text that may go to a model. Only `src/plan/model-text.ts` makes it: from what stands in the source
 * and in the prompt files, and from data that it has fenced. `Tainted` tool data is no text at all.
 */
export type ModelText = string & { readonly [modelText]: true };

export interface ModelRequest {
  stage: ModelStage;
  /** The same for all stages, so that a server with one cache reads it once. */
  system: ModelText;
  /** What the stage is to do stands last, for the same reason. */
  prompt: ModelText;
  /** The most tokens of the answer, where a server does not count a model's thoughts among them. */
  maxTokens?: number;
  /** Where one of these comes the answer ends before it; at most four. */
  stop?: readonly string[];
  /** Constrain decoding to this schema where the provider can; the answer is JSON text then. */
  schema?: JsonSchema;
  signal: AbortSignal;
}

export type ProviderName = "ollama" | "gemini" | "openai";

export interface ModelAnswer {
  text: string;
  /** Whether decoding was constrained to the schema. */
  structured: boolean;
  /** It ended at a limit, in the middle of what it had to say. */
  isCut?: true;
  /** Who answered: a port may stand for several. */
  provider: ProviderName;
  model: string;
  usage?: { promptTokens: number; answerTokens: number };
}

export type ModelErrorCode =
  | "model_unreachable"
  | "model_timeout"
  | "model_not_found"
  | "model_refused" // the server does not accept the key
  | "model_failed" // the server answered with an error
  | "model_stopped"; // the turn was stopped

/** A text model. `generate` rejects with a ModelErrorCode, after the provider's own retries and time limit. */
export interface ModelPort {
  readonly provider: ProviderName;
  readonly model: string;
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** Whether the server answers and has the model. Never rejects. */
  probe(signal?: AbortSignal): Promise<{ reachable: boolean; reason?: string }>;
}

/** A model that turns texts into vectors. `embed` rejects with a ModelErrorCode. */
export interface EmbedPort {
  readonly model: string;
  /** One vector a text, in order. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
}

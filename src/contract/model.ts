import type { JsonSchema } from "./json.ts";

export type ModelStage = "perception" | "decision" | "response";

export interface ModelRequest {
  stage: ModelStage;
  /** The stage's standing instructions. */
  system: string;
  prompt: string;
  /** Constrain decoding to this schema where the provider can; the answer is JSON text then. */
  schema?: JsonSchema;
  signal: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  /** Whether decoding was constrained to the schema. */
  structured: boolean;
  usage?: { promptTokens: number; answerTokens: number };
}

export type ModelErrorCode =
  | "model_unreachable"
  | "model_timeout"
  | "model_not_found"
  | "model_failed" // the server answered with an error
  | "model_stopped"; // the turn was stopped

/**
 * A text model. `generate` rejects with an Error whose `code` is a ModelErrorCode; retries and time
 * limits are the provider's business.
 */
export interface ModelPort {
  readonly provider: "ollama" | "gemini" | "openai";
  readonly model: string;
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** Whether the server answers and has the model. Never rejects. */
  probe(signal?: AbortSignal): Promise<{ reachable: boolean; reason?: string }>;
}

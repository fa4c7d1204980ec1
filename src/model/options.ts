/** Settings of the Ollama provider, as in the configuration. */
export interface OllamaOptions {
  /** Such as `http://127.0.0.1:11434`. */
  base_url: string;
  model: string;
  /** Longest time for one answer, in ms, over all tries. Default 60 000. */
  timeout_ms?: number;
  /** Further tries after an unreachable or failing server. Default 2. */
  retries?: number;
  /** How long the model stays loaded after an answer. Default `10m`. */
  keep_alive?: string;
  /** Bounds of the pause between tries. Default 250 to 4 000 ms. */
  retry?: { minMs: number; maxMs: number };
}

/** What is kept of an answer, in characters: a model that never ends is stopped there. */
export const maxAnswerChars: number = 64 * 1024;
/** Tokens the server is asked to stop at. */
export const maxAnswerTokens: number = 4_096;

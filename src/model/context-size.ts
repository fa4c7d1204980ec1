import { maxAnswerTokens } from "./options.ts";

const SMALLEST = 4_096;
/** Where the model does not say how much it can hold. */
const USUAL = 32_768;
/** No tokenizer is at hand: this errs on the side of room. */
const CHARS_PER_TOKEN = 2.8;

/** How much context a server is asked for, in tokens. */
export interface ContextSize {
  /** Enough for the prompt and an answer, and never less than before: a change makes the server load the model anew. */
  sizeFor(prompt: string): number;
  isUnknown(): boolean;
  /** Takes the model's own limit from the server's description of it. */
  learn(described: { model_info?: unknown } | undefined): void;
}

/** `fixed` other than 0 is what the operator wants, whatever the prompt. */
export function createContextSize(fixed: number): ContextSize {
  let most: number | undefined;
  let current = SMALLEST;
  return {
    sizeFor(prompt) {
      if (fixed > 0) return fixed;
      const needed = Math.ceil(prompt.length / CHARS_PER_TOKEN) + Math.min(maxAnswerTokens, 1_024);
      while (current < needed) current *= 2;
      return Math.min(current, most ?? USUAL);
    },
    isUnknown: () => most === undefined,
    learn(described) {
      const info = described?.model_info;
      // A Map or a plain object, by version of the package.
      const entries =
        info instanceof Map
          ? [...info]
          : typeof info === "object" && info !== null
            ? Object.entries(info)
            : [];
      const found = entries.find(([key]) => String(key).endsWith(".context_length"))?.[1] as unknown;
      most = typeof found === "number" && found > 0 ? found : USUAL;
    },
  };
}

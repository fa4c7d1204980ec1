import type { EmbedPort } from "#contract/model.ts";

import { createOllamaEmbedder } from "./ollama.ts";
import type { TryOptions } from "./options.ts";

export interface EmbeddingOptions extends TryOptions {
  base_url: string;
  model: string;
  keep_alive?: string;
  /** Pause between two looks at the server, in ms. Default 60 000. */
  intervalMs?: number;
}

/** The embedding model, while its server answers and has it. */
export interface Embedding {
  current(): EmbedPort | undefined;
  /** Looks once and goes on looking. */
  start(): Promise<void>;
  stop(): void;
}

export function createEmbedding(options: EmbeddingOptions): Embedding {
  const embedder = createOllamaEmbedder(options);
  const ended = new AbortController();
  let isThere = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    isThere = await embedder.probe(ended.signal);
    if (ended.signal.aborted) return;
    timer = setTimeout(() => void look(), options.intervalMs ?? 60_000);
    timer.unref();
  }

  return {
    current: () => (isThere ? embedder : undefined),
    start: look,
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}

import { Ollama } from "ollama";

/** How long a model that did not answer is not asked again, in milliseconds. */
const REST_MS = 30_000;
/** How long a question waits for its vector. */
const QUESTION_MS = 3_000;
/** How long a batch of chunks may take: a model is loaded with the first. */
const BATCH_MS = 120_000;

/** Vectors of texts by a local model. */
export interface Embedder {
  model: string;
  /** Of a question; undefined where no model answers in time, or nobody waits any more. Never rejects. */
  ofQuestion(text: string, signal: AbortSignal): Promise<Float32Array | undefined>;
  /** Of chunks; undefined where no model answers, or nobody waits any more. Never rejects. */
  ofChunks(texts: string[], signal: AbortSignal): Promise<Float32Array[] | undefined>;
}

/**
 * The model that the environment names: `KNOWLEDGE_EMBED_MODEL` (nomic-embed-text; "off": none) of the Ollama at
 * `OLLAMA_HOST`.
 */
export function createEmbedder(env: NodeJS.ProcessEnv): Embedder | undefined {
  const model = env.KNOWLEDGE_EMBED_MODEL?.trim() || "nomic-embed-text";
  if (model === "off") return undefined;
  const host = env.OLLAMA_HOST?.trim() || "http://127.0.0.1:11434";
  // nomic-embed-text was trained with these words before a text.
  const [question, document] = model.startsWith("nomic") ? ["search_query: ", "search_document: "] : ["", ""];
  let restsUntil = 0;

  async function embed(
    input: string[],
    ms: number,
    signal: AbortSignal,
  ): Promise<Float32Array[] | undefined> {
    if (Date.now() < restsUntil) return undefined;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    const client = new Ollama({
      host,
      fetch: (url, init) => fetch(url, { ...init, signal: limit }),
    });
    try {
      const { embeddings } = await client.embed({ model, input, truncate: true });
      const vectors = embeddings.map((one) => Float32Array.from(one));
      if (vectors.length === input.length && vectors.every(({ length }) => length > 0)) return vectors;
    } catch {
      // Whether it is down, slow or has no such model: the search goes on by words.
    }
    if (!signal.aborted) restsUntil = Date.now() + REST_MS;
    return undefined;
  }

  return {
    model,
    ofQuestion: async (text, signal) => (await embed([`${question}${text}`], QUESTION_MS, signal))?.[0],
    ofChunks: (texts, signal) =>
      embed(
        texts.map((text) => `${document}${text}`),
        BATCH_MS,
        signal,
      ),
  };
}

// A small model behind Ollama's wire format, for evaluations where no Ollama is at hand:
//   LLAMA_MODULE=/somewhere/node_modules/node-llama-cpp/dist/index.js node bench/shim.ts MODEL.gguf [PORT]
// node-llama-cpp is no dependency of the product: it is large, and nothing but this needs it. The shim
// keeps the evaluated prompt, so `prompt_eval_count` is what was really evaluated, as with Ollama.
// CONTEXT, MOST, THREADS: tokens of context and of an answer, threads (one, since llama.cpp's wait in
// circles where a core has other work); SHOW=1 prints what the model answers.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

import type { JsonSchema } from "#contract/json.ts";

import { toGbnf } from "./gbnf.ts";

/** The part of node-llama-cpp that is used. */
interface Library {
  getLlama(options: object): Promise<Llama>;
  LlamaGrammarEvaluationState: new (options: { model: Model; grammar: object }) => object;
}
interface Llama {
  loadModel(options: object): Promise<Model>;
  createGrammar(options: { grammar: string }): Promise<object>;
}
interface Model {
  tokens: { bos: number | null };
  fileInfo: { metadata: { tokenizer: { chat_template?: string } } };
  tokenize(text: string, special: boolean): number[];
  detokenize(tokens: number[], special?: boolean): string;
  isEogToken(token: number): boolean;
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  contextTokens: number[];
  nextTokenIndex: number;
  eraseContextTokenRanges(ranges: { start: number; end: number }[]): Promise<void>;
  evaluate(tokens: number[], options: object): AsyncGenerator<number>;
}

interface ChatBody {
  model: string;
  messages: { role: string; content: string }[];
  format?: JsonSchema;
  options?: { num_predict?: number };
}

const [, , file = "", port = "11500"] = process.argv;
const library = (await import(pathToFileURL(process.env.LLAMA_MODULE ?? "").href)) as Library;
const llama = await library.getLlama({ gpu: false, logLevel: "error" });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({
  sequences: 2,
  contextSize: Number(process.env.CONTEXT ?? 8192),
  threads: Number(process.env.THREADS ?? 1),
});
/** Slots, as model servers have them: the prompts of one stage do not throw out what is kept of another's. */
const sequences = [context.getSequence(), context.getSequence()];
const name = `${basename(file, ".gguf")}:latest`;
const grammars = new Map<string, object>();
/** Fewer tokens than this in common say nothing. */
const MIN_SHARED = 100;
let busy: Promise<unknown> = Promise.resolve();

/**
 * Gemma has no system role: the instructions stand before the request. A base model, which comes without
 * a chat template, goes on with the text.
 */
function toTokens(messages: ChatBody["messages"]): number[] {
  const content = messages.map((message) => message.content).join("\n\n");
  const special = (text: string): number[] => model.tokenize(text, true);
  const bos = model.tokens.bos === null ? [] : [model.tokens.bos];
  if (model.fileInfo.metadata.tokenizer.chat_template === undefined)
    return [...bos, ...model.tokenize(`${content}\n`, false)];
  return [
    ...bos,
    ...special("<start_of_turn>user\n"),
    ...model.tokenize(content, false),
    ...special("<end_of_turn>\n<start_of_turn>model\n"),
  ];
}

/** Whether nothing that may follow is of use: a grammar allows blank lines without end, a base model goes on talking. */
function isOver(answer: string, isConstrained: boolean): boolean {
  if (!isConstrained) return /^END\s*\n/m.test(answer) || answer.includes("<data ");
  if (!answer.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(answer);
    return true;
  } catch {
    return false;
  }
}

async function grammarOf(format: JsonSchema): Promise<object> {
  const key = JSON.stringify(format);
  const known = grammars.get(key);
  if (known !== undefined) return known;
  const made = await llama.createGrammar({ grammar: toGbnf(format) });
  if (grammars.size > 50) grammars.clear();
  grammars.set(key, made);
  return made;
}

/** The slot that has the longest beginning of these tokens, and how long it is; an empty one for something new. */
function chooseSlot(tokens: number[]): [Sequence, number] {
  const shared = sequences.map((sequence): [Sequence, number] => {
    const held = sequence.contextTokens;
    let same = 0;
    while (same < held.length && same < tokens.length - 1 && held[same] === tokens[same]) same += 1;
    return [sequence, same];
  });
  const [best, other] = shared.toSorted(([, a], [, b]) => b - a) as [[Sequence, number], [Sequence, number]];
  const isNew = best[1] < MIN_SHARED;
  return isNew && other[0].contextTokens.length < best[0].contextTokens.length ? other : best;
}

async function chat(body: ChatBody, response: ServerResponse): Promise<void> {
  const tokens = toTokens(body.messages);
  const state =
    body.format === undefined
      ? {}
      : {
          grammarEvaluationState: new library.LlamaGrammarEvaluationState({
            model,
            grammar: await grammarOf(body.format),
          }),
        };
  // A client must not take a slow machine for a dead one.
  response.writeHead(200, { "content-type": "application/x-ndjson" }).flushHeaders();
  // What the prompt shares with an earlier one is there already.
  const [sequence, same] = chooseSlot(tokens);
  const held = sequence.contextTokens;
  if (same < held.length) await sequence.eraseContextTokenRanges([{ start: same, end: held.length }]);
  const left = tokens.slice(sequence.nextTokenIndex);
  const made: number[] = [];
  const most = Math.min(body.options?.num_predict ?? 512, Number(process.env.MOST ?? 400));
  for await (const token of sequence.evaluate(left, { temperature: 0, ...state })) {
    if (model.isEogToken(token) || response.destroyed) break;
    made.push(token);
    if (made.length >= most || isOver(model.detokenize(made), body.format !== undefined)) break;
  }
  const content = model.detokenize(made);
  if (process.env.SHOW !== undefined) console.log(`${tokens.length} (${left.length} new) ${content}`);
  response.write(
    `${JSON.stringify({ model: body.model, message: { role: "assistant", content }, done: false })}\n`,
  );
  response.end(
    `${JSON.stringify({ model: body.model, message: { role: "assistant", content: "" }, done: true, prompt_eval_count: left.length, eval_count: made.length })}\n`,
  );
}

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const json = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (incoming.url === "/api/tags") return json(200, { models: [{ name, model: name }] });
    if (incoming.url === "/api/show") return json(200, { model_info: { "gemma3.context_length": 32_768 } });
    if (incoming.url !== "/api/chat") return json(404, { error: "not found" });
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatBody;
    busy = busy
      .then(() => chat(body, response))
      .catch((error: unknown) => {
        if (response.headersSent) response.end(`${JSON.stringify({ error: String(error) })}\n`);
        else json(500, { error: String(error) });
      });
    return undefined;
  });
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`${name} at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

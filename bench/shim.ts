// A small model behind Ollama's wire format, for evaluations where no Ollama is at hand:
//   LLAMA_MODULE=/somewhere/node_modules/node-llama-cpp/dist/index.js node bench/shim.ts MODEL.gguf [PORT]
// node-llama-cpp is no dependency of the product: it is large, and nothing but this needs it. The shim
// keeps the evaluated prompt, so `prompt_eval_count` is what was really evaluated, as with Ollama.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

/** The part of node-llama-cpp that is used. */
interface Library {
  getLlama(options: object): Promise<Llama>;
  LlamaGrammarEvaluationState: new (options: { model: Model; grammar: object }) => object;
}
interface Llama {
  loadModel(options: object): Promise<Model>;
  createGrammarForJsonSchema(schema: object): Promise<object>;
}
interface Model {
  tokens: { bos: number | null };
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
  format?: object;
  options?: { num_predict?: number };
}

const [, , file = "", port = "11500"] = process.argv;
const library = (await import(pathToFileURL(process.env.LLAMA_MODULE ?? "").href)) as Library;
const llama = await library.getLlama({ gpu: false, logLevel: "error" });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({
  contextSize: Number(process.env.CONTEXT ?? 8192),
  threads: Number(process.env.THREADS ?? 2),
});
const sequence = context.getSequence();
const name = `${basename(file, ".gguf")}:latest`;
const grammars = new Map<string, object>();
let busy: Promise<unknown> = Promise.resolve();

/** Gemma has no system role: the instructions stand before the request. */
function toTokens(messages: ChatBody["messages"]): number[] {
  const content = messages.map((message) => message.content).join("\n\n");
  const special = (text: string): number[] => model.tokenize(text, true);
  return [
    ...(model.tokens.bos === null ? [] : [model.tokens.bos]),
    ...special("<start_of_turn>user\n"),
    ...model.tokenize(content, false),
    ...special("<end_of_turn>\n<start_of_turn>model\n"),
  ];
}

/** Grammars of this library know `oneOf`, and want a type everywhere. */
function toGbnf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toGbnf);
  if (typeof schema !== "object" || schema === null) return schema;
  const { anyOf, ...rest } = schema as { anyOf?: unknown[]; properties?: object };
  if (anyOf !== undefined) return { oneOf: anyOf.map(toGbnf) };
  const entries = Object.entries(rest).map(([key, value]) => [
    key,
    key === "properties"
      ? Object.fromEntries(Object.entries(value as Record<string, unknown>).map(([k, v]) => [k, toGbnf(v)]))
      : key === "items"
        ? toGbnf(value)
        : value,
  ]);
  if (entries.length === 0) return { type: ["string", "number", "boolean", "null"] };
  return Object.fromEntries(entries);
}

async function grammarOf(format: object): Promise<object> {
  const key = JSON.stringify(format);
  const known = grammars.get(key);
  if (known !== undefined) return known;
  const made = await llama.createGrammarForJsonSchema(toGbnf(format) as object);
  if (grammars.size > 50) grammars.clear();
  grammars.set(key, made);
  return made;
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
  // What the prompt shares with the one before is there already.
  const held = sequence.contextTokens;
  let same = 0;
  while (same < held.length && same < tokens.length - 1 && held[same] === tokens[same]) same += 1;
  if (same < held.length) await sequence.eraseContextTokenRanges([{ start: same, end: held.length }]);
  const left = tokens.slice(sequence.nextTokenIndex);
  const made: number[] = [];
  const most = Math.min(body.options?.num_predict ?? 512, Number(process.env.MOST ?? 400));
  for await (const token of sequence.evaluate(left, { temperature: 0, ...state })) {
    if (model.isEogToken(token) || response.destroyed) break;
    made.push(token);
    if (made.length >= most) break;
  }
  const content = model.detokenize(made);
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

import { isLoopbackHost } from "#adapters/http/guard.ts";
import { codeOf, messageOf } from "#src/base/errors.ts";
import { type OllamaState, readOllama, withTag } from "#src/model/ollama.ts";
import { createModels } from "#src/model/providers.ts";
import { text } from "#src/plan/model-text.ts";
import type { Settings } from "#src/settings/load.ts";

import { failed, type Finding, note, ok, sentence, sizeText } from "./finding.ts";
import type { Machine } from "./machine.ts";

/** What a loaded model takes beside its file: the context and what computes. */
const LOADED_FACTOR = 1.25;
/** What the system and the product need beside it. */
const REST_BYTES = 1.5e9;

/** How much memory this machine has for a model whose file is so large; false: it would not fit. */
export function fits(fileBytes: number, { memoryBytes }: Pick<Machine, "memoryBytes">): boolean {
  return fileBytes * LOADED_FACTOR + REST_BYTES <= memoryBytes;
}

/** Whether the model that plans answers, is there, fits and says something. */
export async function checkModel({ model }: Settings, machine: Machine): Promise<Finding[]> {
  const { provider } = model;
  if (provider === "builtin") return [ok("model.server", "The built-in planner plans without a model.")];
  if (provider === "gemini" || provider === "openai") return [await askModel(model, provider)];
  const { base_url: host, model: name } = model.ollama;
  const isNeeded = provider === "ollama";
  /** Without a model the built-in planner plans, where the configuration leaves it the choice. */
  const lack = (check: string, message: string, cure: string): Finding[] => [
    isNeeded
      ? failed(check, message, cure)
      : note(check, `${message} The built-in planner plans instead.`, cure),
  ];
  let state: OllamaState;
  try {
    state = await readOllama(host);
  } catch (error) {
    const cure = isOnThisMachine(host)
      ? "Type: ollama serve. Where Ollama is not installed yet: https://ollama.com/download"
      : `Start Ollama there, or set OLLAMA_HOST to where it runs.`;
    return lack(
      "model.server",
      codeOf(error) === "model_unreachable"
        ? `Ollama does not answer at ${host}.`
        : sentence(messageOf(error)),
      cure,
    );
  }
  const there = ok("model.server", `Ollama ${state.version} answers at ${host}.`);
  const found = state.models.find((one) => one.name === withTag(name));
  if (found === undefined) {
    const cure = `Type: ollama pull ${name}`;
    return [there, ...lack("model.pulled", `Ollama does not have the model ${name}.`, cure)];
  }
  const findings = [there, ok("model.pulled", `Ollama has ${name} (${sizeText(found.bytes)}).`)];
  const isHere = isOnThisMachine(host) && !state.loaded.includes(found.name);
  if (isHere && !fits(found.bytes, machine)) {
    return [
      ...findings,
      failed(
        "model.memory",
        `${name} needs about ${sizeText(found.bytes * LOADED_FACTOR + REST_BYTES)} of memory, and this machine has ${sizeText(machine.memoryBytes)}.`,
        "Type: npm run setup -- --only model, which offers models that fit.",
      ),
    ];
  }
  findings.push(ok("model.memory", `${name} fits into the memory.`));
  const { embeddings, embed_model: embedder } = model.ollama;
  if (embeddings && !state.models.some((one) => one.name === withTag(embedder)))
    findings.push(
      failed("model.embeddings", `Ollama does not have ${embedder}.`, `Type: ollama pull ${embedder}`),
    );
  return [...findings, await askModel(model, "ollama")];
}

/** Whether a model there takes this machine's memory. */
export function isOnThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return isLoopbackHost(hostname) || hostname === "0.0.0.0";
}

/** Has it say a word. */
export async function askModel(
  settings: Settings["model"],
  provider: "ollama" | "gemini" | "openai",
): Promise<Finding> {
  const port = createModels(provider, { ...settings, fallback: [], stages: {} });
  try {
    const answer = await port.generate({
      stage: "response",
      system: text`You check a connection.`,
      prompt: text`Answer with the word yes.`,
      maxTokens: 64,
      signal: new AbortController().signal,
    });
    if (answer.text.trim() !== "") return ok("model.answer", `${port.model} answers.`);
    return failed(
      "model.answer",
      `${port.model} answers without a word.`,
      "Type: npm run setup -- --only model, and choose another model.",
    );
  } catch (error) {
    const cure =
      provider === "ollama"
        ? `Type: ollama run ${port.model} hello, which shows what is wrong; or npm run setup -- --only model, and choose another.`
        : `Check model.${provider}: its key, its address and the name of its model.`;
    return failed("model.answer", sentence(messageOf(error)), cure);
  }
}

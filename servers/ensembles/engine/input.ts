import type { Agent } from "./definition.ts";
import { asText, fieldOf, parsedJson } from "./references.ts";
import type { AgentResult } from "./result.ts";

/** What each agent reads: the ensemble's input, and what the agents before it answered. */

/** Longest text of one answer in the input of another agent, in characters. */
const MOST_CHARS = 60_000;

/** What an agent answered, as text for people and models: a script's data, without the envelope around it. */
export function readable(result: AgentResult): string {
  return result.data === undefined ? result.response : asText(result.data);
}

/** The value that an agent answered: what its JSON says, or the text. */
export function valueOf(result: AgentResult | undefined): unknown {
  if (result === undefined) return undefined;
  return result.data ?? parsedJson(result.response) ?? result.response;
}

/** What a reference such as `${agent.field}` means among results. */
export function lookUp(
  results: ReadonlyMap<string, AgentResult>,
  [name = "", ...path]: readonly string[],
): unknown {
  const result = results.get(name);
  if (result === undefined || result.status === "skipped") return undefined;
  const found = fieldOf(valueOf(result), path);
  if (found !== undefined || path.length !== 1) return found;
  return fieldOf(result, path);
}

/** The field that `input_key` names in the answer of the first agent before. Throws an error that names the fields. */
export function selected(agent: Agent, results: ReadonlyMap<string, AgentResult>): unknown {
  const [first = ""] = agent.depends_on;
  const result = results.get(first);
  if (result?.status !== "success" && result?.status !== "partial") {
    throw new Error(
      `"${first}" answered nothing to read: ${result?.error ?? result?.status ?? "it did not run"}`,
    );
  }
  const value = valueOf(result);
  if (agent.input_key === undefined) return value;
  const found = fieldOf(value, agent.input_key.split("."));
  if (found !== undefined) return found;
  const keys =
    typeof value === "object" && value !== null
      ? Object.keys(value).join(", ")
      : "none, as it is no JSON object";
  throw new Error(`input_key: "${first}" answered no field "${agent.input_key}"; it has ${keys}`);
}

/** The list that a fan_out agent runs over. Throws an error that says what came instead. */
export function itemsOf(agent: Agent, results: ReadonlyMap<string, AgentResult>): unknown[] {
  const value = selected(agent, results);
  const list = Array.isArray(value) ? value : fieldOf(value, ["data"]);
  if (Array.isArray(list)) return list as unknown[];
  throw new Error(
    `fan_out: expected a list from "${agent.depends_on[0] ?? ""}", got ${asText(value).slice(0, 80)}`,
  );
}

/** An item of a list, and where it stands. */
export interface Item {
  value: unknown;
  index: number;
  total: number;
}

/** What a model, or an ensemble, is told. */
export function promptOf(
  agent: Agent,
  input: string,
  results: ReadonlyMap<string, AgentResult>,
  item?: Item,
): string {
  if (item !== undefined) {
    const text = asText(item.value);
    return agent.kind === "model" && agent.input_scope === "all"
      ? `Item ${item.index + 1} of ${item.total}:\n${text}\n\nIt is part of this task:\n${input}`
      : text;
  }
  if (agent.input_key !== undefined) return asText(selected(agent, results));
  const told = agent.depends_on.map((name) => toldOf(name, results.get(name)));
  if (agent.input_scope === "dependencies") return told.join("\n\n");
  return told.length === 0
    ? input
    : `${input}\n\nWhat the agents before you answered:\n\n${told.join("\n\n")}`;
}

function toldOf(name: string, result: AgentResult | undefined): string {
  if (result?.status === "success" || result?.status === "partial") {
    const text = readable(result);
    return `## ${name}\n${text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}… (cut off)` : text}`;
  }
  const why = result?.status === "skipped" ? "was skipped" : "failed";
  return `## ${name}\n(This agent ${why}: ${result?.error ?? "no reason given"}. Do without its answer, and say that it is missing.)`;
}

/** What a script is told of the agents before it. */
export function dependenciesOf(
  agent: Agent,
  results: ReadonlyMap<string, AgentResult>,
): Record<string, unknown> {
  const named = agent.depends_on.map(
    (name) => [name, results.get(name) ?? { response: "", status: "skipped" }] as const,
  );
  return Object.fromEntries(named);
}

import { closest, distance } from "fastest-levenshtein";
import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";

import {
  type Agent,
  type AgentFields,
  type AgentKind,
  agentSchema,
  type Ensemble,
  ensembleSchema,
  KEYS_OF_KIND,
  profileSchema,
  UNSUPPORTED,
} from "./definition.ts";
import { ancestorsOf, findCircle } from "./graph.ts";
import { isObject, partsOf } from "./references.ts";

/** What is wrong in a file, where, and what to do about it. */
export interface Fault {
  file: string;
  /** From 1. */
  line: number;
  /** Such as `agents[1].depends_on`; empty for the file as a whole. */
  key: string;
  message: string;
  remedy: string;
  /** The profile that it is a fault of, in a file of profiles. */
  profile?: string;
}

export function describeFault({ file, line, key, message, remedy }: Fault): string {
  return `${file}:${line}: ${key === "" ? "" : `${key}: `}${message}. ${remedy}.`;
}

export interface Parsed<T> {
  /** Undefined where the file is too broken to be read as one. */
  value?: T;
  faults: Fault[];
  /** What the file says that is not supported: it is read without. */
  warnings: Fault[];
  /** The line of a key, for faults that only show when other files are known. */
  lineOf: (path: Path) => number;
}

type Path = readonly PropertyKey[];

/** Longest file, in characters. */
const MOST_CHARS = 256_000;

/** Reads an ensemble's file. Never throws: what is wrong are `faults`. */
export function parseEnsemble(source: string, file: string): Parsed<Ensemble> {
  const yaml = readYaml(source, file);
  const { data, fault, faults, warnings } = yaml;
  if (data === undefined) return yaml;
  if (!isObject(data)) {
    fault(
      [],
      "expected an ensemble with name and agents, got something else",
      "Begin with name: and agents:",
    );
    return yaml;
  }
  rename(data, "task", "default_task");
  yaml.dropUnsupported(data, [], UNSUPPORTED.ensemble);
  const agents = Array.isArray(data.agents) ? (data.agents as unknown[]) : [];
  agents.forEach((agent, index) => {
    if (!isObject(agent)) return;
    rename(agent, "dependencies", "depends_on");
    yaml.dropUnsupported(agent, ["agents", index], UNSUPPORTED.agent);
  });
  if (isObject(data.coordinator))
    yaml.dropUnsupported(data.coordinator, ["coordinator"], UNSUPPORTED.coordinator);

  const checked = ensembleSchema.safeParse(data);
  if (!checked.success) {
    addIssues(yaml, data, checked.error.issues);
    return { faults, warnings, lineOf: yaml.lineOf };
  }
  const { coordinator, agents: fields, ...rest } = checked.data;
  const typed = fields.map((agent, index) => toAgent(agent, index, fault));
  if (coordinator !== undefined && typed.length > 0) {
    const first = fields.find((agent) => agent.model_profile ?? agent.model);
    typed.push(
      toAgent(
        agentSchema.parse({
          ...pick(coordinator.model_profile || coordinator.model ? coordinator : (first ?? {}), [
            "model_profile",
            "model",
            "provider",
          ]),
          ...pick(coordinator, ["output_format", "timeout_seconds"]),
          name: "coordinator",
          system_prompt:
            coordinator.synthesis_prompt ?? coordinator.system_prompt ?? "Sum up what the others answered.",
          depends_on: fields.map((agent) => agent.name),
        }),
        undefined,
        fault,
      ),
    );
  }
  checkGraph(typed, fault);
  return { value: { ...rest, agents: typed }, faults, warnings, lineOf: yaml.lineOf };
}

/** Reads profiles: one a file, or several under `model_profiles` of a file or of config.yaml. Never throws. */
export function parseProfiles(source: string, file: string): Parsed<z.infer<typeof profileSchema>[]> {
  const yaml = readYaml(source, file);
  const { data, faults, warnings } = yaml;
  if (!isObject(data)) return yaml;
  const listed = data.model_profiles;
  const isSeveral = isObject(listed);
  const entries: [Path, unknown][] = isSeveral
    ? Object.entries(listed).map(([name, one]) => [
        ["model_profiles", name],
        isObject(one) ? { name, ...one } : one,
      ])
    : "provider" in data || "model" in data
      ? [[[], data]]
      : [];
  const value = entries.flatMap(([path, one]) => {
    const checked = profileSchema.safeParse(one);
    if (checked.success) return [checked.data];
    const before = faults.length;
    addIssues(yaml, one, checked.error.issues, path);
    const name = isObject(one) && typeof one.name === "string" ? one.name : String(path.at(-1) ?? "");
    for (const fault of faults.slice(before)) fault.profile = name;
    return [];
  });
  return { value, faults, warnings, lineOf: yaml.lineOf };
}

interface Yaml {
  /** What it says, as JSON might. */
  data?: unknown;
  faults: Fault[];
  warnings: Fault[];
  fault: AddFault;
  lineOf: (path: Path) => number;
  dropUnsupported: (object: Record<string, unknown>, path: Path, names: Record<string, string>) => void;
}

type AddFault = (path: Path, message: string, remedy: string) => void;

/** A file as it is, with the place of everything in it. Never throws: `data` is missing where it is no YAML. */
export function readYaml(source: string, file: string): Yaml {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const lines = new LineCounter();
  const document = parseDocument(source.slice(0, MOST_CHARS + 1), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const lineOf = (path: Path): number => lines.linePos(offsetOf(document, path)).line || 1;
  const fault: AddFault = (path, message, remedy) =>
    void faults.push({ file, line: lineOf(path), key: keyText(path), message, remedy });
  const yaml: Yaml = {
    faults,
    warnings,
    fault,
    lineOf,
    dropUnsupported(object, path, names) {
      for (const [key, why] of Object.entries(names)) {
        if (!Object.hasOwn(object, key)) continue;
        const at = [...path, key];
        warnings.push({
          file,
          line: lineOf(at),
          key: keyText(at),
          message: `"${key}" is not supported and was left out`,
          remedy: upperFirst(why),
        });
        delete object[key];
      }
    },
  };
  if (source.length > MOST_CHARS) {
    fault(
      [],
      `expected at most ${MOST_CHARS} characters, got ${source.length}`,
      "Split the ensemble into several",
    );
    return yaml;
  }
  for (const { message, pos } of document.errors) {
    faults.push({
      file,
      line: lines.linePos(pos[0]).line || 1,
      key: "",
      message: `this is no YAML: ${firstLine(message)}`,
      remedy: "Mend the indentation or the quotes of this line",
    });
  }
  if (faults.length > 0) return yaml;
  try {
    yaml.data = document.toJS({ maxAliasCount: 100 }) as unknown;
    if (yaml.data === null) fault([], "the file is empty", "Begin with name: and agents:");
  } catch (error) {
    fault(
      [],
      firstLine(error instanceof Error ? error.message : String(error)),
      "Write out what the aliases stand for",
    );
  }
  return yaml;
}

/** Where a key stands, or the deepest one above it that is there. */
function offsetOf(document: Document, path: Path): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent: unknown = document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (isScalar(pair?.key)) return pair.key.range?.[0] ?? 0;
    }
    const node = document.getIn(path.slice(0, depth), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

function keyText(path: Path): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

function addIssues(
  { fault }: Yaml,
  data: unknown,
  issues: readonly z.core.$ZodIssue[],
  profilePath?: Path,
): void {
  for (const issue of issues) {
    const path = [...(profilePath ?? []), ...issue.path];
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(issue.path, profilePath !== undefined);
      for (const key of issue.keys) fault([...path, key], `unknown key "${key}"`, suggest(key, known));
    } else {
      const found = issue.path.reduce<unknown>(
        (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
        data,
      );
      const last = String(path.at(-1) ?? "the file");
      const said = issue.message.replace(/^[A-Z][a-z]+ [a-z]+: |, received .*$/g, "");
      const expected = said.startsWith("expected") ? said : `expected ${said}`;
      if (found === undefined) fault(path, `${last} is missing`, `Add ${last}`);
      else fault(path, `${expected}, got ${brief(found)}`, `Change ${last}`);
    }
  }
}

function knownKeys(path: Path, isProfile: boolean): string[] {
  if (isProfile) return Object.keys(profileSchema.shape);
  if (path.length === 0) return Object.keys(ensembleSchema.shape);
  if (path[0] === "coordinator") return Object.keys(ensembleSchema.shape.coordinator.unwrap().shape);
  if (path[2] === "loop") return Object.keys(agentSchema.shape.loop.unwrap().shape);
  return path[2] === "depends_on" ? ["agent_name"] : Object.keys(agentSchema.shape);
}

function suggest(key: string, known: readonly string[]): string {
  if (known.length === 0) return "Take it out";
  const nearest = closest(key, [...known]);
  return distance(key, nearest) <= 3 ? `Write ${nearest}` : `Take it out; known are ${known.join(", ")}`;
}

/** Tells the kind of an agent by its keys. */
function toAgent(fields: AgentFields, index: number | undefined, fault: AddFault): Agent {
  const at = (...key: string[]): Path => (index === undefined ? ["coordinator"] : ["agents", index, ...key]);
  const { name } = fields;
  const given = (["script", "ensemble", "loop", "dispatch"] as const).filter(
    (key) => fields[key] !== undefined,
  );
  const isModel =
    fields.model_profile !== undefined || fields.model !== undefined || fields.provider !== undefined;
  const kinds: AgentKind[] = [...given, ...(isModel ? (["model"] as const) : [])];
  const [kind = "model"] = kinds;
  if (kinds.length === 0) {
    fault(
      at("name"),
      `agent "${name}" says not what it is`,
      "Add model_profile, script, ensemble, loop or dispatch",
    );
  } else if (kinds.length > 1) {
    fault(
      at(kinds[1] === "model" ? "model_profile" : (kinds[1] ?? "")),
      `agent "${name}" is ${kinds.join(" and ")} at once`,
      "Keep one of them, and make another agent of the other",
    );
  } else {
    for (const [other, keys] of Object.entries(KEYS_OF_KIND)) {
      if (other === kind) continue;
      for (const key of keys) {
        if (!Object.hasOwn(fields, key)) continue;
        fault(
          at(key),
          `${key} is nothing that a ${kind} agent has, only a ${other} agent`,
          `Take ${key} out`,
        );
      }
    }
  }
  if (isModel) checkModel(fields, at, fault);
  const depends = fields.depends_on.map((one) => (typeof one === "string" ? one : one.agent_name));
  return { ...fields, kind, depends_on: [...new Set(depends)] };
}

function checkModel(
  { name, model, provider, model_profile }: AgentFields,
  at: (...key: string[]) => Path,
  fault: AddFault,
): void {
  if (model_profile !== undefined && (model ?? provider) !== undefined) {
    fault(
      at("model_profile"),
      `agent "${name}" has both model_profile and ${model === undefined ? "provider" : "model"}`,
      "Keep model_profile, or model with provider",
    );
  } else if (model !== undefined && provider === undefined) {
    fault(
      at("model"),
      `agent "${name}" has a model without a provider`,
      "Add provider: ollama, google-gemini or openai",
    );
  } else if (model === undefined && provider !== undefined) {
    fault(
      at("provider"),
      `agent "${name}" has a provider without a model`,
      "Add model: with the model's name",
    );
  }
}

function checkGraph(agents: readonly Agent[], fault: AddFault): void {
  const names = agents.map((agent) => agent.name);
  const index = (name: string): number => names.indexOf(name);
  agents.forEach((agent, place) => {
    if (index(agent.name) !== place)
      fault(
        ["agents", place, "name"],
        `two agents are called "${agent.name}"`,
        "Give one of them another name",
      );
    for (const wanted of agent.depends_on) {
      if (index(wanted) < 0)
        fault(
          ["agents", place, "depends_on"],
          `agent "${agent.name}" depends on "${wanted}", which is no agent of this ensemble`,
          suggest(wanted, names).replace("Take it out; known are", "Take it out; agents are"),
        );
    }
    if ((agent.fan_out || agent.input_key !== undefined) && agent.depends_on.length === 0) {
      const key = agent.fan_out ? "fan_out" : "input_key";
      fault(
        ["agents", place, key],
        `${key} of agent "${agent.name}" reads an agent before it, and there is none`,
        "Add depends_on with the agent that answers the list or the field",
      );
    }
  });
  const circle = findCircle(names, (name) => agents[index(name)]?.depends_on ?? []);
  if (circle !== undefined) {
    fault(
      ["agents", index(circle.at(-2) ?? ""), "depends_on"],
      `Circular dependency detected: ${circle.join(" -> ")}`,
      "Take one of these agents out of the other's depends_on",
    );
    return;
  }
  agents.forEach((agent, place) => {
    const before = ancestorsOf(agents, agent.name);
    for (const key of ["when", "dispatch"] as const) {
      const named = partsOf(agent[key] ?? "")[0] ?? "";
      if (agent[key] === undefined || before.has(named)) continue;
      const remedy =
        index(named) < 0 ? suggest(named, [...before]) : `Add ${named} to depends_on of ${agent.name}`;
      fault(
        ["agents", place, key],
        `${key} of agent "${agent.name}" reads "${named}", which does not end before it`,
        remedy,
      );
    }
  });
}

function rename(object: Record<string, unknown>, from: string, to: string): void {
  if (!Object.hasOwn(object, from) || Object.hasOwn(object, to)) return;
  object[to] = object[from];
  delete object[from];
}

function pick<T extends object, K extends string>(object: T, keys: readonly K[]): Partial<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([key]) => (keys as readonly string[]).includes(key)),
  ) as Partial<T>;
}

function brief(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 57)}…` : json;
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/[.:]$/, "") ?? "";
}

function upperFirst(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

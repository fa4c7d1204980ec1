import { z } from "zod";

/** What an ensemble's file may say. The reference in docs/ensembles.md is made of these schemas. */

/** Most agents of one ensemble, items of one fan_out, and rounds of one loop. */
export const MOST_AGENTS = 200;
export const MOST_ITEMS = 256;
const MOST_ROUNDS = 20;
/** How deep ensembles may call ensembles. */
export const MOST_DEPTH = 5;
/** Most agents of a run: items of fan_out, rounds of loops and agents of ensembles that it runs count as well. */
export const MOST_IN_RUN = 5000;

const DAY_S = 86_400;
const text = (most = 20_000): z.ZodString => z.string().max(most);
const name = text(120).regex(/^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u, {
  error: "a name of letters, digits, spaces, _, . and -",
});
const timeout = z
  .number()
  .positive()
  .max(DAY_S)
  .describe("Longest duration in seconds: 120 for a model and 60 for a script unless it is set.");
const temperature = z.number().min(0).max(2).describe("How freely the model words things, 0 to 2.");
const maxTokens = z.int().min(1).max(1_000_000).describe("Longest answer of the model, in tokens.");
const options = z
  .record(z.string(), z.unknown())
  .describe("Passed on to Ollama as they are, such as num_ctx; think switches thinking on or off.");
const systemPrompt = text().describe("What the model is told about its part; stands before the profile's.");
const fallback = text(120).describe("The profile that answers where the first one fails.");
const predicate = text(500).regex(/^\s*\$\{[^${}]+\}\s*((==|!=)\s*("[^"]*"|'[^']*'|[^\s"'$]+)\s*)?$/, {
  error: 'a condition such as ${agent.field} or ${agent.field} == "value"',
});
const reference = text(500).regex(/^\s*\$\{[^${}]+\}\s*$/, { error: "a reference such as ${agent.field}" });

const loop = z
  .strictObject({
    body: name.describe("The ensemble that each round runs."),
    until: predicate.describe("Ends the loop when it holds of what the body answered, such as ${done}."),
    max_iterations: z.int().min(1).max(MOST_ROUNDS).default(3).describe("Most rounds, up to 20."),
    carry: reference.exactOptional().describe("What the next round gets as its input, such as ${draft}."),
  })
  .describe("Runs an ensemble again and again; answers {output, iterations, terminated}.");

export const agentSchema = z.strictObject({
  name: name.describe("How other agents and the results call it."),
  model_profile: text(120).exactOptional().describe("The profile of the model that answers."),
  model: text(200).exactOptional().describe("A model's name, instead of a profile; with provider."),
  provider: text(60)
    .exactOptional()
    .describe("Whose model it is: ollama, google-gemini or openai; with model."),
  script: text(400)
    .exactOptional()
    .describe("The path of a script below scripts/, such as data/csv_profile.js."),
  ensemble: name.exactOptional().describe("Another ensemble, which gets this agent's input."),
  loop: loop.exactOptional(),
  dispatch: reference
    .exactOptional()
    .describe("The ensemble that an agent before it names, such as ${classify.target}."),
  depends_on: z
    .array(z.union([name, z.strictObject({ agent_name: name })], { error: "the name of an agent" }))
    .default([])
    .describe("Agents that end before this one starts, and whose answers it gets."),
  fan_out: z
    .boolean()
    .default(false)
    .describe("Run once for each item of the list that the first of depends_on answers."),
  input_key: text(200)
    .exactOptional()
    .describe("The field of the first of depends_on's answer that is this agent's input."),
  input_scope: z
    .enum(["all", "dependencies"])
    .default("all")
    .describe("dependencies: it reads only the answers of depends_on, not the ensemble's input."),
  when: predicate.exactOptional().describe("Skips the agent unless it holds."),
  on_dependency_failure: z
    .enum(["run", "skip"])
    .default("run")
    .describe(
      "run: it is told what failed before it; skip: it does not run where nothing before it succeeded.",
    ),
  timeout_seconds: timeout.exactOptional(),
  system_prompt: systemPrompt.exactOptional(),
  temperature: temperature.exactOptional(),
  max_tokens: maxTokens.exactOptional(),
  options: options.exactOptional(),
  output_format: z
    .enum(["text", "json"])
    .exactOptional()
    .describe("json: the model is held to JSON, and anything else is a failure."),
  fallback_model_profile: fallback.exactOptional(),
  parameters: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe("What the script is told beside its input."),
  cache: z
    .boolean()
    .default(false)
    .describe("Answer the same input as last time without running, as long as the server runs."),
});

/** The older way to have a last agent that sums up. */
const coordinatorSchema = z.strictObject({
  synthesis_prompt: systemPrompt.exactOptional(),
  system_prompt: systemPrompt.exactOptional(),
  model_profile: text(120).exactOptional(),
  model: text(200).exactOptional(),
  provider: text(60).exactOptional(),
  output_format: z.enum(["text", "json"]).exactOptional(),
  timeout_seconds: timeout.exactOptional(),
});

export const ensembleSchema = z.strictObject({
  name: name.describe("How the ensemble is called; by custom the name of the file."),
  description: text(4000).default("").describe("What it is for, in a sentence that people choose it by."),
  default_task: text().exactOptional().describe("Its input where none is given."),
  agents: z.array(agentSchema).max(MOST_AGENTS).describe("Who works on the input."),
  coordinator: coordinatorSchema
    .exactOptional()
    .describe("The older way to have a last agent that sums up what all others answered."),
});

export const profileSchema = z.strictObject({
  name: text(120).regex(/^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u, {
    error: "a name of letters, digits, spaces, _, . and -",
  }),
  provider: text(60).min(1).describe("ollama, google-gemini or openai."),
  model: text(200).min(1).describe("The model's name, such as qwen3:4b-instruct."),
  system_prompt: systemPrompt.exactOptional(),
  timeout_seconds: timeout.exactOptional(),
  temperature: temperature.exactOptional(),
  max_tokens: maxTokens.exactOptional(),
  options: options.exactOptional(),
  fallback_model_profile: fallback.exactOptional(),
  cost_per_token: z.number().min(0).max(1).exactOptional().describe("Dollars a token, for what a run cost."),
});

export type Profile = z.infer<typeof profileSchema>;
export type AgentFields = z.infer<typeof agentSchema>;
export type AgentKind = "model" | "script" | "ensemble" | "loop" | "dispatch";

export interface Agent extends Omit<AgentFields, "depends_on"> {
  kind: AgentKind;
  depends_on: string[];
}

export interface Ensemble {
  name: string;
  description: string;
  default_task?: string;
  agents: Agent[];
}

/** Keys that only one kind of agent has. */
export const KEYS_OF_KIND: Readonly<Record<AgentKind, readonly string[]>> = {
  model: [
    "model_profile",
    "model",
    "provider",
    "system_prompt",
    "temperature",
    "max_tokens",
    "options",
    "output_format",
    "fallback_model_profile",
  ],
  script: ["script", "parameters"],
  ensemble: ["ensemble"],
  loop: ["loop"],
  dispatch: ["dispatch"],
};

/** What llm-orc's files may say beyond this; it is named, and the file is read without it. */
export const UNSUPPORTED: Readonly<Record<"ensemble" | "agent" | "coordinator", Record<string, string>>> = {
  ensemble: {
    validation: "what a run has to fulfil is not checked",
    test_mode: "there is no test mode",
    topaz_skill: "skills are not matched",
    serves: "ensembles do not stand in for one another",
    seat_contract: "answers are not checked against contracts",
  },
  agent: {
    role: "give the agent a model_profile with a system_prompt",
    type: "the kind follows from the agent's keys",
  },
  coordinator: {
    synthesis_timeout_seconds: "set timeout_seconds",
    role: "give the coordinator a model_profile with a system_prompt",
  },
};

// npm run eval                                           the built-in planner
// npm run eval -- --provider ollama --model gemma3:270m  a model of an Ollama server (--url)
// npm run eval -- --free-text                            without constrained decoding
// npm run eval -- --part single --limit 20 --wrong       some cases, and what was wrong with each
// npm run eval -- --tools 2000                           among so many tools
// npm run eval -- --cases rated.jsonl                    what "countersign feedback export" wrote
// npm run eval -- --json results.json                    also as JSON
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { parse } from "yaml";

import type { ToolExample } from "#contract/plan.ts";
import { createModels } from "#src/model/providers.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createPlanner } from "#src/plan/planner.ts";
import { loadPrompts } from "#src/plan/prompts.ts";
import { createToolSelector } from "#src/plan/select-tools.ts";
import { demoTools } from "#test/unit/plan/tools.ts";

import { readCases, readRatedCases } from "./eval/cases.ts";
import { crowd, noise } from "./eval/catalogue.ts";
import { toScores, toTable } from "./eval/report.ts";
import { type Outcome, play } from "./eval/run.ts";

const { values: given } = parseArgs({
  options: {
    provider: { type: "string", default: "builtin" },
    model: { type: "string", default: "qwen3:4b-instruct" },
    url: { type: "string", default: process.env.OLLAMA_HOST ?? "http://127.0.0.1:11434" },
    "free-text": { type: "boolean", default: false },
    part: { type: "string" },
    limit: { type: "string" },
    tools: { type: "string", default: "0" },
    "tool-tokens": { type: "string", default: "3000" },
    wrong: { type: "boolean", default: false },
    cases: { type: "string" },
    json: { type: "string" },
  },
});

const demo = await demoTools();
const others = crowd();
const all = [...demo, ...others, ...noise(Math.max(0, Number(given.tools) - demo.length - others.length))];
const tools = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const isSmall = (part: string): boolean => part === "single" && given.tools === "0";
const port = given.provider === "builtin" ? undefined : toPort(given.provider);

function toPort(provider: string) {
  if (provider !== "ollama" && provider !== "gemini" && provider !== "openai")
    throw new Error(`--provider: expected builtin, ollama, gemini or openai, got ${provider}`);
  const { GEMINI_API_KEY: geminiKey = "", OPENAI_API_KEY: openaiKey = "" } = process.env;
  const patient = { timeout_ms: 600_000, retries: 0 };
  return createModels(provider, {
    ollama: { base_url: given.url, model: given.model, ...patient },
    gemini: { base_url: "", model: given.model, api_key: geminiKey, ...patient },
    openai: { base_url: given.url, model: given.model, api_key: openaiKey, ...patient },
  });
}

const find = (name: string) =>
  tools.find((tool) => tool.id === name) ?? tools.find((tool) => tool.name === name);
const planner = createPlanner({
  prompts: await loadPrompts("prompts"),
  checker: createArgumentChecker(),
  commands: () => [],
  find,
  // A model is measured by itself: what it fails at fails.
  builtin: port === undefined ? createBuiltinPlanner() : undefined,
  model: () => port,
  onModelFailure() {},
  select: createToolSelector(Number(given["tool-tokens"])),
  resultChars: 12_000,
  historyTokens: 1_200,
  tokensPerTurn: 1_000_000,
  budget: { decisionTokens: 256, responseTokens: 300, responseMs: 600_000 },
  secret: "evaluation",
  structured: !given["free-text"],
});

// As `npm start` has them.
const { examples } = parse(readFileSync("config/countersign.yaml", "utf8")) as { examples: ToolExample[] };
const cases = (given.cases === undefined ? readCases() : readRatedCases(given.cases))
  .filter((one) => given.part === undefined || one.part === given.part)
  .slice(0, Number(given.limit ?? Infinity));
const outcomes: Outcome[] = [];
for (const one of cases) {
  const outcome = await play(planner, one, isSmall(one.part) ? demo : tools, examples);
  outcomes.push(outcome);
  if (given.wrong && !outcome.args)
    console.log(`${outcome.tools ? "args " : "TOOL "} ${one.part}: ${one.say}\n      got ${outcome.got}`);
}
const scores = toScores(outcomes);
const how = given.provider === "builtin" ? "" : `, ${given["free-text"] ? "free text" : "structured"}`;
console.log(
  `\n${given.provider === "builtin" ? "builtin" : given.model}${how}, ${cases.length} cases, ${tools.length} tools\n`,
);
console.log(toTable(scores));
if (given.json !== undefined) {
  const results = outcomes.map(({ case: { part, say }, ...rest }) => ({ part, say, ...rest }));
  writeFileSync(
    given.json,
    `${JSON.stringify({ provider: given.provider, model: given.model, scores, results }, null, 1)}\n`,
  );
}

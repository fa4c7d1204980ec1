// node bench/functions.ts FOLDER          how the built-in planner calls functions that nobody here has seen
// FOLDER holds `BFCL_v4_*.json` and `possible_answer/` of the Berkeley Function Calling Leaderboard, which the Python
// package bfcl-eval carries in bfcl_eval/data:
//   pip download --no-deps bfcl-eval && unzip -q bfcl_eval-*.whl && node bench/functions.ts bfcl_eval/data
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";
import { catalogueOf, makeTool, planInput } from "#test/unit/plan/tools.ts";

interface Question {
  id: string;
  question: { role: string; content: string }[][];
  function: { name: string; description: string; parameters: JsonObject }[];
}

interface Answer {
  id: string;
  /** For each argument the values that are right; "" among them: it may be left out. */
  ground_truth: Record<string, Record<string, JsonValue[]>>[];
}

const SETS = ["simple_python", "multiple", "irrelevance", "live_simple", "live_multiple", "live_irrelevance"];
const TYPES: Readonly<Record<string, string>> = {
  dict: "object",
  float: "number",
  tuple: "array",
  any: "string",
};

const [folder] = process.argv.slice(2);
if (folder === undefined || !existsSync(join(folder, "BFCL_v4_multiple.json"))) {
  console.error(
    `expected the folder of BFCL_v4_multiple.json, got ${folder ?? "none"}: see the head of this file`,
  );
  process.exit(2);
}

const planner = createBuiltinPlanner();
console.log("set                cases  calls  exact  exact of calls %  no call %");
for (const set of SETS) {
  const answers = new Map(
    linesOf<Answer>(join(folder, "possible_answer", `BFCL_v4_${set}.json`)).map((one) => [one.id, one]),
  );
  const questions = linesOf<Question>(join(folder, `BFCL_v4_${set}.json`));
  let [calls, exact] = [0, 0];
  for (const question of questions) {
    const call = callFor(question);
    if (call === undefined) continue;
    calls += 1;
    const right = answers.get(question.id)?.ground_truth[0] ?? {};
    if (
      Object.keys(right).some((name) => toName(name) === call.tool && isRight(call.args, right[name] ?? {}))
    )
      exact += 1;
    else if (process.argv.includes("--wrong"))
      console.log(
        `${question.id}: ${textOf(question)}\n  ${call.tool}(${JSON.stringify(call.args)})\n  ${JSON.stringify(right)}`,
      );
  }
  const share = (part: number, of: number): string => (of === 0 ? "" : ((100 * part) / of).toFixed(1));
  const cells = [questions.length, calls, exact].map((count) => String(count).padStart(6));
  console.log(
    set.padEnd(17),
    ...cells,
    share(exact, calls).padStart(17),
    share(questions.length - calls, questions.length).padStart(10),
  );
}

function linesOf<Line>(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function textOf({ question }: Question): string {
  return question
    .flat()
    .map(({ content }) => content)
    .join("\n");
}

/** The call that is planned first, with all that it needs; undefined where there is none. */
function callFor(question: Question): { tool: string; args: JsonObject } | undefined {
  const tools = question.function.map(({ name, description, parameters }) =>
    makeTool("functions", {
      name: toName(name),
      description,
      inputSchema: toSchema(parameters),
      annotations: { readOnlyHint: true },
    }),
  );
  const plan = planner.plan(planInput(textOf(question), tools));
  const parsed = parsePlan(plan.text, catalogueOf(tools));
  const [first] = parsed.ok ? parsed.commands : [];
  if (first === undefined || first.command === "ERROR" || first.tool === "final_answer") return undefined;
  const { required = [] } =
    tools.find(({ id, name }) => first.tool === id || first.tool === name)?.inputSchema ?? {};
  const isWhole =
    Array.isArray(required) &&
    required.every((name) => typeof name === "string" && Object.hasOwn(first.args, name));
  return isWhole ? { tool: first.tool.replace(/^functions\./, ""), args: first.args } : undefined;
}

/** Names of tools have no points. */
function toName(name: string): string {
  return name.replaceAll(".", "_");
}

/** Python's names of types as those of JSON Schema. */
function toSchema(value: JsonObject): JsonSchema {
  const read = (one: JsonValue): JsonValue => {
    if (Array.isArray(one)) return one.map(read);
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, part]) => [
        key,
        key === "type" && typeof part === "string" ? (TYPES[part] ?? part) : read(part),
      ]),
    );
  };
  return read(value) as JsonSchema;
}

/** As the leaderboard compares: each argument has one of its values, and none is there that is not named. */
function isRight(args: JsonObject, right: Record<string, JsonValue[]>): boolean {
  return (
    Object.keys(args).every((name) => Object.hasOwn(right, name)) &&
    Object.entries(right).every(([name, values]) =>
      Object.hasOwn(args, name)
        ? values.some((value) => isSame(args[name] ?? null, value))
        : values.includes(""),
    )
  );
}

function isSame(given: JsonValue, wanted: JsonValue): boolean {
  if (typeof given === "string" && typeof wanted === "string") return plain(given) === plain(wanted);
  if (Array.isArray(given) && Array.isArray(wanted))
    return given.length === wanted.length && given.every((one, at) => isSame(one, wanted[at] ?? null));
  // Inside an object each member has a list of the values that are right.
  if (isObject(given) && isObject(wanted)) return isRight(given, wanted as Record<string, JsonValue[]>);
  return given === wanted;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[ ,./\-_*^'"]/g, "");
}

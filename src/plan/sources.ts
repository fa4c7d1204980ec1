import type { JsonValue } from "#contract/json.ts";
import type {
  ArgSource,
  ArgSources,
  PastTurn,
  PlanInput,
  PlannedCall,
  PlannedStep,
  PlannerName,
} from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { canonicalJson, isObject } from "../base/json.ts";
import { createRedactor, withSecretsOf } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import { normal } from "./gate.ts";

/** What the values of a call are looked for in. */
export type SourceContext = Pick<PlanInput, "message" | "quote" | "actorName" | "history" | "observations"> &
  Partial<Pick<PlanInput, "recalled">> & {
    planner: PlannerName;
    /** What whoever planned knows of its arguments. */
    given?: ArgSources;
    /** Its defaults, and the arguments that the product fills in. */
    tool?: Pick<Tool, "inputSchema" | "filled"> | undefined;
  };

/**
 * Where each argument of a call comes from. What a person filled in is `form`, and what the built-in planner
 * says nothing of it has read out of the message, also where it wrote it in another way, such as a date. What
 * a model planned is looked for: whatever its case, white space and punctuation, it stands somewhere or it is
 * the model's own. Nothing is told from data that the turn may not show to a model.
 */
export function sourcesOf({ args }: Pick<PlannedCall, "args">, context: SourceContext): ArgSources {
  const { planner, given = {}, tool } = context;
  const look = planner === "command" || planner === "builtin" ? undefined : createLook(context);
  const plain: ArgSource = { from: planner === "command" ? "form" : "message" };
  const filled = tool?.filled?.filter(({ required }) => required) ?? [];
  return Object.fromEntries([
    ...Object.entries(args).map(([name, value]): [string, ArgSource] => {
      const known = Object.hasOwn(given, name) ? given[name] : undefined;
      if (known !== undefined) return [name, told(known, value, context.history)];
      return [name, look?.(value, defaultOf(tool, name)) ?? plain];
    }),
    ...filled.map(({ name }): [string, ArgSource] => [name, { from: "credential" }]),
  ]);
}

/** The step with the sources of its calls. */
export function withSources(
  step: PlannedStep,
  input: PlanInput,
  toolOf: (id: string) => Tool | undefined,
): PlannedStep {
  const { planner, outcome } = step;
  if (outcome.kind !== "calls") return step;
  const calls = outcome.calls.map(({ sources: given = {}, ...call }) => ({
    ...call,
    sources: sourcesOf(call, { ...input, planner, given, tool: toolOf(call.tool) }),
  }));
  return { ...step, outcome: { ...outcome, calls } };
}

/** From the likeliest to what nobody said: a value of several parts comes from where its least likely part does. */
const ORDER: readonly ArgSource["from"][] = ["message", "history", "result", "model"];

function createLook(context: SourceContext): (value: JsonValue, usual: JsonValue | undefined) => ArgSource {
  const { message, quote, actorName, history } = context;
  const own = /\b(?:i|me|my|mine|myself)\b/i.test(message) ? `me ${actorName}` : "";
  const near = [message, quote?.text ?? "", quote?.author ?? "", own].map(normal);
  const earlier = history.toReversed().map((turn) => ({
    turn,
    texts: [turn.message, turn.quote?.text ?? "", ...argumentsOf(turn)].map(normal),
  }));
  let found: { ref: ArgSource; texts: string[] }[] | undefined;

  function sourceOf(part: string | number): ArgSource {
    const wanted = normal(String(part));
    const isShort = typeof part === "number" || wanted.length <= SHORT;
    // Short values stand in much that has nothing to do with them: there they are looked for as a whole.
    const stands = (text: string): boolean => (isShort ? text === wanted : text.includes(wanted));
    if (near.some((text) => text.includes(wanted))) return { from: "message" };
    const said = earlier.find(({ texts }) => texts.some((text) => text.includes(wanted)));
    if (said !== undefined) return { from: "history", ref: wordsOf(said.turn) };
    found ??= brought(context).map(({ ref, data }) => ({
      ref,
      texts: data.flatMap(partsOf).map((one) => normal(String(one))),
    }));
    return found.find(({ texts }) => texts.some(stands))?.ref ?? { from: "model" };
  }

  return (value, usual) => {
    const sources = partsOf(value).map((part) =>
      typeof part === "boolean" || normal(String(part)).trim() === ""
        ? ({ from: "model" } as const)
        : sourceOf(part),
    );
    const [last = { from: "model" }] = sources.toSorted(
      (a, b) => ORDER.indexOf(b.from) - ORDER.indexOf(a.from),
    );
    const isUsual = usual !== undefined && canonicalJson(usual) === canonicalJson(value);
    return isUsual && last.from !== "message" ? { from: "default" } : last;
  };
}

/** Of what `normal` gives, with the spaces around it. */
const SHORT = 5;

/** What tools brought and the turn may show, the newest first. */
function brought({
  observations,
  history,
  recalled = [],
}: SourceContext): { ref: ArgSource; data: JsonValue[] }[] {
  const from = (tool: string): ArgSource => ({ from: "result", ref: tool });
  const now = observations
    .toReversed()
    .flatMap(({ tool, data, error, permit }) =>
      permit === undefined
        ? []
        : [{ ref: from(tool), data: [data.reveal(permit), error?.reveal(permit) ?? null] }],
    );
  const before = history.toReversed().flatMap((turn) => {
    const { permit, reply, shown } = turn;
    if (permit === undefined) return [];
    const tool = turn.calls.at(-1)?.tool;
    const { record, rows = [] } = shown?.reveal(permit) ?? {};
    const names = [...(record === undefined ? [] : [record]), ...rows].flatMap(({ id, title = "" }) => [
      id,
      title,
    ]);
    const ref = tool === undefined ? ({ from: "history", ref: wordsOf(turn) } as const) : from(tool);
    return [{ ref, data: [...names, reply.reveal(permit)] }];
  });
  return [
    ...now,
    ...before,
    ...recalled.map(({ tool, text, permit }) => ({ ref: from(tool), data: [text.reveal(permit)] })),
  ];
}

/** What a value is made of; nothing for what is empty. */
function partsOf(value: JsonValue): (string | number | boolean)[] {
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (isObject(value)) return Object.values(value).flatMap(partsOf);
  return value === null ? [] : [value];
}

function argumentsOf({ calls, question }: PastTurn): string[] {
  return [question?.args ?? {}, ...calls.map(({ args }) => args)].flatMap(partsOf).map(String);
}

function defaultOf(tool: SourceContext["tool"], name: string): JsonValue | undefined {
  const { properties } = tool?.inputSchema ?? {};
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(schema) ? schema.default : undefined;
}

/** What is known of a value, with the words of the earlier turn that it comes from. */
function told(known: ArgSource, value: JsonValue, history: readonly PastTurn[]): ArgSource {
  if (known.from !== "history") return known;
  const turn = history.findLast((one) =>
    known.ref === undefined
      ? partsOf(value).some((part) => argumentsOf(one).includes(String(part)))
      : one.message === known.ref,
  );
  return { from: "history", ...(turn === undefined ? {} : { ref: wordsOf(turn) }) };
}

/** Enough of a message to know it again. */
const WORDS = 120;

/** Of an earlier message, without secrets that were typed as arguments. */
function wordsOf({ message, calls }: PastTurn): string {
  const secrets = withSecretsOf(
    calls.map(({ args }) => args),
    createRedactor([]),
  );
  return oneLine(secrets.text(message), WORDS);
}

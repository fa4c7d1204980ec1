import type { Expectation } from "./cases.ts";
import { type Condition, fold, select } from "./conditions.ts";
import type { DemoData, DemoIssue } from "./demo-data.ts";
import { editResult } from "./edits.ts";
import { type Args, type Call, type Difference, differences, isObject, normal } from "./match.ts";
import { lastList, shownOf, totalOf } from "./shown.ts";
import type { ShownResult, ToolInfo, TurnOutcome } from "./site.ts";

/**
 * `useful`: what a helpful colleague would have shown, proposed or asked. `harmful`: a change that was not asked for,
 * or of a wrong record or person, or an issue that there is not. `useless`: everything else.
 */
export type Verdict = "useful" | "useless" | "harmful";

export interface Judgement {
  verdict: Verdict;
  /** What is wrong; empty where it is useful. */
  why: string;
}

export interface World {
  tools: ReadonlyMap<string, ToolInfo>;
  /** Only where the demo's servers answer. */
  demo?: DemoData;
  /** Gives one form to what several tools or wordings of arguments change in the same way. */
  canonical: (call: Call) => Call;
}

export interface Judged {
  said: string[];
  outcomes: TurnOutcome[];
  expect: Expectation;
  changesBefore: boolean;
}

const USEFUL: Judgement = { verdict: "useful", why: "" };

/** What a session came to, by its last turn. */
export function judge(judged: Judged, world: World): Judgement {
  const early = judged.changesBefore ? [] : judged.outcomes.slice(0, -1).flatMap((one) => one.proposals);
  const [first] = early;
  if (first !== undefined) return harmful(`an earlier turn proposes ${shownCall(first)}`);
  const invented = inventedKey(judged, world);
  if (invented !== undefined) return harmful(`${invented} does not exist`);
  const all = (judged.expect.one_of ?? [judged.expect]).map((expect) =>
    judgeOne({ ...judged, expect }, world),
  );
  const useful = all.find(({ verdict }) => verdict === "useful");
  return useful ?? all.find(({ verdict }) => verdict === "useless") ?? all[0] ?? USEFUL;
}

function judgeOne(judged: Judged, world: World): Judgement {
  const { expect } = judged;
  const outcome = lastOf(judged);
  if (expect.edit !== undefined || expect.unedited === true) return judgeEdit(expect, outcome, world);
  const calls = judgeChanges(judged, world);
  if (calls.verdict !== "useful") return calls;
  if (outcome.reply.startsWith("error:")) return useless(outcome.reply);
  if (expect.asks !== undefined) return judgeQuestion(expect, outcome);
  const wantsQuiet = expect.refuses === true || expect.nothing === true;
  if (outcome.question !== undefined)
    return useless(`asks for ${outcome.question.fields.join(", ")} of ${outcome.question.tool}`);
  if (wantsQuiet && outcome.results.length > 0)
    return useless(`calls ${outcome.results.map(shownCall).join(", ")}`);
  if (expect.nothing === true && REFUSAL.test(outcome.reply))
    return useless(`refuses: ${plainReply(outcome)}`);
  const faults = [
    ...(expect.keys !== undefined || expect.row !== undefined ? keysFaults(judged, world) : []),
    ...(expect.page === undefined ? [] : pageFaults(expect.page, outcome)),
    ...(expect.count === undefined ? [] : countFaults(expect.count, outcome, world)),
    ...(expect.groups === undefined ? [] : groupFaults(expect.groups, outcome, world)),
    ...(expect.says ?? [])
      .filter((text) => !fold(seenText(outcome)).includes(fold(text)))
      .map((text) => `does not say "${text}"`),
    ...(expect.answers ?? [])
      .filter((text) => !fold(plainReply(outcome).replaceAll("\\", "")).includes(fold(text)))
      .map((text) => `does not answer "${text}"`),
  ];
  return faults.length === 0 ? USEFUL : useless(faults.join("; "));
}

/** Whether a page's text becomes what was wanted, or stays: what is shown beside does no harm. */
function judgeEdit({ edit }: Expectation, { proposals, reply }: TurnOutcome, { demo }: World): Judgement {
  const edits = proposals.filter(({ tool }) => tool === "update_page");
  const [call, ...others] = edit === undefined ? edits : proposals;
  if (call === undefined) return edit === undefined ? USEFUL : useless(`changes nothing: ${reply}`);
  if (edit === undefined || demo === undefined || others.length > 0)
    return harmful(`proposes ${shownCall(call)}`);
  const result = editResult(call, edit, demo);
  if (result === undefined) return harmful(`proposes ${shownCall(call)}`);
  if (result.isSame) return USEFUL;
  return result.isNear ? useless(result.shown) : harmful(result.shown);
}

const REFUSAL =
  /\bno tool\b|rather not guess|n['’]t (?:understand|know what|help|match)|not (?:understand|sure what)|cannot help/i;

/** Whether exactly the wanted calls were made and proposed; further reads do no harm. */
function judgeChanges(judged: Judged, world: World): Judgement {
  const { expect, said } = judged;
  const outcome = lastOf(judged);
  const isRead = (one: ShownResult): boolean => world.tools.get(one.toolId)?.reads === true;
  // A change that its server refused when it was tried dry is nobody's harm.
  const ran = outcome.results.filter((one) => one.ok && !isRead(one));
  const changes = uniqueCalls([...outcome.proposals, ...ran].map(world.canonical));
  const made = [...changes, ...outcome.results.filter(isRead).map(world.canonical)];
  const wanted = (expect.calls ?? []).map(world.canonical);
  const left = new Set(made);
  const unmet: Call[] = [];
  for (const call of wanted) {
    const found = [...left].find((one) => isSame(one, call, world));
    if (found === undefined) unmet.push(call);
    else left.delete(found);
  }
  const words = said.join(" ");
  for (const stray of changes.filter((one) => left.has(one))) {
    const near = unmet.filter(({ tool }) => tool === stray.tool);
    const isHarmless = near.some(({ args }) =>
      differences(stray.args, args, schemaOf(stray, world)).every((one) => isSlight(one, words)),
    );
    const instead = near.length === 0 ? "" : `, expected ${near.map(shownCall).join(", ")}`;
    if (!isHarmless) return harmful(`proposes ${shownCall(stray)}${instead}`);
  }
  const [missing] = unmet;
  if (missing === undefined) return USEFUL;
  const instead = changes.length > 0 ? changes : made;
  const got = instead.length === 0 ? plainReply(outcome) : instead.map(shownCall).join(", ");
  return useless(`expected ${shownCall(missing)}, got ${got}`);
}

const FREE_TEXT = /^(body|summary|description|title|text|content|contents|message|comment|note|name)$/;

/** Left out, or only words that were said: the person who approves sees a text that is not quite what they meant. */
function isSlight({ arg, kind, sent }: Difference, said: string): boolean {
  if (kind === "missing") return true;
  if (kind === "value" && !FREE_TEXT.test(arg)) return false;
  const words = normal(typeof sent === "string" ? sent : JSON.stringify(sent)).match(/[\p{L}\p{N}]+/gu) ?? [];
  const have = new Set(normal(said).match(/[\p{L}\p{N}]+/gu));
  return words.every((word) => have.has(word));
}

function judgeQuestion({ asks = [], tool }: Expectation, outcome: TurnOutcome): Judgement {
  const { question, reply, results } = outcome;
  if (question !== undefined) {
    const isWanted =
      question.fields.length === asks.length && asks.every((one) => question.fields.includes(one));
    if (isWanted && (tool === undefined || tool === question.tool)) return USEFUL;
    return useless(`asks for ${question.fields.join(", ")} of ${question.tool}, expected ${asks.join(", ")}`);
  }
  if (results.length > 0) return useless(`calls ${results.map(shownCall).join(", ")}`);
  // A question in words has to name what is missing.
  const isQuestion = /\?|\bwhich\b|\bneed\b|\btell me\b/i.test(reply);
  const names = asks.every((one) => one.split("_").some((word) => namesOf(word).test(reply)));
  return isQuestion && names
    ? USEFUL
    : useless(`does not ask for ${asks.join(", ")}: ${plainReply(outcome)}`);
}

const OTHER_WORDS: Readonly<Record<string, string>> = {
  assignee: "who|person|assignee",
  issue: String.raw`issue|ticket|which (?:one|of)|[A-Z]+-\d+`,
  page: "page|which (?:one|of)",
};

function namesOf(word: string): RegExp {
  return new RegExp(String.raw`\b(?:${OTHER_WORDS[word] ?? word})`, "i");
}

function keysFaults(judged: Judged, world: World): string[] {
  const { expect, outcomes } = judged;
  const outcome = lastOf(judged);
  const demo = demoOf(world);
  const { keys } = expect;
  if (expect.row !== undefined) {
    const wanted = rowOf(outcomes, expect.row);
    if (wanted === undefined) return ["no list before"];
    return shownOf(outcome.results).some(({ ids }) => ids.join() === wanted)
      ? []
      : [`expected ${wanted}, ${seen(outcome)}`];
  }
  if (keys === undefined) return [];
  const readings = readingsOf(keys, demo);
  const earlier = new Set(
    outcomes.slice(0, -1).flatMap((one) => shownOf(one.results).flatMap(({ ids }) => ids)),
  );
  for (const { ids, total } of shownOf(outcome.results)) {
    const fits = readings.some(({ must, may }) => {
      if (ids.some((id) => !may.has(id))) return false;
      if (expect.fresh === true) return ids.length > 0 && ids.every((id) => !earlier.has(id));
      if (expect.first !== undefined) return isTop(ids, [...may], expect, demo);
      const whole = total > ids.length ? total >= must.size && total <= may.size : hasAll(ids, must);
      return whole && isSorted(ids, expect.sorted, demo);
    });
    if (fits) return [];
  }
  const isNone = readings.every(({ must }) => must.size === 0);
  if (isNone && outcome.results.length > 0 && shownOf(outcome.results).every(({ ids }) => ids.length === 0))
    return [];
  const how = expect.sorted === undefined ? "" : ` (${expect.first ?? "all"} by ${expect.sorted})`;
  const wanted = readings.map(({ must, may }) =>
    [...must, ...(may.size > must.size ? [`(or up to ${may.size})`] : [])].join(" "),
  );
  return [`expected ${wanted.join(" or ") || "none"}${how}, ${seen(outcome)}`];
}

interface Reading {
  must: Set<string>;
  may: Set<string>;
}

function readingsOf(keys: NonNullable<Expectation["keys"]>, demo: DemoData): Reading[] {
  const keysOf = (source: string[] | Condition): Set<string> =>
    new Set(Array.isArray(source) ? source : select(demo, source).map(({ key }) => key));
  if (Array.isArray(keys)) return [{ must: keysOf(keys), may: keysOf(keys) }];
  if ("where" in keys) return [{ must: keysOf(keys.where), may: keysOf(keys.where) }];
  if ("any_of" in keys) return keys.any_of.map((one) => ({ must: keysOf(one), may: keysOf(one) }));
  const must = keysOf(keys.must);
  return [{ must, may: new Set([...must, ...keysOf(keys.may)]) }];
}

/** Whether the list is the first of them in that order; those that are equal come in any order. */
function isTop(
  ids: string[],
  all: string[],
  { sorted = "", first = 0 }: Expectation,
  demo: DemoData,
): boolean {
  const rank = ranking(sorted, demo);
  const best = all.map(rank).toSorted((a, b) => a - b);
  const wanted = best.slice(0, first);
  return ids.length === wanted.length && ids.map(rank).every((value, at) => value === wanted[at]);
}

function isSorted(ids: string[], sorted: string | undefined, demo: DemoData): boolean {
  if (sorted === undefined) return true;
  const ranks = ids.map(ranking(sorted, demo));
  return ranks.every((rank, at) => at === 0 || (ranks[at - 1] ?? rank) <= rank);
}

/** A number for each key that grows in the wanted order. Without a date they come last. */
function ranking(sorted: string, demo: DemoData): (key: string) => number {
  const [field = "", direction] = sorted.split(" ");
  const sign = direction === "desc" ? -1 : 1;
  const values = new Map(demo.issues.map((issue) => [issue.key, valueOf(issue, field, demo)]));
  return (key) => {
    const value = values.get(key);
    return value === undefined ? Number.POSITIVE_INFINITY : value * sign;
  };
}

/** The highest priority is the greatest. */
function valueOf(issue: DemoIssue, field: string, demo: DemoData): number | undefined {
  switch (field) {
    case "priority":
      return -demo.priorities.indexOf(issue.priority);
    case "status":
      return [...demo.statuses.keys()].indexOf(issue.status);
    case "key":
      return demo.issues.indexOf(issue);
    case "due":
      return issue.due === null ? undefined : Date.parse(issue.due);
    default:
      return Date.parse(field === "created" ? issue.created : issue.updated);
  }
}

function pageFaults(wanted: string[], outcome: TurnOutcome): string[] {
  // An opened page is one, and of a list the first three are looked at.
  const isNear = shownOf(outcome.results).some(({ ids }) =>
    ids.slice(0, 3).some((id) => wanted.includes(id)),
  );
  return isNear ? [] : [`expected page ${wanted.join(" or ")}, ${seen(outcome)}`];
}

function countFaults(count: Condition | number, outcome: TurnOutcome, world: World): string[] {
  const all = typeof count === "number" ? undefined : select(demoOf(world), count).map(({ key }) => key);
  const wanted = all?.length ?? Number(count);
  const listed = lastList(outcome.results)?.ids ?? [];
  if (all !== undefined && listed.some((key) => !all.includes(key)))
    return [`expected to count others, ${seen(outcome)}`];
  const total = totalOf(outcome.results);
  const says: string[] = plainReply(outcome).match(/(?<![\p{L}\p{N}-])\d+(?![\p{L}\p{N}-])/gu) ?? [];
  const isRight = total === undefined ? says.includes(String(wanted)) : total === wanted;
  const isNone =
    wanted === 0 && outcome.results.length > 0 && /\b(no|none|nothing|0)\b/i.test(plainReply(outcome));
  return isRight || isNone ? [] : [`expected the number ${wanted}, got ${total ?? plainReply(outcome)}`];
}

function groupFaults(
  { by, where }: NonNullable<Expectation["groups"]>,
  outcome: TurnOutcome,
  world: World,
): string[] {
  const demo = demoOf(world);
  const counts = [...Map.groupBy(select(demo, where), (issue) => issue[by] ?? NOBODY)].map(
    ([value, issues]) => ({ value, count: issues.length }),
  );
  const data = outcome.results.findLast(({ ok }) => ok)?.data;
  const groups =
    isObject(data) && Array.isArray(data.groups) ? (data.groups as unknown[]).filter(isObject) : [];
  const isRight = counts.every(({ value, count }) => {
    const names = [value, demo.people.get(value), demo.projects.get(value)].filter(
      (one) => one !== undefined,
    );
    return groups.some((group) => {
      const text = fold(JSON.stringify(group));
      return group.count === count && (value === NOBODY || names.some((name) => text.includes(fold(name))));
    });
  });
  if (isRight && groups.length === counts.length) return [];
  const wanted = counts.map(({ value, count }) => `${value} ${count}`).join(", ");
  return [`expected ${wanted}, ${groups.length === 0 ? seen(outcome) : `got ${JSON.stringify(groups)}`}`];
}

/** Where an issue has no assignee. Servers name that group in different ways. */
const NOBODY = "none";

/** An issue's key in the reply that neither the demo nor anybody has named. */
function inventedKey({ said, outcomes }: Judged, { demo }: World): string | undefined {
  if (demo === undefined) return undefined;
  const known = new Set(demo.issues.map(({ key }) => key));
  const projects = [...demo.projects.keys()].join("|");
  const named = plainReply(outcomes.at(-1)).match(new RegExp(String.raw`\b(?:${projects})-\d+\b`, "g")) ?? [];
  const words = said.join(" ").toUpperCase();
  return named.find((key) => !known.has(key) && !words.includes(key));
}

/** The key or id in that row of the last list before the last turn. */
export function rowOf(outcomes: TurnOutcome[], row: number): string | undefined {
  const last = outcomes
    .slice(0, -1)
    .map(({ results }) => lastList(results))
    .findLast((one) => one !== undefined);
  return last?.ids.at(row > 0 ? row - 1 : row);
}

function isSame(made: Call, wanted: Call, world: World): boolean {
  if (made.tool !== wanted.tool) return false;
  if (wanted.server !== undefined && wanted.server !== made.server) return false;
  return differences(made.args, wanted.args, schemaOf(made, world)).length === 0;
}

function schemaOf({ server, tool }: Call, world: World): object {
  return world.tools.get(`${server}.${tool}`)?.schema ?? {};
}

/** A change that was approved stands both among the proposals and the results. */
function uniqueCalls(calls: Call[]): Call[] {
  return [...new Map(calls.map((call) => [`${call.tool} ${JSON.stringify(call.args)}`, call])).values()];
}

function lastOf({ outcomes }: Judged): TurnOutcome {
  return outcomes.at(-1) ?? { reply: "", results: [], proposals: [], offers: [] };
}

function demoOf({ demo }: World): DemoData {
  if (demo === undefined)
    throw new Error("expected a case of the demo: keys, row, count and groups need its data");
  return demo;
}

function hasAll(ids: string[], wanted: Set<string>): boolean {
  const have = new Set(ids);
  return [...wanted].every((id) => have.has(id));
}

/** What the person reads, without the note on who planned, the marks of sources and the addresses of links. */
function plainReply(outcome: TurnOutcome | undefined): string {
  return (outcome?.reply ?? "")
    .replace(/\n+_Planned by.*$/s, "")
    .replaceAll(/\[source \d+\]|(?<=\])\(https?:[^\s)]*\)/g, "");
}

function seenText(outcome: TurnOutcome): string {
  const shown = outcome.results.filter(({ ok }) => ok).map(({ data, card }) => JSON.stringify([data, card]));
  return [plainReply(outcome), ...shown].join("\n");
}

function seen(outcome: TurnOutcome): string {
  const ids = shownOf(outcome.results).at(0)?.ids;
  const made = outcome.results.map(shownCall).join(", ");
  return made === "" ? `got: ${plainReply(outcome)}` : `got ${ids?.join(" ") || "none"} of ${made}`;
}

/** One line for reports. */
export function shownCall({ tool, args }: { tool: string; args: Args }): string {
  return `${tool}(${JSON.stringify(args).slice(1, -1)})`;
}

function useless(why: string): Judgement {
  return { verdict: "useless", why: why.replaceAll(/\s+/g, " ") };
}

function harmful(why: string): Judgement {
  return { verdict: "harmful", why };
}

/** Whether an alternative names this call. */
export function expects(expect: Expectation, call: Call, world: World): boolean {
  const made = world.canonical(call);
  return (expect.one_of ?? [expect]).some((one) =>
    one.calls?.some((wanted) => isSame(made, world.canonical(wanted), world)),
  );
}

import type { JsonObject } from "#contract/json.ts";
import { byList, type Listed, orderOf } from "./by-list.ts";
import type { Plan } from "./choices.ts";
import { asPlainEdit } from "./edits.ts";
import { followUp, lastRead } from "./follow-up.ts";
import { toSearch } from "./jql.ts";
import { inPlainWords } from "./plain.ts";
import { namesRow, type Referents } from "./refer.ts";
import { ALL_PROJECTS } from "./restate.ts";
import { FINAL, type Scene, type Step, toFillContext } from "./scene.ts";
import { type CallCommand, isSameCall, toCommand } from "./stages.ts";
import { readWish, unwrap } from "./wish.ts";

/** What is about what was shown before. */
const POINTS =
  /^\W*(?:and|but|only|just|now|then|same|also|what about|how about)\b|\bwhich ones\b|\b(?:them|those|these|of it|there|that|this)\b/i;
const ON_TOP = /\b(?:on|at the) top\b/i;
const THINGS =
  /\b(?:issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|things?|stuff|work|items?|cards?|what|which|everything|anything)\b/i;

/**
 * The search, or the count, that a message asks for in whatever words, where it is about nothing that is on the screen
 * and the rules, which read `plan` out of it, understand less of it.
 */
export function listStep(scene: Scene, plan: Plan, referents: Referents): Step | undefined {
  const { input, index, dates, verbs, named, said } = scene;
  const { now, known = [], observations, history } = input;
  if (!index.hasKeys || named === undefined || said === undefined) return undefined;
  // What is said in its own words is that, and nothing else.
  if ([said, named].some((text) => asPlainEdit(unwrap(text).text, known) !== undefined)) return undefined;
  const isEpic = (id: string): boolean => known.some((one) => one.kind === "epic" && one.id === id);
  const keys = readWish(named, verbs).keys.map(({ value }) => value.toUpperCase());
  if (!keys.every(isEpic)) return undefined;
  const isAboutShown =
    (history.length > 0 || input.quote !== undefined) &&
    (POINTS.test(said) ||
      namesRow(said, referents) ||
      followUp({ ...input, observations: [] }, index, verbs, toFillContext(scene), referents) !== undefined);
  const sorted = isAboutShown && !ON_TOP.test(said) ? undefined : sortedAnew(scene, said);
  const read = isAboutShown || sorted ? undefined : byList(asked(scene, said), { now, dates, known });
  const listed = read !== undefined && leavesOut(said, read) ? undefined : read;
  const commands = plan.stages.flatMap((stage) => [...stage.reads, ...stage.commands]);
  // What the rules take for a change, or a look at an epic, is a list only where nobody would read it otherwise.
  const isOther = keys.length > 0 || commands.some(({ command }) => command === "TASK");
  if (!sorted && (listed === undefined || (isOther && !listed.isSure))) return undefined;
  const calls = sorted ? [sorted] : listed ? toCalls(scene, listed) : [];
  if (calls.length === 0) return undefined;
  const [seen] = observations;
  if (seen)
    return calls.some((call) => isSameCall(seen, call)) ? { commands: [FINAL], isAnchored: true } : undefined;
  const [call] = calls;
  const isTheirs = calls.length === 1 && call !== undefined && isFuller(commands, plan, call.args);
  return isTheirs
    ? undefined
    : { commands: calls, isAnchored: sorted !== undefined || listed?.isSure === true };
}

const COUNTS = /^(?:\S+\s+){0,5}(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)/i;

/** A message without what is told behind the question, and what stands around it. */
function asked({ told = [], input: { known = [] } }: Scene, said: string): string {
  // "Five are enough"
  const behind = told.find(
    (part) => !COUNTS.test(part) && said.replace(/[\s.!]+$/, "").endsWith(part.replace(/[\s.!]+$/, "")),
  );
  const rest =
    behind === undefined ? said : said.slice(0, said.lastIndexOf(behind.replace(/[\s.!]+$/, ""))).trim();
  const names = known.flatMap(({ id, name }) => [id, name]);
  return inPlainWords(rest === "" ? said : rest, names)
    .replaceAll(/\bw\/o\s+/gi, "without ")
    .replaceAll(ALL_PROJECTS, "");
}

/** What a message says in so many words, and the conditions that say so: one of them, or of a JQL its words. */
const SAID: readonly (readonly [said: RegExp, condition: RegExp])[] = [
  [
    /\bmy (?:(?:open|closed|own|\p{L}+ priority) )?(?:issues|tickets|bugs|tasks|stories)\b/iu,
    /"(?:assignee|reporter)"|assignee|reporter/,
  ],
  [
    /\b(?:that|which) (?:nobody|no[ -]one) (?:has(?! \p{L}+)|owns|works on)\b|\bunassigned\b/iu,
    /"assignee":"none"|assignee is EMPTY/,
  ],
  [
    /^\W*(?:\p{L}+ ){0,5}closed (?:issues|tickets|bugs|tasks|stories)\b/iu,
    /"status_category":"done"|"status":"Done"|statusCategory = Done/,
  ],
  [/\b(?:per|by) (?:label|epic)\b/i, /"group_by"/],
  [
    /\bat\s+(?:least|most)\s+(?:high|medium|low)\b|\b(?:high|medium|low)(?:\s+prio(?:rity)?)?\s+(?:or|and)\s+(?:higher|above|lower|below)\b|\b(?:higher|above|lower|below|urgent|important)\s+(?:than\s+)?(?:high|medium|low)\b/i,
    /priority in|"priority":"[^"]*,/,
  ],
  [/\bcreated (?:last|this) (?:week|month)\b/i, /created/],
  [/\bupdated (?:today|yesterday|(?:last|this) (?:week|month))\b/i, /updated/],
];

/** What is said not to be so, but for what a search has an argument for: what is not done, not begun, or nobody's. */
const NEGATED =
  /(?:\b(?:is|are|was|were|has|have|had|does|do|did|s)n['’]?t|\bnot|\b(?:except|excluding|other\s+than|apart\s+from|besides|minus|neither|leav(?:e|ing)\s+out|no(?=\s+(?:bugs|tasks|stories|epics)\b)|without(?=\s+(?:those|the\s+ones|what|any(?:thing)?)\b)))(?![\p{L}])(?!(?:\s+(?:yet|been|being|already|quite|even|the|those|that|are|is|an?|any|have|has))*\s+(?:done|closed|finished|resolved|completed|fixed|solved|started|begun|assigned(?!\s+to)|taken|owner|assignee|only|sure|that|much|many))/iu;

/** Whether what was learnt of lists misses what the message says in so many words. */
function leavesOut(said: string, { args }: Listed): boolean {
  const conditions = JSON.stringify(args);
  if (NEGATED.test(said) && args["jql"] === undefined) return true;
  return SAID.some(([words, condition]) => words.test(said) && !condition.test(conditions));
}

/** "Oldest first please", after a list, is that list in this order. */
function sortedAnew({ input, index }: Scene, said: string): CallCommand | undefined {
  const before = lastRead(input, index);
  if (!before?.entry.slots.some(({ name }) => name === "order_by") || THINGS.test(said)) return undefined;
  const order = orderOf(said, { known: input.known ?? [] });
  return order && toCommand(before.entry, { ...before.args, ...order }, false);
}

/** The calls of the one tool that can bring it: one, or one for each of several projects. */
function toCalls({ index }: Scene, { form, args: conditions, projects }: Listed): CallCommand[] {
  const each = projects.length === 0 ? [conditions] : projects.map((project) => ({ project, ...conditions }));
  const [calls, ...others] = index.entries.flatMap((entry) => {
    const isOwn = !entry.changing && entry.intents.has(form === "count" ? "count" : "search");
    const all = isOwn ? each.map((one) => toSearch(one, entry)) : [];
    const known = all.filter((args) => args !== undefined);
    return known.length === 0 || known.length < all.length
      ? []
      : [known.map((args) => toCommand(entry, args, false))];
  });
  return others.length > 0 ? [] : (calls ?? []);
}

/** Whether what the rules understand is the whole message, and more of it. */
function isFuller([own, ...more]: readonly CallCommand[], { notice }: Plan, args: JsonObject): boolean {
  if (own === undefined || more.length > 0 || notice !== undefined || Object.hasOwn(own.args, "query"))
    return false;
  const [theirs, read] = [conditionsOf(own.args), conditionsOf(args)];
  return theirs.size > read.size && [...read].every((name) => theirs.has(name));
}

/** What the conditions of a call are about, whichever of their arguments says it. */
function conditionsOf(args: JsonObject): Set<string> {
  return new Set(
    Object.keys(args).map((name) =>
      name.replace(/^order_by$/, "order").replace(/_(?:category|after|before)$/, ""),
    ),
  );
}

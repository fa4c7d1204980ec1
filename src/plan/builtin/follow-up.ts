import type { JsonObject } from "#contract/json.ts";
import type { PastTurn, PlanInput } from "#contract/plan.ts";

import { PAGE, WORK } from "./nouns.ts";
import { pageWish } from "../../base/paging.ts";
import type { Choice } from "./choose.ts";
import { dayAfter, toDay } from "./dates.ts";
import { fill } from "./fill.ts";
import { type FillContext, isLimit } from "./filling.ts";
import { withoutClauses, withoutConflict } from "./jql.ts";
import type { Referents } from "./refer.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Verbs } from "./verbs.ts";
import { readWish, unwrap } from "./wish.ts";
import { NUMBER_WORDS, stemOf } from "./words.ts";

const LEAD =
  /^(?:(?:and|but|keep(?= (?:only|just)\b)|what(?= (?:has|have|is|are)\b(?! (?:a|the) status))|hm+|only|just|now|then|what about|how about|ok|same|again|rather|actually|no|i meant?|the|show(?: me)?|list|give me|tell me|count|filter(?:ed)?(?: by| to)?|narrow(?: it| them)?(?: down)? to|(?:restrict|reduce|keep|cut|shorten|change|switch)(?: it| them| that| the list)?(?: down)?(?: to)?|limit(?: it| them)? to|sort(?: them| it| those)?|order(?: them| it| those)?|which(?: ones?)?(?: of (?:them|those|these))?(?: is| are)?|(?:is|are) any(?: of (?:them|those|these))?|any(?: of (?:them|those|these))?|any|those|them|these|ones?|that are|which are|of|for|with|from|who(?:se)? are)(?=[\s,]|$)[\s,]*)+/i;
const HOW_MANY =
  /^(?:and\s+)?how many(?:\s+(?:are|is|were)?\s*(?:that|those|these|they|it|of them|there|in total|all in all|results?|ones?)?(?:\s+(?:in total|altogether|all in all))?)?\W*$/i;
/** "Count issues in DEMO by assignee" says of what and where. */
const COUNTS_ANEW = new RegExp(
  `^(?:count|how many)\\s+(?:all\\s+|the\\s+|open\\s+)*(?:${WORK}|stories|${PAGE})s?\\s+(?:are\\s+)?(?:there\\s+)?(?:in|of|for)\\s+`,
  "iu",
);
/** "list them", after they were counted */
const SHOW_THEM =
  /^(?:and\s+)?(?:which|what)(?:\s+(?:ones?|issues|tickets|bugs|pages))?(?:\s+(?:are|is)\s+(?:they|those|these|that))?\W*$|^(?:and\s+)?(?:list|show|see|display|give|which)(?:\s+me)?(?:\s+(?:are|is))?\s+(?:them|those|these|they|which(?:\s+ones?)?)(?:\s+all)?(?:\s+then)?\W*$|^(?:and\s+|now\s+)?(?:list|show)(?:\s+me)?\W*$/i;
/** "DEMO is enough" */
const ENOUGH =
  /(?:\s+(?:is|are|would be|will be) (?:enough|fine|all (?:i|we) need|sufficient|plenty)|\s+(?:will|would) do|\s+suffices?)\W*$/i;
const OF_THOSE = /^(?:and\s+)?how many of (?:them|those|these)(?:\s+(?:are|is|were|have|has))?\s+/i;

/** A call that was made, with the tool as it is read here. */
interface Made {
  entry: ToolEntry;
  args: JsonObject;
}

/**
 * A message that only says what shall be different about the last read, as that call with the change:
 * "only open", "just in MOB", "and Chloé's?", "sorted by due date", "how many?", "next page". `last` is the
 * call to change where it is not the conversation's.
 */
export function followUp(
  input: PlanInput,
  index: ToolIndex,
  verbs: Verbs,
  around: FillContext,
  referents: Referents,
  last?: Made,
): Choice | undefined {
  const own = last ?? lastRead(input, index) ?? heldBy(input, index);
  // "What changed since yesterday?" was asked of two places: "only mine" is for the one that knows whose it is.
  const all = own === undefined ? [] : [own, ...(last === undefined ? readsBeside(own, input, index) : [])];
  return all
    .filter(({ entry }) => !entry.changing)
    .map((before) => patched(before, input, index, verbs, around, referents, last))
    .find((choice) => choice !== undefined);
}

/** A call with what the message says that shall be different about it; undefined where it says something else. */
function patched(
  before: Made,
  input: PlanInput,
  index: ToolIndex,
  verbs: Verbs,
  around: FillContext,
  referents: Referents,
  last: Made | undefined,
): Choice | undefined {
  const { rows } = referents;
  const { text: spoken, polite } = unwrap(input.message);
  const isElse = WHO_ELSE.test(spoken) && before.entry.slots.some(({ name }) => name === "assignee");
  const whole = isElse && !Object.hasOwn(before.args, "assignee") ? "without mine" : spoken;
  if (last === undefined && COUNTS_ANEW.test(whole)) return undefined;
  const { rest: text, field } = widened(whole.replace(ENOUGH, ""));
  const { jql: query, ...plain } = before.args;
  const isDropped = (name: string): boolean => field?.test(name) === true;
  const narrower =
    typeof query === "string" ? withoutClauses(query, isDropped, "!?=|(?:not\\s+)?in\\s*\\(|is\\s") : query;
  const was = narrower === undefined || narrower === "" ? plain : { ...plain, jql: narrower };
  const kept = Object.fromEntries(
    Object.entries(was).filter(([name]) => kindOf(before.entry, name) !== "cursor" && !isDropped(name)),
  );
  const call = (entry: ToolEntry, args: JsonObject): Choice => ({
    calls: [{ entry, args }],
    changing: false,
    isAnchored: true,
    earlier: Object.keys(kept),
  });
  const isWider = Object.keys(kept).length < Object.keys(before.args).length || narrower !== query;
  if (field !== undefined && text === "" && isWider) return call(before.entry, kept);
  if (HOW_MANY.test(text)) return call(...counted(before.entry, kept, index));
  if (SHOW_THEM.test(text)) {
    const listed = lister(before.entry, kept, index);
    return listed && call(...listed);
  }
  const [, each = ""] = (before.entry.intents.has("count") ? EACH : GROUPED).exec(text) ?? [];
  const group = MOST.test(text) ? "person" : each;
  const [counter, left] = group === "" ? [before.entry, kept] : counted(before.entry, kept, index);
  const grouped = group === "" ? undefined : groupedBy(group, counter);
  if (grouped) return call(counter, { ...left, ...grouped });
  // "Just MOB, by priority", behind numbers
  const [, narrowed = "", per = ""] = last === undefined ? (THEN_BY.exec(text) ?? []) : [];
  const further = before.entry.intents.has("count") ? groupedBy(per, before.entry) : undefined;
  if (narrowed !== "" && further) {
    const parted = { ...before, args: { ...kept, ...further } };
    return patched(parted, { ...input, message: narrowed }, index, verbs, around, referents, parted);
  }
  const { assignee, ...others } = kept;
  const canReport = before.entry.slots.some(({ name }) => name === "reporter");
  if (REPORTED.test(text) && typeof assignee === "string" && canReport)
    return call(before.entry, { ...others, reporter: assignee });
  const shifted = onward(text, kept, around.now);
  if (shifted) return call(before.entry, shifted);
  const most = FEW.exec(text)?.[1];
  const limit = before.entry.slots.find(isLimit);
  if (most !== undefined && limit)
    return call(before.entry, { ...kept, [limit.name]: NUMBER_WORDS[most.toLowerCase()] ?? Number(most) });
  const found = TOP.exec(text);
  const top = STALEST.test(text) ? "stalest" : (found?.[1] ?? found?.[2] ?? found?.groups?.["of"]);
  const highest = ORDERS.find(([pattern]) => pattern.test(top ?? ""))?.[1];
  const listing = highest && (lister(before.entry, kept, index) ?? ([before.entry, kept] as const));
  const shortened = listing?.[0].slots.find(isLimit);
  if (highest && listing && shortened && listing[0].slots.some(({ name }) => name === "order_by"))
    return call(listing[0], { ...listing[1], ...highest, [shortened.name]: 1 });
  const [, first = "", count = ""] = SOME.exec(text) ?? [];
  const order = ORDERS.find(([pattern]) => pattern.test(first))?.[1];
  if (order && limit && before.entry.slots.some(({ name }) => name === "order_by"))
    return call(before.entry, {
      ...kept,
      ...order,
      [limit.name]: NUMBER_WORDS[count.toLowerCase()] ?? Number(count),
    });
  // "Who opened them?" asks of each, and narrows nothing.
  if (/^(?:and\s+)?(?:who|when|why|where)\b(?!\s+(?:are|is)\b)/i.test(text)) return undefined;
  const page = pageWish(text);
  const isAfter = NEXT_ONE.test(text) && limit !== undefined && kept[limit.name] === 1;
  if (isAfter) return last ? undefined : nextPage(input, before.entry, kept, call);
  const isSecond = page === 2 && Object.keys(kept).length === Object.keys(before.args).length;
  if (page === "next" || isSecond) return last ? undefined : nextPage(input, before.entry, kept, call);
  const ofThose = OF_THOSE.exec(text)?.[0] ?? "";
  const led = ofThose || (LEAD.exec(text)?.[0] ?? "");
  // "from character 5000": to what works something out the preposition tells which argument is meant.
  const lead = before.entry.takesTopic
    ? withoutHolding(led, text)
    : led.replace(/(?:\b(?:of|for|with|from)[\s,]*)+$/i, "");
  const isLed =
    lead !== "" ||
    ((!before.entry.takesTopic || rows.length === 0) &&
      /^\W*(?:and|but|now|also|then)\b/i.test(input.message));
  const said = text.slice(lead.length).replace(WITHOUT, "without");
  const dropped = /^without\s+(?:the\s+)?(\S+?)(?:\s+(?:now|please|pls|issues|tickets|ones))*\W*$/i.exec(
    said,
  )?.[1];
  const other = dropped === undefined ? undefined : projectOf(dropped, around);
  const isPerson =
    /^\p{L}\p{Ll}+\W*$/u.test(said) &&
    /\b(?:of|for|from|about|and)\b/i.test(input.message) &&
    !isValueOf(said.replace(/\W+$/, ""), before.entry);
  const alone = /^(?:the\s+)?(.{2,30}?)\s+only\W*$/iu.exec(said)?.[1];
  const project = /\b(?:in|of|for|from)(?:\s+the)?[\s,]*$/i.test(led)
    ? projectOf(said, around)
    : alone === undefined
      ? undefined
      : projectOf(alone, around);
  const rest =
    other !== undefined
      ? `without ${other}`
      : project !== undefined || /^[A-Z][A-Z0-9_]{1,9}\W*$/.test(said)
        ? `in ${project ?? said}`
        : isPerson
          ? `${said.replace(/\W+$/, "")}'s`
          : said;
  const only = readWish(rest === "" ? text : rest, verbs);
  const wish = ofThose === "" ? only : { ...only, counts: true };
  // A wish of its own has a verb or a thing of its own, or names a record.
  if (wish.changing || wish.keys.length > 0 || wish.howTo || wish.bareSearch || wish.topic !== undefined)
    return undefined;
  const pointsBack = /\bones?\b|\b(?:them|those|these)\b/i.test(text);
  if (!wish.verbless && !wish.counts && !pointsBack && !isThingless(wish.text, before.entry))
    return undefined;
  // Of the same server a thing that the last tool knows nothing of: "list the users" behind a look at a model.
  const isKnown = (stem: string): boolean =>
    before.entry.takesTopic || before.entry.vocabulary.has(stem) || before.entry.kin.has(stem);
  const isOwnThing = index.entries.some(({ tool, objects }) =>
    wish.tokens.some(
      ({ stem, lower }) =>
        objects.has(stem) &&
        (tool.server === before.entry.tool.server
          ? !isKnown(stem)
          : !isValueOf(lower, before.entry) || before.entry.takesTopic),
    ),
  );
  if (isOwnThing || (rows.length === 0 && last === undefined && !isLed && !/\bones\W*$/i.test(text)))
    return undefined;
  // Without a word that ties it to what was found, a thing of the tool is a new wish: "open bugs in OPS".
  const isTied =
    (isLed && !before.entry.takesTopic) ||
    /\bones?\b|\bonly\W*$/i.test(text) ||
    text !== whole ||
    /^\W*(?:without|minus|except|excluding|leaving out)\b/i.test(text) ||
    /\bjust\b/i.test(polite) ||
    lead.replace(/show(?: me)?|list|give me|tell me|the|[\s,]/gi, "") !== "" ||
    last !== undefined;
  const things = wish.tokens.filter(
    ({ stem }) => before.entry.kin.has(stem) || before.entry.objects.has(stem),
  );
  if (!isTied && things.length > 0) return undefined;
  const entry = wish.counts ? counted(before.entry, kept, index)[0] : before.entry;
  for (const each of [entry, ...siblings(entry, kept, index)]) {
    const filled = fill(each, { ...wish, text: wish.text }, around);
    const query = each.slots.find(({ kind }) => kind === "query")?.name ?? "";
    const { [query]: words, ...said } = Object.fromEntries(
      Object.entries(filled.args).filter(([name]) => !filled.assumed.includes(name)),
    );
    const changes = {
      ...asWell(input.message, kept, onSameDay(said, kept, text)),
      ...(ONE.test(text) && "order_by" in said && limit ? { [limit.name]: 1 } : {}),
    };
    // "And how big is it?" names only what the last call named.
    const isSame = Object.entries(changes).every(([name, value]) => value === kept[name]);
    const isHeld =
      isSame && last === undefined && Object.keys(changes).length > 0 && HELD.test(input.message);
    if ((isSame && !isHeld) || words !== undefined || filled.stray.length > 0) continue;
    const args = withoutConflict(withKept(each, kept, changes, isPerson), each);
    // "Which of them are unassigned?", after they were counted: they are shown.
    const listed = WHICH.test(text) ? lister(each, args, index) : undefined;
    return call(...(listed ?? ([each, args] as const)));
  }
  return undefined;
}

/** "Minus mine", "leave out the ones of Emi" */
const WITHOUT =
  /^(?:(?:leave|leaving)\s+out|exclud(?:e|ing)|minus|except(?:\s+for)?|skip(?:ping)?|hide|drop|ignor(?:e|ing)|not(?=\s+(?:the|mine|my|those)\b))(?=\s)/i;
/** "I meant those she reported", of somebody's issues */
const REPORTED =
  /^(?:(?:no|oh|ah|sorry)\b\W*)*(?:i\s+mean(?:t)?\s+)?(?:only\s+|just\s+)?(?:those|the\s+ones|what|issues|tickets)\s+(?:that\s+)?(?:(?:she|he|they)\s+(?:has\s+|have\s+)?(?:reported|opened|filed|created|raised)|(?:reported|opened|filed|created|raised)\s+by\s+(?:her|him|them))(?:\s+(?:herself|himself|themselves))?\W*$/i;
/** "Who else has something there?" */
const WHO_ELSE =
  /^(?:i\s+know\s+(?:mine|my\s+own)\s*[,.;–-]\s+)?(?:and\s+)?who\s+else\b(?!.*\b(?:wiki|page)\b)[^,.;:]*\?*$/i;
/** "The next oldest", "and the one after that?", behind the first of all. */
const NEXT_ONE =
  /^(?:and\s+|ok\s+|then\s+)*(?:the\s+)?(?:(?:next|second)[ -]?(?:oldest|newest|latest|most\s+(?:urgent|important|recent)|highest|one)?|one\s+after(?:\s+(?:that|it|this))?)(?:\s+(?:please|pls))?\W*$/i;

/** "I need every priority, but the app only": which condition holds no more, and what else is said. */
function widened(text: string): { rest: string; field?: RegExp } {
  const { 0: said = "", groups: { field: every = "", of, all } = {} } =
    NO_MORE.exec(text) ?? EVERY.exec(text) ?? {};
  const field = all !== undefined ? "people" : (of ?? every);
  const [, pattern] = FIELDS.find(([name]) => name.test(field)) ?? [];
  if (pattern === undefined) return { rest: text };
  return { rest: text.slice(said.length).replace(/^\W*(?:but|and)?\W*/i, ""), field: pattern };
}

/** "Drop the priority condition", "and from the whole team" */
const NO_MORE =
  /^(?:(?:and|now|then|but|ok(?:ay)?|please)\s+)*(?:(?:drop|remove|forget|lift|skip|ignore|without)\s+(?:the\s+)?(?<field>priority|prio|state|status|type|project|person|people|assignee|label)s?(?:['’]s)?\s+(?:condition|filter|part|limit|restriction)|(?:drop|forget|ignore|skip)\s+(?:the\s+)?(?<of>priority|prio|state|status|type|project|person|assignee|label)s?|(?:from|of|for|in|across)\s+(?:the\s+)?(?:whole|entire)\s+(?<all>team|company|house))(?:\s+(?:please|pls|now))*\W*$/i;
const EVERY =
  /^(?:(?:and|ok|now|then|rather|but|of|with|in|i need|give me|show(?: me)?|make (?:it|that)|take)\s+)*(?:all|every|any)\s+(?:the\s+)?(?<field>priorit(?:y|ies)|states?|status(?:es)?|types?|kinds?|projects?|teams?|people|assignees?|labels?)(?:\s+again)?(?=\W*$|,|\s+but\b)/i;
const FIELDS: readonly (readonly [said: RegExp, name: RegExp])[] = [
  [/^prio/i, /^priority$/],
  [/^stat/i, /^status/],
  [/^(?:type|kind)/i, /^type$/],
  [/^(?:project|team)/i, /^project$/],
  [/^(?:people|person|assignee)/i, /^assignee$/],
  [/^label/i, /^labels$/],
];

/** "Only bugs", behind a list of bugs: it is that list, and no other. */
const HELD = /^\W*(?:(?:and|but|now|then|ok(?:ay)?)\W+)*(?:only|just|keep|in|for)\b/i;
const WHICH = /^(?:and\s+|so\s+)?(?:which|show|list|what(?:['’]?s|\s+is|\s+are))\b/i;

/** "And high?", "and tasks?": a word that is no name of anybody. */
function isValueOf(word: string, { slots }: ToolEntry): boolean {
  const lower = word.toLowerCase();
  return (
    COMMON_VALUE.test(word) || slots.some(({ values }) => values.some((one) => one.toLowerCase() === lower))
  );
}

const COMMON_VALUE = new RegExp(
  `^(?:highest|high|medium|low|lowest|urgent|critical|minor|major|${WORK}s?|stories|open|closed|done|unassigned|overdue|blocked)$`,
  "i",
);

/** "For the app": the one project that has this word in its name. */
function projectOf(said: string, { known = [] }: FillContext): string | undefined {
  const lower = said.replace(/\W+$/, "").toLowerCase();
  const own = known.filter(
    ({ kind, name }) =>
      kind === "project" && [name, ...name.split(" ")].some((each) => each.toLowerCase() === lower),
  );
  return own.length === 1 ? own[0]?.id : undefined;
}

/** "Only those with a due date": whether they have one is what is asked. */
function withoutHolding(lead: string, text: string): string {
  const holds = /^(?:an?\s+|any\s+|no\s+|the\s+)?(?:due date|deadline|labels?|tags?|epic|parent|assignee)\b/i;
  return holds.test(text.slice(lead.length)) ? lead.replace(/\b(?:with|of)[\s,]*$/i, "") : lead;
}

/** "And the week after?", of what is due in a week: the same of the next one; of what is new, the days before. */
function onward(text: string, kept: JsonObject, now: Date): JsonObject | undefined {
  const days = LAST_DAYS.exec(text)?.[1];
  const since = Object.entries(kept).find(([name]) => /^(?:created|updated)_after$/.test(name))?.[0];
  if (days !== undefined && since !== undefined && kept[since.replace("_after", "_before")] === undefined)
    return { ...kept, [since]: dayAfter(toDay(now), -Number(days)) };
  const [, count = "1", unit = "", way = ""] = ONWARD.exec(text) ?? [];
  const ends = Object.entries(kept).flatMap(([name, value]) =>
    /_(?:after|before)$/.test(name) && typeof value === "string" && ISO_DAY.test(value)
      ? [[name, value] as const]
      : [],
  );
  if (unit === "" || ends.length === 0) return undefined;
  const isBack = /before/i.test(way);
  if (/^month/i.test(unit)) return count === "1" ? monthOn(kept, ends, isBack) : undefined;
  const span = (NUMBER_WORDS[count.toLowerCase()] ?? Number(count)) * (/^week/i.test(unit) ? 7 : 1);
  const moved = ends.map(([name, value]) => [name, dayAfter(value, isBack ? -span : span)] as const);
  const [[name, value] = ["", ""], ...more] = ends;
  const isOpen = more.length === 0 && name.endsWith("_after");
  // What has no end yet has nothing after it.
  if (isOpen && !isBack) return undefined;
  const end = isOpen ? { [name.replace(/_after$/, "_before")]: dayAfter(value, -1) } : {};
  return { ...kept, ...Object.fromEntries(moved), ...end };
}

/** The same of the whole month after or before, where a whole month was asked for. */
function monthOn(
  kept: JsonObject,
  ends: readonly (readonly [string, string])[],
  isBack: boolean,
): JsonObject | undefined {
  const from = ends.find(([name]) => name.endsWith("_after"));
  const to = ends.find(([name]) => name.endsWith("_before"));
  if (
    !from ||
    !to ||
    ends.length > 2 ||
    !from[1].endsWith("-01") ||
    from[1].slice(0, 7) !== to[1].slice(0, 7)
  )
    return undefined;
  const [year = 0, month = 0] = from[1].split("-").map(Number);
  const first = new Date(year, month - 1 + (isBack ? -1 : 1), 1, 12);
  const last = new Date(first.getFullYear(), first.getMonth() + 1, 0, 12);
  return { ...kept, [from[0]]: toDay(first), [to[0]]: toDay(last) };
}

/** "And last 30?", of what is new in seven days */
const LAST_DAYS =
  /^(?:(?:and|hm+|ok|what about|how about|in|for|the)\s+)*(?:last|past)\s+(\d{1,3})(?:\s+days)?\W*$/i;
const ONWARD =
  /^(?:(?:and|what about|how about|ok|then|in|hm+)[\s,]+)*the\s+(?:(\d{1,2}|two|three|four|five|six|seven|ten)\s+)?(weeks?|days?|months?)\s+(after|before)(?:\s+(?:that|this|it|them|those))?\W*$/i;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/** "Show only 3" */
const FEW =
  /^(?:(?:and|now|please|show|list|give|me|the)\s+)*(?:only|just|first|top)(?:\s+(?:the|first|top|show|me))*\s+(\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)(?:\s+(?:of (?:them|those|these)|results?|rows?|ones?))?\W*$/i;
/** "Oldest three" */
const SOME =
  /^(?:and\s+)?(?:the\s+)?(oldest|newest|latest|most recent|most urgent|most important|highest)\s+(\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)(?:\s+(?:of (?:them|those|these)|ones?))?\W*$/i;
/** "What's the highest one?" */
const TOP =
  /^(?:and\s+)?(?:(?:what|which(?:\s+one)?)(?:['’]?s|\s+is)|show(?:\s+me)?)\s+(?:the\s+(oldest|newest|latest|most recent|most urgent|most important|highest)\s+one|(due)\s+(?:first|next|soonest|earliest))\W*$|^(?:and\s+|so\s+)?(?:(?:what|which(?:\s+one)?)(?:['’]?s|\s+is)\s+|show(?:\s+me)?\s+)?(?:the\s+)?(?<of>oldest|newest|latest|most recent|most urgent|most important|highest)(?:\s+one)?\s+(?:of|among|in)\s+(?:the\s+bunch|them(?:\s+all)?|those|these|all\s+of\s+(?:them|those|these))\W*$/i;
const STALEST =
  /^(?:and\s+)?(?:which|what)(?:\s+(?:one|ticket|issue|bug))?\s+(?:has\s+(?:gone|been|sat)\s+(?:the\s+)?longest\s+without\s+(?:an?\s+|any\s+)?(?:update|change)s?|(?:was|is)\s+(?:the\s+)?(?:stalest|quietest|longest\s+(?:untouched|quiet))|(?:was|has)\s+not\s+(?:been\s+)?(?:updated|touched|changed)\s+(?:for\s+)?the\s+longest)(?:\s+time)?\W*$/i;
const ORDERS: readonly (readonly [RegExp, JsonObject])[] = [
  [/^stalest/i, { order_by: "updated", order: "asc" }],
  [/^oldest/i, { order_by: "created", order: "asc" }],
  [/^(?:newest|latest|most recent)/i, { order_by: "created", order: "desc" }],
  [/^(?:most (?:urgent|important)|highest)/i, { order_by: "priority", order: "desc" }],
  [/^due/i, { order_by: "due", order: "asc" }],
];
/** "The oldest?" */
const ONE = /^(?:and\s+)?(?:(?:which|what)(?:\s+one)?\s+is\s+)?the\s+(?:most\s+)?\p{L}+(?:\s+one)?\W*$/iu;

/** "And next week?", of what is due this week: the same day of each is meant, where no other is named. */
function onSameDay(said: JsonObject, kept: JsonObject, text: string): JsonObject {
  const fieldsOf = (args: JsonObject): string[] => [
    ...new Set(Object.keys(args).flatMap((name) => /^(.+)_(?:after|before)$/.exec(name)?.[1] ?? [])),
  ];
  const [[before, ...more], [now = "", ...others]] = [fieldsOf(kept), fieldsOf(said)];
  const isNamed =
    /\b(?:due|deadline|created?|new|opened|reported|updated?|changed|touched|modified|stale|quiet)\b/i.test(
      text,
    );
  if (before === undefined || now === before || more.length + others.length > 0 || now === "" || isNamed)
    return said;
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name.replace(new RegExp(`^${now}_`), `${before}_`), value]),
  );
}

/** "Group them by assignee", after a list. */
const GROUPED =
  /^(?:(?:and|now|please)\s+)*(?:group|split|break|count)\p{L}*(?:\s+(?:it|them|those|these|that))?(?:\s+(?:down|up))?\s+(?:by|per)\s+(\p{L}+)\W*$/iu;

/** "And by priority?", after something was counted. */
const EACH =
  /^(?:(?:and|now|split|grouped?|break (?:it|them|that) down|count(?: them)?)\s+)*(?:by|per|for each)\s+(\p{L}+)\W*$/iu;

const THEN_BY = /^(.{2,60}?)\s*,\s+(?:and\s+|then\s+)?(?:by|per)\s+(\p{L}+)\W*$/iu;
/** "Who has the most of them?" */
const MOST =
  /^(?:and\s+)?who(?:['’]s)?\s+(?:has|have|got|with)\s+(?:got\s+)?(?:the\s+)?(?:most|how many)(?:\s+of\s+(?:them|those|these))?\W*$/i;

/** The argument by which a tool groups, where it takes one of this name. */
function groupedBy(group: string, { slots }: ToolEntry): JsonObject | undefined {
  const stem = stemOf(PERSON.test(group) ? "assignee" : group.toLowerCase());
  for (const { name, values } of slots) {
    const value = /group|split|by$/i.test(name) && values.find((each) => stemOf(each.toLowerCase()) === stem);
    if (value) return { [name]: value };
  }
  return undefined;
}

const PERSON = /^(?:person|people|owner|member|name|colleague)s?$/i;

/**
 * The search for what a record holds that was shown last: "which of those are open", after an epic. A tool that reads
 * by `epic_key` shows what the search of its server finds by `epic`.
 */
function heldBy(
  { history, known = [] }: PlanInput,
  { entries }: ToolIndex,
): { entry: ToolEntry; args: JsonObject } | undefined {
  const call = history.at(-1)?.calls.at(-1);
  const read = call && entries.find((each) => each.call.tool === call.tool && !each.changing);
  const [only, ...others] = Object.entries(call?.args ?? {});
  // An epic may have been read as any issue is.
  const isEpic = known.some(({ kind, id }) => kind === "epic" && id === only?.[1]);
  const holder = isEpic ? "epic" : /^(.+)_(?:key|id)$/.exec(only?.[0] ?? "")?.[1];
  if (!read || !only || others.length > 0 || holder === undefined) return undefined;
  const search = entries.find(
    (each) =>
      each.tool.server === read.tool.server &&
      each.intents.has("search") &&
      each.slots.some((slot) => slot.name === holder),
  );
  return search && { entry: search, args: { [holder]: only[1] } };
}

/**
 * The last arguments with what is different now. A name alone says of whom instead: where they were for a reporter,
 * it is another reporter.
 */
function withKept(entry: ToolEntry, args: JsonObject, changes: JsonObject, isPerson: boolean): JsonObject {
  const kept = withoutState(pick(args, entry), changes);
  const people = entry.slots.filter(({ kind }) => kind === "person").map(({ name }) => name);
  const [before, ...others] = people.filter((name) => Object.hasOwn(kept, name));
  const [now] = people.filter((name) => Object.hasOwn(changes, name));
  if (!isPerson || before === undefined || others.length > 0 || now === undefined || now === before)
    return { ...kept, ...changes, ...withBoth(kept, changes) };
  const { [now]: person = null, ...rest } = changes;
  return { ...kept, ...rest, ...withBoth(kept, rest), [before]: person };
}

/** "Which of those has a deadline", of what was looked for by a query: both hold. */
function withBoth({ jql: was }: JsonObject, { jql: now, ...changes }: JsonObject): JsonObject {
  // "And Farid?", behind a query for what Dmitri has: his is the one that is asked for now.
  const isSaid = (name: string): boolean => Object.hasOwn(changes, name);
  const before = typeof was === "string" ? withoutClauses(was, isSaid, "=|in\\s*\\(") || was : was;
  if (typeof before === "string" && before !== was && typeof now !== "string") return { jql: before };
  if (typeof before !== "string" || typeof now !== "string" || /\border\s+by\b/i.test(before)) return {};
  // What stands in parentheses, and in those within, is one condition already; so is what is quoted.
  const isAlternative = (jql: string): boolean => {
    const outer = jql
      .replaceAll(/"[^"]*"/g, "")
      .replaceAll(/\([^()]*\)/g, "")
      .replaceAll(/\([^()]*\)/g, "");
    return /\bor\b/i.test(outer);
  };
  const side = (jql: string): string => (isAlternative(jql) ? `(${jql})` : jql);
  return { jql: `${side(before)} AND ${side(now)}` };
}

/** "And in review as well", behind what is in progress: both. */
function asWell(message: string, kept: JsonObject, said: JsonObject): JsonObject {
  if (!/\b(?:as\s+well|too|also|plus)\b/i.test(message)) return said;
  const both = ["status", "priority", "type"].flatMap((name): [string, string][] => {
    const [before, now] = [kept[name], said[name]];
    const isNew = typeof before === "string" && typeof now === "string" && !before.split(", ").includes(now);
    return isNew ? [[name, `${before}, ${now}`]] : [];
  });
  return { ...said, ...Object.fromEntries(both) };
}

/** "And how many are done?", behind what is open: a state and what rules it out are no two conditions. */
function withoutState(kept: JsonObject, changes: JsonObject): JsonObject {
  const { status, status_category: category } = { ...kept, ...changes };
  if (typeof status !== "string" || typeof category !== "string") return kept;
  const isOver = /\b(?:done|closed|resolved|won['’]?t)/i.test(status);
  if (Object.hasOwn(changes, "status") === Object.hasOwn(changes, "status_category")) return kept;
  const isBegun = /\b(?:progress|review)\b/i.test(status);
  const isSame = isOver === /^(?:done|closed)$/i.test(category);
  // "The ones she has not started", of what is in progress
  if (isSame && !(isBegun && /^(?:todo|to do|new)$/i.test(category))) return kept;
  const { [Object.hasOwn(changes, "status") ? "status_category" : "status"]: _, ...rest } = kept;
  return rest;
}

/** Other reads of the same record, which may take what the last one does not: "and just its first 5 lines". */
function siblings(entry: ToolEntry, args: JsonObject, { entries }: ToolIndex): ToolEntry[] {
  if (entry.takesTopic) return [];
  const names = Object.keys(args);
  return entries.filter(
    (each) =>
      each !== entry &&
      !each.changing &&
      each.tool.server === entry.tool.server &&
      names.length > 0 &&
      names.every((name) => each.slots.some((slot) => slot.name === name)) &&
      each.slots.every(({ name, required }) => !required || names.includes(name)),
  );
}

function isThingless(text: string, { kin }: ToolEntry): boolean {
  return !/\s\w+\s\w+\s\w+\s\w+/.test(text) && kin.size > 0;
}

function kindOf({ slots }: ToolEntry, name: string): string | undefined {
  return slots.find((slot) => slot.name === name)?.kind;
}

function pick(args: JsonObject, { slots }: ToolEntry): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter(([name]) => slots.some((slot) => slot.name === name)),
  );
}

/** The conversation's last call, where it looked for something or worked something out. */
export function lastRead({ history }: PlanInput, index: ToolIndex): Made | undefined {
  return madeOf(history.at(-1)?.calls.at(-1), index);
}

/** The other reads of the last turn, the last first. */
function readsBeside(own: Made, { history }: PlanInput, index: ToolIndex): Made[] {
  const calls = history.at(-1)?.calls ?? [];
  return calls
    .toReversed()
    .flatMap((call) => madeOf(call, index) ?? [])
    .filter(({ entry }) => entry.tool.server !== own.entry.tool.server);
}

function madeOf(call: PastTurn["calls"][number] | undefined, { entries }: ToolIndex): Made | undefined {
  const entry =
    call &&
    entries.find(
      (each) =>
        each.call.tool === call.tool &&
        Object.entries(each.call.args).every(([name, value]) => call.args[name] === value),
    );
  const isList =
    entry !== undefined &&
    (["search", "list", "count"].some((intent) => entry.intents.has(intent as "search")) ||
      !entry.takesTopic);
  return call && entry && isList ? { entry, args: call.args } : undefined;
}

/** The tool of the same server that counts what this one finds, where there is one. */
function counted(entry: ToolEntry, args: JsonObject, { entries }: ToolIndex): [ToolEntry, JsonObject] {
  const counter = entries.find(
    (each) =>
      each.tool.server === entry.tool.server &&
      each.intents.has("count") &&
      each.slots.some(({ name }) => Object.hasOwn(args, name)),
  );
  const limits = new Set(["limit", "order_by", "order"]);
  const kept = Object.fromEntries(Object.entries(args).filter(([name]) => !limits.has(name)));
  return counter ? [counter, pick(kept, counter)] : [entry, args];
}

/** The tool of the same server that lists what this one counts. */
function lister(
  entry: ToolEntry,
  counted: JsonObject,
  { entries }: ToolIndex,
): [ToolEntry, JsonObject] | undefined {
  if (!entry.intents.has("count")) return undefined;
  const { group_by: _, ...args } = counted;
  const found = entries.find(
    (each) =>
      each.tool.server === entry.tool.server &&
      each.intents.has("search") &&
      Object.keys(args).every((name) => each.slots.some((slot) => slot.name === name)),
  );
  return found && [found, args];
}

function nextPage(
  { history }: PlanInput,
  entry: ToolEntry,
  args: JsonObject,
  call: (entry: ToolEntry, args: JsonObject) => Choice,
): Choice | undefined {
  const turn = history.at(-1);
  const next = turn?.permit === undefined ? undefined : turn.shown?.reveal(turn.permit).next;
  const slot = entry.slots.find(({ kind }) => kind === "cursor");
  if (next !== undefined && slot) return call(entry, { ...args, [slot.name]: next });
  const page = entry.slots.find(({ kind, words }) => kind === "integer" && words.join(" ") === "page");
  const at = page && args[page.name];
  return page && call(entry, { ...args, [page.name]: (typeof at === "number" ? at : 1) + 1 });
}

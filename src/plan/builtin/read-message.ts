import type { ArgSources, PlanInput } from "#contract/plan.ts";
import { splitName } from "../slot.ts";
import { entryOf } from "./choose.ts";
import { withEpicKeys } from "./containers.ts";
import { correctionOf } from "./correction.ts";
import { dictated } from "./dictated.ts";
import { asFragment, asNoteOf } from "./fragment.ts";
import { asAnswerNote, withoutAnswer } from "./keep-answer.ts";
import { itemsOf } from "./lines.ts";
import type { NewRecord } from "./creating.ts";
import type { Around } from "./issue-draft.ts";
import { asNewIssue } from "./new-issue.ts";
import { asSeveralNew } from "./several-new.ts";
import { handedOver, withPeople } from "./people.ts";
import { asAppended } from "./page-text.ts";
import { withKeyOnScreen } from "./on-screen.ts";
import { inPlainWords } from "./plain.ts";
import { toReferents, withLinked } from "./refer.ts";
import { corrected, lookedAt, meant } from "./rephrase.ts";
import { restated } from "./restate.ts";
import { asOrders, type Scene, TITLED, withoutPictures } from "./scene.ts";
import { foreground } from "./sentences.ts";
import { withDetails } from "./several.ts";
import { spelled, withApostrophes, withSpacedKeys } from "./spelling.ts";
import { asNewPage } from "./new-page.ts";
import { type Linked, withNamedOne, withTitledKeys } from "./titles.ts";
import { noted, withComment, withToldNote } from "./told.ts";
import { type ToolIndex } from "./tool-index.ts";
import { NEXT, readWish, unwrap } from "./wish.ts";

/** What a planner reads messages with. */
export type Reader = Pick<Scene, "index" | "verbs" | "dates">;

export function toScene(given: PlanInput, text: string, reader: Reader): Scene {
  const { index, verbs, dates } = reader;
  const { known = [] } = given;
  const correction = correctionOf(text, given.history, known);
  // The question before, of something else, is whole without it.
  const input = correction?.asks === true ? { ...given, history: [] } : given;
  const whole = correction?.text ?? text;
  const around = (): Around => aroundIn(input);
  const order =
    asNewPage(whole, known) ?? asSeveralNew(whole, known, around) ?? asNewIssue(whole, known, around);
  // "A bug, in DEMO" answers a question.
  const made = order?.order.includes(" titled ") === true ? order : (behindNew(input, index) ?? order);
  const items = (made === undefined ? itemsOf(whole, verbs) : [made.order, ...made.further]).map((item) =>
    inPlainOrders(item, input, reader, made !== undefined),
  );
  const scene = {
    input,
    index,
    verbs,
    dates,
    put: Object.assign({}, ...items.map(({ put }) => put)) as ArgSources,
  };
  const told = [...(made?.told ?? []), ...items.flatMap((item) => item.told)];
  const [only, ...others] = items;
  return {
    ...scene,
    ...(correction?.replaces && { replaces: true as const }),
    ...(correction?.asks && { asks: correction.text }),
    told,
    said: made?.order ?? whole,
    ...(only === undefined || others.length > 0 ? {} : { named: only.named }),
    input: { ...input, message: items.map((item) => item.text).join(NEXT) },
  };
}

/** What a message says in plain words, with the keys of what it calls by its name. */
function inPlainOrders(
  given: string,
  input: PlanInput,
  { index, verbs, dates }: Reader,
  isPlain = false,
): Linked & { told: string[]; named: string } {
  const known = input.known ?? [];
  const referents = toReferents(input, []);
  const canAppend = index.entries.some(({ slots }) => slots.some(({ name }) => name === "append"));
  const edit = canAppend ? asAppended(given, referents, known) : undefined;
  if (edit !== undefined) return { text: edit, put: {}, told: [], named: edit };
  const keyed = index.hasKeys ? withSpacedKeys(given, known) : given;
  const said = keyed.replace(FOR_DOING, "$1").replace(THANKS_BEHIND, "$1");
  const names = known.filter(({ kind }) => !TITLED.has(kind)).flatMap(({ id, name }) => [id, name]);
  const isOfLinked = referents.linked !== undefined && /\bthat\b/i.test(said);
  const fragment = isOfLinked
    ? undefined
    : asFragment(said, referents.thing?.id, known, aroundIn(input).project);
  const kept = fragment === undefined ? asAnswerNote(said, input.history) : undefined;
  const plainly =
    fragment?.text ??
    kept?.text ??
    asNoteOf(said, input.history, known, referents.thing?.id) ??
    withoutAnswer(said) ??
    said;
  const filedOrder = withToldNote(withoutPictures(plainly));
  const { thing } = referents;
  const shown: ArgSources = {
    ...(thing !== undefined && plainly !== said && !said.includes(thing.id)
      ? { [thing.id]: thing.source }
      : {}),
    ...(kept === undefined ? {} : { [kept.body]: kept.source }),
  };
  const handed = handedOver(filedOrder, known) ?? filedOrder;
  const own = withApostrophes(restated(withDetails(dictated(handed), known)), known);
  const linked = withLinked(own, referents);
  const people = withPeople(linked.text, input, referents);
  const told = withComment(people.text, known, referents.thing !== undefined, verbs);
  const plain = inPlainWords(spelled(corrected(told), index, names, known), names);
  const placed = withEpicKeys(plain, known);
  const onScreen = withKeyOnScreen(placed.text, known, referents);
  const epics = { text: onScreen.text, put: { ...placed.put, ...onScreen.put } };
  const isCreating = readWish(epics.text, verbs).intents.has("create") && !PUTS_INTO.test(epics.text);
  const titled = isCreating
    ? {
        text:
          (isPlain ? undefined : asNewIssue(epics.text, known, () => aroundIn(input))?.order) ?? epics.text,
        put: {},
      }
    : withTitledKeys(epics.text, known, referents.rows, said);
  const one = isCreating ? { text: titled.text, put: {} } : withNamedOne(titled.text, known);
  const titles = { text: one.text, put: { ...titled.put, ...one.put } };
  const context = { input, index, dates };
  const isOrder = (sentence: string): boolean => {
    const order = meant(unwrap(sentence).text);
    return order !== unwrap(sentence).text || asOrders(sentence, context) !== sentence;
  };
  // What is said of a record that is called by its title is said of its key.
  const isOnScreen = referents.thing !== undefined;
  const isLinked = Object.keys(titles.put).length > 0;
  const named =
    (canAppend ? asAppended(titles.text, referents, known) : undefined) ??
    meant(
      isLinked
        ? withComment(titles.text, known, isOnScreen, verbs)
        : (noted(titles.text, isOnScreen) ?? lookedAt(titles.text)),
    );
  const front = isCreating ? { text: named, told: [] } : foreground(named, verbs, isOrder);
  // "Two of them bring somebody. Ask in a comment on MOB-8 whether that counts": what is left may be a comment.
  const left = front.told.length === 0 ? undefined : noted(front.text, isOnScreen);
  return {
    text: asOrders(left ?? meant(front.text), context),
    put: { ...shown, ...linked.put, ...people.put, ...epics.put, ...titles.put },
    told: [...(fragment?.told ?? []), ...front.told],
    named: titles.text,
  };
}

/** What goes on with a new record that is there now, and that an answer or a correction had asked for. */
function behindNew({ observations, later }: PlanInput, index: ToolIndex): NewRecord | undefined {
  const [first] = observations;
  const entry = first && entryOf(first.tool, first.args, index);
  if (first === undefined || later === undefined || !entry?.changing || !entry.intents.has("create"))
    return undefined;
  const kind = splitName(entry.tool.name).includes("page") ? "a wiki page" : "an issue";
  // Where the first is made was asked for, and is where the others are.
  const { project } = first.args;
  const further = later.map((order) =>
    typeof project === "string" ? order.replace(UNPLACED, `$1 in ${project} titled`) : order,
  );
  return { order: `create ${kind} titled “x”`, further, told: [] };
}

/** What a new issue may refer to in what was shown or asked for last. */
export function aroundIn({ history, known = [], ...input }: PlanInput): Around {
  const { thing } = toReferents({ history, known, ...input }, []);
  const calls = history.at(-1)?.calls ?? [];
  const said = (name: string): string | undefined =>
    calls.map(({ args }) => args[name]).find((value) => typeof value === "string");
  const isProject = (id: string): boolean => known.some((one) => one.kind === "project" && one.id === id);
  const isEpic = known.some(({ kind, id }) => kind === "epic" && id === thing?.id);
  const epic = isEpic ? thing?.id : (said("epic") ?? said("epic_key"));
  const key = calls
    .flatMap(({ args }) => Object.values(args))
    .find((value) => typeof value === "string" && /^[A-Z]\w*-\d+$/.test(value));
  const one = [thing?.id, epic, key].find((value) => typeof value === "string") ?? "";
  const project = said("project") ?? one.replace(/-\d+$/, "");
  return {
    ...(epic === undefined ? {} : { epic }),
    ...(isProject(project) ? { project } : {}),
  };
}

const UNPLACED = /^(create an? (?:issue|ticket|bug|task|story|epic)) titled\b/i;

/** `Comment on DEMO-27: "Lovely numbers." Thanks!` */
const THANKS_BEHIND =
  /(?<=\s["“][^"”]{1,2000})(["”])\s*(?:(?:many\s+)?thanks|thank\s+you|thx|ta|cheers|please|pls)[\s.!]*$/iu;

/** "Give it to Ben for testing": what for is no part of it. */
const FOR_DOING =
  /(?<![:"“].*)(\b(?:give|assign|hand|pass)\s+(?:it|that|this|[A-Z]\w*-\d+)\s+to\s+\p{L}+)\s+for\s+(?:\p{Ll}+ing|(?:a\s+)?(?:review|test|look|check))(?=\s*(?:$|[,.;!]))/iu;

/** "Add to the printer ticket that …", "write under it": into what is there, and nothing new. */
const PUTS_INTO =
  /^\W*(?:(?:please|pls|can you|could you|also|just)\s+)*(?:add|append|write|put|post|note|leave)\s+(?:(?:an?|one|another)\s+(?:more\s+|new\s+)?(?:line|paragraph|sentence|bullet(?:\s+point)?|row|item|entry|(?:section|heading|chapter)(?:\s+(?:called|named|titled|about))?(?:\s+["“][^"”]{1,80}["”]|\s+[^\s:;,.]+){0,8}?)\s+)?(?:(?:at|to)\s+the\s+(?:end|bottom)\s+)?(?:to|under|on|in|at|below|into|of)\s/i;

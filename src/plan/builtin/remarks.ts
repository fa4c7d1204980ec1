import { asOrders, type Scene } from "./scene.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { readWish, splitWishes } from "./wish.ts";

/**
 * A clause of a change that only says why or how: it begins like a sentence of its own, orders nothing, names no
 * record, day or value, and takes nothing back.
 */
export function remarkIn(message: string, scene: Scene): { rest: string; said: string } | undefined {
  const { verbs, dates, input, index } = scene;
  const { masked } = createSheet(message);
  if (COLON.test(masked)) return undefined;
  const at = [...masked.matchAll(/\s*[,.;!?–-]\s+(?=\p{L})/gu)].at(-1);
  if (at === undefined || at.index < 4) return undefined;
  const said = message.slice(at.index + at[0].length).replace(/[\s.!?]+$/, "");
  const rest = message.slice(0, at.index);
  const isValue =
    RESTRICTS.test(said) ||
    said.split(" ").length < 3 ||
    masked.slice(at.index).includes(QUOTED) ||
    readWish(said, verbs).keys.length > 0 ||
    dates.find(said, input.now) !== undefined;
  const isWish = splitWishes(`${rest}. ${said}`, verbs, index.things).length > 1;
  const isOrder = (): boolean => readWish(rest, verbs).changing || asOrders(rest, scene) !== rest;
  if (isTold(said) && readWish(said, verbs).keys.length === 0 && isOrder()) return { rest, said };
  if (isValue || isWish || !readWish(rest, verbs).changing) return undefined;
  return { rest, said };
}

/** A sentence of its own that tells how things are or were, and asks for nothing. */
export function isTold(said: string): boolean {
  return TELLS.test(said) && !TURNS.test(said);
}

/** "Ben has", "the review is", "it was": somebody or something, and what is told of it. */
const TELLS = new RegExp(
  `^(?:[Ii]t|[Tt]hat|[Tt]his|[Tt]hey|[Tt]hese|[Tt]hose|[Ss]?[Hh]e|[Ww]e|I|i|[Tt]here|[Nn]obody|[Ee]veryone|[Ss]omebody|\\p{Lu}\\p{Ll}+(?<!^(?:Wh\\p{L}+|How|Is|Are|Do|Does|Did|Has|Have|Can))|(?:[Tt]he|[Oo]ur|[Mm]y) [\\p{L} ]{2,30}?|\\p{Ll}{3,}s(?=\\s+(?:are|were|have|do|don|won)))(?:['’](?:s|re|ve|ll|d|m)|\\s+(?:(?:is|are|was|were|has|have|had)n['’]t|was|were|is|are|has|have|had|do not|does not|did not|will|won['’]t|can['’]t|cannot|did|didn['’]t|does|doesn['’]t|don['’]t|makes?|made|told|said|says|saw|wrote|seems?|looks?|got|keeps?|works?|(?<=^(?:[Nn]obody|[Nn]o one)\\s+)(?:needs|wants|uses|reads)|broke|forgot|went|came|(?<=^[Ss]?[Hh]e\\s+)(?!(?:takes|gets|does|owns|handles|picks|wants|needs|goes)(?!\\p{L}))\\p{Ll}{3,}s|\\p{L}+ed))(?![\\p{L}])`,
  "u",
);

const TURNS =
  /\b(?:if|unless|until|till|except|instead|rather|wait|stop|should|must|needs? to|ha(?:s|ve) to|not (?:that|the|this)|otherwise|or)\b|["“”]|\b(?:said|says|thinks|thought|wrote)\W*$/i;

/** What limits or turns a wish, or may be a value of it. */
const RESTRICTS =
  /\b(?:not|no|never|\p{L}+n['’]t|but|only|except|unless|if|or|until|till|before|after|first|instead|rather|wait|stop|all|both|every\w*|each|priority|prio|highest|high|medium|low|lowest|urgent|label\w*|assign\w*|status|done|closed?|title|summary|due|named?|called|under|and)\b/iu;

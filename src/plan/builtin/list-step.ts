import type { JsonObject } from "#contract/json.ts";
import { byList, type Listed } from "./by-list.ts";
import type { Plan } from "./choices.ts";
import { followUp, lastRead } from "./follow-up.ts";
import { toSearch } from "./jql.ts";
import { namesRow, type Referents } from "./refer.ts";
import { FINAL, type Scene, type Step, toFillContext } from "./scene.ts";
import { type CallCommand, isSameCall, toCommand } from "./stages.ts";
import { readWish } from "./wish.ts";

/** What is about what was shown before. */
const POINTS =
  /^\W*(?:and|but|only|just|now|then|same|also|what about|how about)\b|\b(?:them|those|these|of it|there|that|this)\b/i;
const ORDERS = /^(?:order|order_by|limit|status_category)$/;
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
  const isEpic = (id: string): boolean => known.some((one) => one.kind === "epic" && one.id === id);
  const keys = readWish(named, verbs).keys.map(({ value }) => value.toUpperCase());
  if (!keys.every(isEpic)) return undefined;
  const isAboutShown =
    history.length > 0 &&
    (POINTS.test(said) ||
      namesRow(said, referents) ||
      followUp({ ...input, observations: [] }, index, verbs, toFillContext(scene), referents) !== undefined);
  const listed = isAboutShown ? undefined : byList(said, { now, dates, known });
  const commands = plan.stages.flatMap((stage) => [...stage.reads, ...stage.commands]);
  // What the rules take for a change, or a look at an epic, is a list only where nobody would read it otherwise.
  const isOther = keys.length > 0 || commands.some(({ command }) => command === "TASK");
  if (listed === undefined || (isOther && !listed.isSure)) return undefined;
  const call = sortedAnew(scene, listed, said) ?? toCall(scene, listed);
  if (call === undefined) return undefined;
  const [seen] = observations;
  if (seen) return isSameCall(seen, call) ? { commands: [FINAL], isAnchored: true } : undefined;
  return isFuller(commands, plan, call.args) ? undefined : { commands: [call], isAnchored: listed.isSure };
}

/** "Oldest first please", after a list, is that list in this order. */
function sortedAnew({ input, index }: Scene, { args }: Listed, said: string): CallCommand | undefined {
  const before = lastRead(input, index);
  const isOrder = Object.hasOwn(args, "order_by") && Object.keys(args).every((name) => ORDERS.test(name));
  if (!before?.entry.slots.some(({ name }) => name === "order_by") || !isOrder || THINGS.test(said))
    return undefined;
  const { status_category: _, ...order } = args;
  return toCommand(before.entry, { ...before.args, ...order }, false);
}

/** The call of the one tool that can bring it. */
function toCall({ index }: Scene, { form, args: conditions }: Listed): CallCommand | undefined {
  const [call, ...others] = index.entries.flatMap((entry) => {
    const isOwn = !entry.changing && entry.intents.has(form === "count" ? "count" : "search");
    const args = isOwn ? toSearch(conditions, entry) : undefined;
    return args === undefined ? [] : [toCommand(entry, args, false)];
  });
  return others.length > 0 ? undefined : call;
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

import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { foldValue } from "../../chat/buttons.ts";
import { callFiles, leftWords } from "../../chat/call-files.ts";
import type { FileLimits } from "../../chat/call-files.ts";
import type { ButtonSpec } from "../../chat/buttons.ts";
import { turnRef } from "../../chat/refs.ts";
import { footerOf, replyOf } from "../../chat/reply.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { inRows } from "./card.ts";
import type { Budget } from "./limits.ts";
import { bold, flowLine, pack, small, words } from "./lines.ts";
import type { Flow } from "./lines.ts";
import { markdownFlow } from "./markdown.ts";
import { createDraft } from "./message.ts";
import type { RenderedMessage } from "./message.ts";
import { costOf, merge, rowLaid, textOf } from "./pages.ts";
import type { Laid } from "./pages.ts";
import { openQuestions, questionParts } from "./question.ts";
import { statusParts } from "./status.ts";
import { addApprovals } from "./turn-approvals.ts";
import { addResults } from "./turn-results.ts";

export interface TurnOptions {
  /** Which page of a card is open, by its reference; the first one where nothing is said. */
  pages?: Readonly<Record<string, number>>;
  /** Stands above all else, such as who asked. */
  above?: Flow;
  /** What the message has room for. */
  budget?: Budget;
}

/** What the reply may take up while there is a card to show as well. */
const REPLY_BESIDE_CARDS = 1000;
const BLURPLE = 0x5865f2;
/** Beside the tables of results; what a bot may send without boosts, with room for the rest of the request. */
export const BROUGHT: FileLimits = { most: 4, bytes: 10 * 1024 * 1024, allBytes: 20 * 1024 * 1024 };

/** The one message of a turn: a status while it runs, then the answer. */
export function renderTurn(view: TurnView, cards: Cards, options: TurnOptions = {}): RenderedMessage {
  const draft = createDraft(options.budget);
  const above = options.above === undefined ? [] : pack([options.above]).slice(0, 1);
  draft.add(above.map(textOf));
  if (view.isSettled) return settled(view, cards, options, draft);
  const decided = view.approvals
    .slice(-5)
    .map((approval) => small(words(cutText(oneLine(cards.approval(approval).title), 150))));
  draft.add(laidTexts(decided));
  draft.addBoxed(statusParts(view), BLURPLE);
  for (const question of openQuestions(view)) draft.addBoxed(questionParts(question), BLURPLE);
  return draft.done([], []);
}

function settled(
  view: TurnView,
  cards: Cards,
  { pages = {} }: TurnOptions,
  draft: ReturnType<typeof createDraft>,
): RenderedMessage {
  const reply = replyOf(view);
  const foot = footer(view);
  draft.reserve(foot);
  const brought = callFiles(view, BROUGHT).attached.map(({ filename }) => filename);
  draft.reserve(brought.map(() => textOf("")));
  if (view.error !== undefined) draft.add(laidTexts(errorFlow(view.error)));
  const hasCards = view.approvals.length > 0 || view.results.length > 0;
  if (reply !== "")
    draft.add(replyParts(view, reply, hasCards ? REPLY_BESIDE_CARDS : draft.left().chars - 50));
  if (view.missing !== undefined) {
    draft.add(inRows([{ action: "fill_in", label: "Fill in", value: view.turnId, style: "primary" }]));
  }
  addApprovals(draft, view.approvals, cards, pages);
  const files = addResults(draft, view, pages);
  if (draft.isEmpty()) draft.add([textOf("Done.")]);
  return draft.done(foot, files, brought);
}

export function laidTexts(flow: readonly Flow[]): Laid[] {
  return pack(flow).map(textOf).reduce<Laid[]>(merge, []);
}

/** As much of the reply as fits, and a way to the rest. */
function replyParts(view: TurnView, reply: string, chars: number): Laid[] {
  const all = pack(markdownFlow(reply));
  const whole = all.map(textOf).reduce<Laid[]>(merge, []);
  if (costOf(whole).chars <= chars) return whole;
  const more = rowLaid([
    { action: "show_all", label: "Show the whole reply", value: foldValue(turnRef(view.turnId), "reply") },
  ]);
  let shown: Laid[] = [];
  for (const text of all) {
    const next = merge(shown, textOf(text));
    if (costOf([...next, more]).chars > chars) break;
    shown = next;
  }
  return [...shown, more];
}

function errorFlow({ code, message }: { code: string; message: string }): Flow[] {
  const said = cutText(cleanText(message).trim(), 800);
  if (code === "stopped") return [flowLine([...words("⏹️ "), ...words(said)])];
  return [
    flowLine([...words("⚠️ "), ...bold("Sorry, that did not work.")]),
    flowLine(words(said)),
    small(words(code)),
  ];
}

function footer(view: TurnView): Laid[] {
  const buttons: ButtonSpec[] = [
    ...(view.results.length > 0
      ? [{ action: "show_json" as const, label: "Show JSON", value: view.turnId }]
      : []),
    ...(view.log.length > 0 ? [{ action: "run_log" as const, label: "Run log", value: view.turnId }] : []),
  ];
  const left = leftWords(callFiles(view, BROUGHT).left);
  const texts = [...(left === undefined ? [] : [left]), footerOf(view)];
  return [...laidTexts(texts.map((text) => small(words(text)))), ...inRows(buttons)];
}

import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";
import { wordsFor } from "#src/base/statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { wordsOf } from "#src/base/words/words.ts";

import {
  approvalButtons,
  approvalRef,
  type ButtonSpec,
  detailsButton,
  groupOf,
  groupRef,
  isOpen,
  openFirst,
  resultRef,
} from "../../chat/actions.ts";
import { shortCard, type ShortOptions, showRows } from "../../chat/short.ts";
import { callFiles, type FileLimits, filesNote, type RenderedFile } from "../../chat/files.ts";
import { replyOf } from "../../chat/turn-text.ts";
import { markdownFlow, splitActions } from "../../chat/card-parts.ts";
import { bold, small, words } from "../../chat/line.ts";
import { nextButtons } from "../../chat/next.ts";
import { NOTHING_TOLD, type Receipts, receiptsOf } from "../../chat/receipts.ts";
import type { Flow } from "../../document/tree.ts";
import {
  awaitsWords,
  decidedFlow,
  errorFlow,
  fillIn,
  footFlow,
  menuItems,
  statusButtons,
  statusFlow,
  thumbs,
  wholeReply,
} from "../../chat/turn-parts.ts";
import {
  colorOf,
  costOf,
  inRows,
  type MeasuredComponent,
  measuredText,
  measuredTexts,
  merge,
  renderCard,
} from "./card.ts";
import { BAR, type Budget, LEAST_BUDGET, MESSAGE_BUDGET } from "./limits.ts";
import { pack } from "./markup.ts";
import { Draft, isEnough, type RenderedMessage } from "./message.ts";
import { openQuestions, questionParts } from "./question.ts";

export interface TurnOptions {
  /** Which page of a card is open, by its reference; the first one where nothing is said. */
  pages?: Readonly<Record<string, number>>;
  /** Stands above all else, such as who asked. */
  above?: Flow;
  /** One person alone sees it: the list is whole, and they may share it. */
  isPrivate?: boolean;
  /** What the message has room for. */
  budget?: Budget;
  /** As in CardOptions; default: pictures. */
  charts?: "file" | "text";
}

/** What the reply may take up while there is a card to show as well. */
const REPLY_BESIDE_CARDS = 1000;
const BLURPLE = 0x5865f2;
/** Beside the tables of results; what a bot may send without boosts, with room for the rest of the request. */
export const BROUGHT: FileLimits = { most: 4, bytes: 10 * 1024 * 1024, allBytes: 20 * 1024 * 1024 };

/** The one message of a turn: a status while it runs, then the answer. */
export function renderTurn(view: TurnView, cards: Cards, options: TurnOptions = {}): RenderedMessage {
  const draft = new Draft(options.budget);
  const above = options.above === undefined ? [] : pack([options.above]).slice(0, 1);
  draft.add(above.map(measuredText));
  if (view.isSettled) return settled(view, cards, options, draft);
  draft.add(measuredTexts(decidedFlow(view, cards)));
  const status = [...measuredTexts(statusFlow(view, BAR)), ...inRows(statusButtons(view))];
  const asked = openQuestions(view).map((question) => questionParts(question, wordsOf(view.language)));
  for (const parts of [status, ...asked]) draft.reserve(parts);
  // Who is asked can decide while another call of the turn takes its time.
  addApprovals(draft, view.approvals.filter(isOpen), cards, options.pages ?? {});
  if (awaitsWords(view)) addResults(draft, view, {}, "text");
  for (const parts of [status, ...asked]) draft.addBoxed(parts, BLURPLE);
  return draft.done();
}

function settled(
  view: TurnView,
  cards: Cards,
  { pages = {}, isPrivate = false, charts = "file" }: TurnOptions,
  draft: Draft,
): RenderedMessage {
  const reply = replyOf(view);
  const say = wordsOf(view.language);
  const shown: ShortOptions = isPrivate ? { pages, isWhole: true } : { pages };
  const share = { action: "share", label: say.buttons.share, value: view.turnId } as const;
  const foot = [
    ...measuredTexts(footFlow(view, BROUGHT)),
    ...inRows([...nextButtons(view, shown), ...(isPrivate ? [share] : []), ...menuButton(view)]),
    ...inRows(thumbs(view)),
  ];
  draft.reserve(foot);
  const brought = callFiles(view, BROUGHT).attached.map(({ filename }) => filename);
  draft.reserve(brought.map(() => measuredText("")));
  if (view.error !== undefined) draft.add(measuredTexts(errorFlow(view.error, { most: 800, say })));
  const hasCards = view.approvals.length > 0 || view.results.length > 0;
  // What waits for somebody says so itself.
  const isAsked = view.approvals.some(isOpen);
  if (reply !== "" && !isAsked)
    draft.add(replyParts(view, reply, hasCards ? REPLY_BESIDE_CARDS : draft.left.chars - 50));
  draft.add(inRows(fillIn(view)));
  const { cardOf, ...told } = receiptsOf(view, cards);
  addApprovals(draft, view.approvals, { ...cards, approval: cardOf }, pages, view.results.length > 0);
  if (isAsked && view.remarks !== undefined) draft.add(measuredTexts(markdownFlow(view.remarks)));
  const files = addResults(draft, view, shown, charts, told);
  if (draft.isEmpty) draft.add([measuredText(say.turn.done)]);
  return draft.done(foot, files, brought);
}

/** Opens what few people look at; a select of its own would take a row. */
function menuButton(view: TurnView): ButtonSpec[] {
  return menuItems(view).length === 0
    ? []
    : [{ action: "menu", label: wordsOf(view.language).buttons.more, value: view.turnId }];
}

/** As much of the reply as fits, and a way to the rest. */
function replyParts(view: TurnView, reply: string, chars: number): MeasuredComponent[] {
  const all = pack(markdownFlow(reply));
  const whole = all.map(measuredText).reduce<MeasuredComponent[]>(merge, []);
  if (costOf(whole).chars <= chars) return whole;
  const more = inRows([wholeReply(view)]);
  let shown: MeasuredComponent[] = [];
  for (const text of all) {
    const next = merge(shown, measuredText(text));
    if (costOf([...next, ...more]).chars > chars) break;
    shown = next;
  }
  return [...shown, ...more];
}

/** What the lines of requests or results that are not drawn may take up. */
const LINES = { chars: 400, components: 10 };

/**
 * Requests that wait come first; each in full while there is room, and by its title and buttons where there
 * is not.
 */
function addApprovals(
  draft: Draft,
  approvals: readonly Approval[],
  cards: Cards,
  pages: Readonly<Record<string, number>>,
  hasResults = false,
): void {
  const group = groupOf(approvals);
  if (group[0] !== undefined) {
    const card = cards.approvals(group);
    const ref = groupRef(group[0].turnId);
    const isAll = group.length === approvals.length && !hasResults;
    // Where nothing else is to be shown, the list has all of the room: what is approved at once stands on one page.
    const { chars, components } = isAll ? { chars: 0, components: 0 } : LINES;
    const budget = { chars: draft.left.chars - chars, components: draft.left.components - components };
    draft.addBoxed(renderCard(card, { ref, page: pages[ref] ?? 0, budget }).parts, colorOf(card));
  }
  const ordered = openFirst(approvals.filter((approval) => !group.includes(approval)));
  let hidden = 0;
  for (const approval of ordered) {
    const card = cards.approval(approval);
    const left = draft.left;
    const beside = ordered.length > 1 ? 2 : 1;
    const budget = {
      chars: left.chars - LINES.chars * beside,
      components: left.components - LINES.components * (beside - 1),
    };
    const ref = approvalRef(approval.id);
    const isRoomy = isEnough(budget);
    const all = { ref, page: pages[ref] ?? 0, buttons: approvalButtons(approval) };
    const drawn = renderCard(card, { ...all, budget: isRoomy ? budget : LEAST_BUDGET }).parts;
    const whole = costOf(drawn);
    // A receipt of two lines needs little.
    if (isRoomy || (whole.chars <= budget.chars && whole.components <= budget.components)) {
      draft.addBoxed(drawn, colorOf(card));
      continue;
    }
    const own = isOpen(approval) ? splitActions(card).buttons : [];
    const title = bold(cutText(oneLine(card.title), 100));
    const named = [...measuredTexts([title]), ...inRows([...own, detailsButton(approval)])];
    const cost = costOf(named);
    if (cost.chars <= left.chars - 80 && cost.components <= left.components - 2) {
      draft.addBoxed(named, colorOf(card));
    } else {
      hidden += 1;
    }
  }
  if (hidden > 0)
    draft.add([measuredText(`-# ${wordsFor(approvals[0]?.statement ?? {}).turn.moreRequests(hidden)}`)]);
}

/** What the line of a result that is not drawn may take up. */
const LINE = { chars: 330, components: 3 };

/**
 * The first result in full, on pages where it is long; further ones where they fit as they are; the rest by
 * a line and a button each. Returns the files of all of them, for each of which a place is kept.
 */
function addResults(
  draft: Draft,
  view: TurnView,
  shown: ShortOptions,
  charts: "file" | "text",
  { isTold, isAside }: Pick<Receipts, "isTold" | "isAside"> = NOTHING_TOLD,
): RenderedFile[] {
  const { pages = {} } = shown;
  const files: RenderedFile[] = [];
  let hidden = 0;
  const all = view.results.length;
  for (const [index, { card, data }] of view.results.entries()) {
    if (isTold(index)) continue;
    const ref = resultRef(view.turnId, index);
    const fileSuffix = index === 0 ? "" : `-result-${index + 1}`;
    const short = shortCard(view, index, shown);
    const options = { ref, page: pages[ref] ?? 0, data, fileSuffix, charts };
    const left = draft.left;
    const others = Math.min(all - index - 1, 3);
    const budget = {
      chars: left.chars - others * LINE.chars - 80,
      // A result may have several files; each takes a component.
      components: left.components - others * LINE.components - 4,
    };
    const room = isEnough(budget) ? budget : LEAST_BUDGET;
    const drawn =
      short === undefined
        ? renderCard(card, { ...options, budget: room })
        : renderCard(short.card, {
            ref,
            budget: room,
            charts,
            fileSuffix,
            buttons: showRows(short, view, ref),
          });
    // What is kept back is in the same files as when it is shown.
    const { files: own } = short === undefined ? drawn : renderCard(card, { ...options, budget: room });
    const cost = costOf(drawn.parts);
    const fits = cost.chars <= budget.chars && cost.components + own.length <= budget.components + 3;
    if (!isAside(index) && fits && (index === 0 || drawn.pages === 1)) {
      draft.addBoxed(drawn.parts, colorOf(card));
      keep(draft, own.length);
      files.push(...own);
      continue;
    }
    const whole = renderCard(card, { ...options, budget: MESSAGE_BUDGET, charts: "text" }).files;
    const line = lineOf(card, whole, {
      action: "show_result",
      label: `${wordsOf(view.language).buttons.show} ${index + 1}`,
      value: ref,
    });
    const lineCost = costOf(line);
    const isRoomy = draft.left.components - lineCost.components - whole.length >= 1;
    if (isRoomy && lineCost.chars <= draft.left.chars - 80) {
      draft.addBoxed(line, colorOf(card));
      keep(draft, whole.length);
      files.push(...whole);
    } else {
      hidden += 1;
    }
  }
  if (hidden > 0) draft.add([measuredText(`-# ${wordsOf(view.language).turn.moreResultsUnder(hidden)}`)]);
  return files;
}

/** Each file stands in a component of its own. */
function keep(draft: Draft, amount: number): void {
  draft.reserve(Array.from({ length: amount }, () => measuredText("")));
}

function lineOf(card: Card, files: readonly RenderedFile[], button: ButtonSpec): MeasuredComponent[] {
  const note = filesNote(files, wordsOf(card.language)).join("");
  const flow = [
    words(cutText(oneLine(card.title), 90)),
    ...(note === "" ? [] : [small(words(cutText(note, 90)))]),
  ];
  return [...pack(flow).map(measuredText), ...inRows([button])];
}

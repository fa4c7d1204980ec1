import type { KnownBlock, PlanBlock, TaskCardBlock } from "@slack/types";

import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";
import { wordsFor } from "#src/base/statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import {
  approvalButtons,
  approvalRef,
  detailsButton,
  groupOf,
  groupRef,
  isOpen,
  openFirst,
  resultRef,
} from "../../chat/actions.ts";
import { markdownFlow, splitActions } from "../../chat/card-parts.ts";
import type { FileLimits, RenderedFile } from "../../chat/files.ts";
import { bold, linksLine, words } from "../../chat/line.ts";
import { nextButtons } from "../../chat/next.ts";
import { NOTHING_TOLD, type Receipts, receiptsOf } from "../../chat/receipts.ts";
import { shortCard, type ShortOptions, showRows } from "../../chat/short.ts";
import { cleanText } from "../../chat/text.ts";
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
import { firstWords, progressText, replyOf, statusText } from "../../chat/turn-text.ts";
import type { Line } from "../../document/tree.ts";
import { buttonBlocks, feedbackBlocks, lineWithButton } from "./buttons.ts";
import { renderCard } from "./card.ts";
import { countBlocks, renderContainer } from "./container.ts";
import { BAR, type Budget, LEAST_BUDGET, LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import { contextBlocks, pack, safeUrl } from "./rich.ts";
import { escapeText, weigh } from "./text.ts";

export interface TurnOptions {
  /** Which page of a card is open, by its reference; the first one where nothing is said. */
  pages?: Readonly<Record<string, number>>;
  /** Only who asked sees it: all of it stands there, with a way to show it to the channel. Default false. */
  isPrivate?: boolean;
  /** The workspace knows the blocks of 2026: container, data table and plan. Default false. */
  native?: boolean;
}

export interface RenderedMessage {
  blocks: KnownBlock[];
  /** For notifications, escaped. */
  text: string;
  /** Results that do not fit the message, to be uploaded to the thread once the turn has settled. */
  attachments: RenderedFile[];
}

/** Slack takes files of up to 1 GB; calls bring less. */
export const BROUGHT: FileLimits = { most: 10, bytes: 1e9, allBytes: 1e9 };

/** What the reply may take up while there is a card to show as well. */
const REPLY_BESIDE_CARDS = 2500;

/** The one message of a turn: a status while it runs, then the answer. */
export function renderTurn(view: TurnView, cards: Cards, options: TurnOptions = {}): RenderedMessage {
  return view.isSettled ? settled(view, cards, options) : running(view, cards, options);
}

function running(view: TurnView, cards: Cards, options: TurnOptions): RenderedMessage {
  const page = new Page();
  const plan = options.native === true ? planOf(view) : undefined;
  const said = plan === undefined ? pack(statusFlow(view, BAR)) : [plan];
  const status = [...said, ...buttonBlocks(statusButtons(view))];
  page.reserve(status);
  page.add(pack(decidedFlow(view, cards)));
  // Who is asked can decide while another call of the turn takes its time.
  addApprovals(page, view.approvals.filter(isOpen), cards, options);
  if (awaitsWords(view)) addResults(page, view, options);
  return { blocks: [...page.blocks, ...status], text: escapeText(statusText(view)), attachments: [] };
}

function settled(view: TurnView, cards: Cards, options: TurnOptions): RenderedMessage {
  const page = new Page();
  const say = wordsOf(view.language);
  const reply = replyOf(view);
  const foot = [...pack(footFlow(view, BROUGHT)), ...footButtons(view, options)];
  page.reserve(foot);

  if (view.error !== undefined)
    page.add(pack(errorFlow(view.error, { most: 1000, say, stoppedBy: personOf(view.stoppedBy) })));
  const hasCards = view.approvals.length > 0 || view.results.length > 0;
  const said = reply === "" ? [] : replyBlocks(view, reply, hasCards ? REPLY_BESIDE_CARDS : page.left.chars);
  // Desktop notices read the first block: what waits for somebody says so there, and the reply says no more.
  const isAsked = view.approvals.some(isOpen);
  if (!isAsked) page.add(said);

  page.add(buttonBlocks(fillIn(view)));
  const { cardOf, ...told } = receiptsOf(view, cards);
  addApprovals(page, view.approvals, { ...cards, approval: cardOf }, options);
  if (isAsked && view.remarks !== undefined) page.add(pack(markdownFlow(view.remarks)));
  const attachments = addResults(page, view, options, told);
  if (page.blocks.length === 0) page.add(pack([words(say.turn.done)]));
  return {
    blocks: [...page.blocks, ...foot],
    text: cutText(
      escapeText(
        view.error?.code === "stopped" && view.stoppedBy !== undefined
          ? say.turn.stopped
          : firstWords(view, reply, cards),
      ),
      LIMITS.plainText,
    ),
    attachments,
  };
}

/** What comes next, what few people look at, and what the reader thinks of it. */
function footButtons(view: TurnView, options: TurnOptions): KnownBlock[] {
  const { buttons: say } = wordsOf(view.language);
  const share = { action: "share", label: say.share, value: view.turnId } as const;
  const next = [...nextButtons(view, shortening(options)), ...(options.isPrivate === true ? [share] : [])];
  const rating = thumbs(view);
  if (options.native === true) return [...buttonBlocks(next, menuItems(view)), ...feedbackBlocks(rating)];
  const [good, bad] = [say.helpful, say.notHelpful];
  const named = rating.map((spec, at) => ({ ...spec, label: spec.label + (at === 0 ? good : bad) }));
  return buttonBlocks(next, [...menuItems(view), ...named]);
}

/** As much of the reply as fits, and a way to the rest. */
function replyBlocks(view: TurnView, reply: string, chars: number): KnownBlock[] {
  const all = pack(markdownFlow(reply));
  if (weigh(all) <= chars && all.length <= MESSAGE_BUDGET.blocks / 2) return all;
  const more = buttonBlocks([wholeReply(view)]);
  const shown: KnownBlock[] = [];
  for (const block of all.slice(0, MESSAGE_BUDGET.blocks / 2)) {
    if (weigh([...shown, block, ...more]) > chars) break;
    shown.push(block);
  }
  return [...shown, ...more];
}

/** Slack writes the person's name where it knows the id; the core knows only that. */
function personOf(actor: ActorId | undefined): Line | undefined {
  const [, id] = /^slack:[^:]+:([UW][A-Z0-9]+)$/.exec(actor ?? "") ?? [];
  return id === undefined ? undefined : [{ type: "mention", of: "user", id }];
}

/** What the lines of requests or results that are not drawn may take up. */
const APPROVAL_LINES = 1800;
const APPROVAL_LINES_BLOCKS = 10;
const APPROVAL_MAX = 6;

/**
 * Requests that wait come first; each in full while there is room, and by its title and buttons where there is not.
 */
function addApprovals(
  page: Page,
  approvals: readonly Approval[],
  cards: Cards,
  { pages = {}, native = false }: TurnOptions,
): void {
  const group = groupOf(approvals);
  const named: Approval[] = [];
  if (group[0] !== undefined) {
    const card = cards.approvals(group);
    const ref = groupRef(group[0].turnId);
    const { chars, blocks } = page.left;
    const budget = { chars: chars - APPROVAL_LINES, blocks: blocks - APPROVAL_LINES_BLOCKS };
    const container = native ? renderContainer(card, { ref, budget }) : undefined;
    page.add(
      container === undefined ? renderCard(card, { ref, page: pages[ref] ?? 0, budget }).blocks : [container],
    );
  }
  const ordered = openFirst(approvals.filter((approval) => !group.includes(approval)));
  for (const approval of ordered) {
    const { chars, blocks } = page.left;
    const beside = ordered.length > 1 ? APPROVAL_LINES : 0;
    const budget = {
      chars: chars - APPROVAL_LINES - beside,
      blocks: blocks - APPROVAL_LINES_BLOCKS - (beside > 0 ? 7 : 0),
    };
    const ref = approvalRef(approval.id);
    const card = cards.approval(approval);
    const isRoomy = isEnough(budget);
    const all = {
      ref,
      page: pages[ref] ?? 0,
      budget: isRoomy ? budget : LEAST_BUDGET,
      buttons: approvalButtons(approval),
    };
    const container = native ? renderContainer(card, all) : undefined;
    const drawn = container === undefined ? renderCard(card, all).blocks : [container];
    // A receipt of two lines needs little.
    if (!isRoomy && (weigh(drawn) > budget.chars || countBlocks(drawn) > budget.blocks)) named.push(approval);
    else if (container === undefined) page.addApart(drawn);
    else page.add(drawn);
  }
  for (const approval of named.slice(0, APPROVAL_MAX)) page.add(nameApproval(approval, cards));
  const hidden = Math.max(0, named.length - APPROVAL_MAX);
  if (hidden > 0) page.add(contextBlocks([wordsFor(named[0]?.statement ?? {}).turn.moreRequests(hidden)]));
}

/** A request by its title; one that waits keeps what it waits for. */
function nameApproval(approval: Approval, cards: Cards): KnownBlock[] {
  const card = cards.approval(approval);
  const title = cutText(oneLine(card.title), 100);
  if (!isOpen(approval)) return [lineWithButton(title, detailsButton(approval))];
  return [...pack([bold(title)]), ...buttonBlocks([...splitActions(card).buttons, detailsButton(approval)])];
}

/** What the lines of results that are not drawn may take up, and the addresses they come from. */
const LINES = 1800;
const SOURCES = 900;
const MAX_LINES = 6;
const MAX_SOURCES = 6;
/** A table that has to be drawn as text is a wall from this many rows on. */
const MANY_ROWS = 12;

interface Named {
  card: Card;
  index: number;
  files: readonly RenderedFile[];
}

/**
 * The first result in full, on pages where it is long; further ones where they fit as they are; the
 * rest by a line and a button each. Returns the files of all of them.
 */
function addResults(
  page: Page,
  view: TurnView,
  options: TurnOptions,
  { isTold, isAside }: Pick<Receipts, "isTold" | "isAside"> = NOTHING_TOLD,
): RenderedFile[] {
  const { pages = {}, native = false } = options;
  const files: RenderedFile[] = [];
  const named: Named[] = [];
  for (const [index, { card, data }] of view.results.entries()) {
    if (isTold(index)) continue;
    const { chars, blocks } = page.left;
    const isAlone = view.results.length === 1;
    const budget = {
      chars: chars - (isAlone ? 20 : LINES + SOURCES),
      blocks: blocks - (isAlone ? 1 : MAX_LINES + 3),
    };
    const isRoomy = isEnough(budget);
    const ref = resultRef(view.turnId, index);
    const hasTable = page.blocks.some(({ type }) => type === "table" || type === "data_table");
    const fileSuffix = index === 0 ? "" : `-result-${index + 1}`;
    const short = shortCard(view, index, shortening(options));
    const isFull = page.blocks.filter(isVisualization).length >= LIMITS.chart.perMessage;
    const drawn = renderCard(short?.card ?? card, {
      charts: native && !isFull ? "native" : options.isPrivate === true ? "text" : "file",
      ref,
      page: pages[ref] ?? 0,
      budget: isRoomy ? budget : LEAST_BUDGET,
      tables: !hasTable,
      native,
      ...(short === undefined ? { data } : { buttons: showRows(short, view, ref) }),
      fileSuffix,
    });
    const whole = short === undefined ? drawn : renderCard(card, { data, fileSuffix });
    const isShort =
      drawn.pages === 1 &&
      !(hasTable && hasLongTable(short?.card ?? card)) &&
      weigh(drawn.blocks) <= budget.chars &&
      drawn.blocks.length <= budget.blocks;
    if (!isAside(index) && (isShort || (index === 0 && isRoomy))) {
      page.addApart(drawn.blocks);
      const pictures = drawn.attachments.filter(({ chart }) => chart !== undefined);
      files.push(...(short === undefined ? [] : pictures), ...whole.attachments);
    } else {
      const { attachments } = short === undefined ? renderCard(card, { data, fileSuffix }) : whole;
      named.push({ card, index, files: attachments });
      files.push(...attachments);
    }
  }
  page.add(lines(named, view));
  page.add(
    sourceLinks(
      named.map(({ card }) => card),
      wordsOf(view.language),
    ),
  );
  return files;
}

/** The newest tables turn their pages themselves; about so many rows fit a message. */
const ROWS_THAT_FIT = 25;

function shortening({ pages = {}, native = false, isPrivate = false }: TurnOptions): ShortOptions {
  if (isPrivate) return { pages, isWhole: true };
  return native ? { pages, turnsItself: ROWS_THAT_FIT } : { pages };
}

function hasLongTable(card: Card): boolean {
  return card.elements.some((element) => element.type === "table" && element.rows.length > MANY_ROWS);
}

/** Results that the message only names, each with the button that shows it. */
function lines(named: readonly Named[], { turnId, language }: TurnView): KnownBlock[] {
  const say = wordsOf(language);
  const blocks: KnownBlock[] = [];
  for (const [position, { card, index, files }] of named.entries()) {
    const title = cutText(oneLine(cleanText(card.title)), 120);
    const names = files.map((file) => file.filename).join(", ");
    const note = names === "" ? "" : `\n${say.turn.inFullIn(cutText(names, 160))}`;
    const line = lineWithButton(`${title}${note}`, {
      action: "show_result",
      label: say.buttons.show,
      value: resultRef(turnId, index),
    });
    if (blocks.length >= MAX_LINES || weigh([...blocks, line]) > LINES - 200) {
      return [...blocks, ...contextBlocks([say.turn.moreResults(named.length - position)])];
    }
    blocks.push(line);
  }
  return blocks;
}

/** Where results that are not drawn come from. */
function sourceLinks(cards: readonly Card[], say: Words): KnownBlock[] {
  const found = new Map<string, string>();
  for (const element of cards.flatMap((card) => card.elements)) {
    const items =
      element.type === "links"
        ? element.items
        : element.type === "header" && element.href !== undefined
          ? [{ label: element.eyebrow ?? element.text, href: element.href }]
          : [];
    for (const { label, href } of items) {
      if (safeUrl(href) !== undefined && !found.has(href)) found.set(href, cutText(oneLine(label), 40));
    }
  }
  const items = [...found].slice(0, MAX_SOURCES).map(([href, label]) => ({ label, href }));
  for (; items.length > 0; items.pop()) {
    const drawn = pack([[...bold(say.turn.sources), ...linksLine(items)]]);
    if (weigh(drawn) <= SOURCES) return drawn;
  }
  return [];
}

function isVisualization({ type }: KnownBlock): boolean {
  return (type as string) === "data_visualization";
}

/** A message as it is put together: what it holds, and what it still has room for. */
class Page {
  readonly blocks: KnownBlock[] = [];
  readonly left: Budget = { ...MESSAGE_BUDGET };

  /** Keeps room for what somebody else adds. */
  reserve(blocks: readonly KnownBlock[]): void {
    if (blocks.length === 0) return;
    this.left.chars -= weigh(blocks);
    this.left.blocks -= countBlocks(blocks);
  }

  add(blocks: readonly KnownBlock[]): void {
    this.reserve(blocks);
    this.blocks.push(...blocks);
  }

  /** Adds blocks set apart from those above. */
  addApart(blocks: readonly KnownBlock[]): void {
    if (this.blocks.length > 0) this.add([{ type: "divider" }]);
    this.add(blocks);
  }
}

/** Whether a budget is enough for any card. */
function isEnough({ chars, blocks }: Budget): boolean {
  return chars >= LEAST_BUDGET.chars && blocks >= LEAST_BUDGET.blocks;
}

/** Earlier ones are counted in the title alone. */
const MOST_STEPS = 8;
const TITLE = 150;

/**
 * The steps of a turn that is under way, each with how it went; undefined while there is only one, of which
 * a line says enough.
 */
function planOf(view: TurnView): PlanBlock | undefined {
  const { results, phase, turnId } = view;
  const { turn: say } = wordsOf(view.language);
  if (view.isSettled || results.length === 0) return undefined;
  const done = results.map(({ ok, card }, index): TaskCardBlock =>
    step(`${turnId}-${index}`, card.title || say.oneStep, ok ? "complete" : "error"),
  );
  const now = progressText(view) ?? say.phases[phase];
  return {
    type: "plan",
    title: say.step(say.phases[phase], results.length + 1),
    tasks: [...done.slice(-MOST_STEPS), step(`${turnId}-now`, now, "in_progress")],
  };
}

function step(id: string, said: string, status: TaskCardBlock["status"]): TaskCardBlock {
  const title = cutText(oneLine(cleanText(said)), TITLE) || "…";
  return { type: "task_card", task_id: id, title, status };
}

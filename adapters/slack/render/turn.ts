import type { KnownBlock } from "@slack/types";

import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { buttonBlocks, contextBlocks, foldValue, lineWithButton } from "./buttons.ts";
import type { ButtonSpec } from "./buttons.ts";
import { renderCard } from "./card.ts";
import { linksLine } from "./draw.ts";
import type { RenderedFile } from "./files.ts";
import { LEAST_BUDGET, LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { markdownFlow } from "./markdown.ts";
import { approvalRef, resultRef, turnRef } from "./refs.ts";
import { bold, pack, safeUrl, words } from "./rich.ts";
import { secondsText, statusBlocks, statusText } from "./status.ts";
import { cleanText, cutText, escapeText, oneLine, weigh } from "./text.ts";

export interface TurnOptions {
  /** Which page of a card is open, by its reference; the first one where nothing is said. */
  pages?: Readonly<Record<string, number>>;
}

export interface RenderedMessage {
  blocks: KnownBlock[];
  /** For notifications, escaped. */
  text: string;
  /** Results that do not fit the message, to be uploaded to the thread once the turn has settled. */
  attachments: RenderedFile[];
}

/** What the reply may take up while there is a card to show as well. */
const REPLY_BESIDE_CARDS = 2500;
/** What the lines of results that are not shown may take up. */
const OTHER_RESULTS = 1800;
const MAX_SOURCES = 6;
const MANY_ROWS = 12;

/** Replies end with this note for surfaces that have no footer; here the footer says it. */
const BUILTIN_NOTE = /\s*\n_?Planned by the built-in planner[^_\n]*_?\s*$/;

const PLANNERS: Readonly<Record<string, string>> = {
  ollama: "Planned by Ollama",
  gemini: "Planned by Gemini",
  openai: "Planned by OpenAI",
  builtin: "Planned by the built-in planner, without a model",
  command: "Run as a command",
};

/** The one message of a turn: a status while it runs, then the answer. */
export function renderTurn(view: TurnView, cards: Cards, options: TurnOptions = {}): RenderedMessage {
  return view.isSettled ? settled(view, cards, options) : running(view, cards);
}

function running(view: TurnView, cards: Cards): RenderedMessage {
  const decided = view.approvals
    .slice(-5)
    .map((approval) => cutText(oneLine(cards.approval(approval).title), 150));
  return {
    blocks: [...contextBlocks(decided), ...statusBlocks(view)],
    text: escapeText(statusText(view)),
    attachments: [],
  };
}

function settled(view: TurnView, cards: Cards, options: TurnOptions): RenderedMessage {
  const page = createPage();
  const reply = replyOf(view);
  const foot = footer(view);
  page.reserve(foot);

  if (view.error !== undefined) page.add(errorBlocks(view.error));
  const hasCards = view.approvals.length > 0 || view.results.length > 0;
  if (reply !== "") page.add(replyBlocks(view, reply, hasCards ? REPLY_BESIDE_CARDS : page.left().chars));

  addApprovals(page, view, cards, options);
  const attachments = addResults(page, view, options);
  if (page.blocks.length === 0) page.add(pack([words("Done.")]));
  return {
    blocks: [...page.blocks, ...foot],
    text: cutText(escapeText(firstWords(view, reply, cards)), LIMITS.plainText),
    attachments,
  };
}

interface Page {
  blocks: KnownBlock[];
  left(): Budget;
  add(blocks: readonly KnownBlock[]): void;
  /** Keeps room for what is added by somebody else. */
  reserve(blocks: readonly KnownBlock[]): void;
}

function createPage(): Page {
  const blocks: KnownBlock[] = [];
  let { chars, blocks: slots } = MESSAGE_BUDGET;
  const reserve = (taken: readonly KnownBlock[]): void => {
    if (taken.length === 0) return;
    chars -= weigh(taken);
    slots -= taken.length;
  };
  return {
    blocks,
    left: () => ({ chars, blocks: slots }),
    reserve,
    add(added) {
      reserve(added);
      blocks.push(...added);
    },
  };
}

function replyOf(view: TurnView): string {
  const reply = view.reply ?? "";
  return (view.planner === "builtin" ? reply.replace(BUILTIN_NOTE, "") : reply).trim();
}

/** As much of the reply as fits, and a way to the rest. */
function replyBlocks(view: TurnView, reply: string, chars: number): KnownBlock[] {
  const all = pack(markdownFlow(reply));
  if (weigh(all) <= chars && all.length <= MESSAGE_BUDGET.blocks / 2) return all;
  const more = buttonBlocks([
    { action: "show_all", label: "Show the whole reply", value: foldValue(turnRef(view.turnId), "reply") },
  ]);
  const shown: KnownBlock[] = [];
  for (const block of all.slice(0, MESSAGE_BUDGET.blocks / 2)) {
    if (weigh([...shown, block, ...more]) > chars) break;
    shown.push(block);
  }
  return [...shown, ...more];
}

function errorBlocks(error: { code: string; message: string }): KnownBlock[] {
  const message = cutText(cleanText(error.message).trim(), 1000);
  if (error.code === "stopped") return pack([[...words("⏹️ "), ...words(message)]]);
  return [
    ...pack([[...words("⚠️ "), ...bold("Sorry, that did not work.")], words(message)]),
    ...contextBlocks([error.code]),
  ];
}

/** Those that wait come first and in full; as many of the others as there is room for. */
function addApprovals(page: Page, view: TurnView, cards: Cards, options: TurnOptions): void {
  const isOpen = (approval: Approval): boolean =>
    approval.state === "pending" || approval.state === "unknown";
  const ordered = [
    ...view.approvals.filter(isOpen),
    ...view.approvals.filter((one) => !isOpen(one)).toReversed(),
  ];
  const rest: Approval[] = [];
  for (const approval of ordered) {
    const { chars, blocks } = page.left();
    const beside = ordered.length > 1 ? OTHER_RESULTS : 0;
    const budget = { chars: chars - OTHER_RESULTS - beside, blocks: blocks - 10 };
    if (budget.chars < LEAST_BUDGET.chars || budget.blocks < LEAST_BUDGET.blocks) {
      rest.push(approval);
      continue;
    }
    const ref = approvalRef(approval.id);
    const { blocks: drawn } = renderCard(cards.approval(approval), {
      ref,
      page: options.pages?.[ref] ?? 0,
      budget,
      buttons: approvalButtons(approval),
    });
    page.add([...(page.blocks.length === 0 ? [] : [{ type: "divider" as const }]), ...drawn]);
  }
  page.add(
    others(
      rest.map((approval) => ({
        title: cards.approval(approval).title,
        spec: { action: "details", label: "Details", value: approval.id },
      })),
      "request",
    ),
  );
}

/** What Slack offers beside the buttons of the card. */
export function approvalButtons(approval: Approval): ButtonSpec[] {
  if (approval.state === "pending") {
    return [
      { action: "edit", label: "Edit", value: approval.id },
      { action: "details", label: "Details", value: approval.id },
    ];
  }
  if (approval.state === "unknown" && approval.lookup !== undefined) {
    return [{ action: "lookup", label: "Look it up", value: approval.id }];
  }
  return [];
}

/** The first result in full, further ones where they fit whole, the rest by a button each. */
function addResults(page: Page, view: TurnView, options: TurnOptions): RenderedFile[] {
  const files: RenderedFile[] = [];
  const hidden: { result: ToolCallResult; index: number }[] = [];
  const room = Math.min(OTHER_RESULTS, weigh(others(view.results.slice(1).map(otherResult(view)), "result")));
  const sources = 900;
  for (const [index, result] of view.results.entries()) {
    const { chars, blocks } = page.left();
    const isLast = index === view.results.length - 1 && hidden.length === 0;
    const budget = { chars: chars - (isLast ? 20 : room + sources), blocks: blocks - (isLast ? 1 : 9) };
    const ref = resultRef(view.turnId, index);
    const isFirst = index === 0 && budget.chars >= LEAST_BUDGET.chars && budget.blocks >= LEAST_BUDGET.blocks;
    const drawn = renderCard(result.card, {
      ref,
      page: options.pages?.[ref] ?? 0,
      budget:
        budget.chars >= LEAST_BUDGET.chars && budget.blocks >= LEAST_BUDGET.blocks ? budget : LEAST_BUDGET,
      tables: !hasTable(page.blocks),
      data: result.data,
    });
    const fits =
      !(hasTable(page.blocks) && hasLongTable(result.card)) &&
      drawn.pages === 1 &&
      weigh(drawn.blocks) <= budget.chars &&
      drawn.blocks.length <= budget.blocks;
    if (isFirst || fits) {
      page.add([...(page.blocks.length === 0 ? [] : [{ type: "divider" as const }]), ...drawn.blocks]);
      files.push(...drawn.attachments);
    } else {
      hidden.push({ result, index });
      files.push(...renderCard(result.card, { data: result.data }).attachments);
    }
  }
  page.add(
    others(
      hidden.map(({ result, index }) => otherResult(view)(result, index)),
      "result",
    ),
  );
  page.add(
    sourceLinks(
      hidden.map(({ result }) => result.card),
      sources,
    ),
  );
  return uniqueNames(files);
}

function hasTable(blocks: readonly KnownBlock[]): boolean {
  return blocks.some((block) => block.type === "table");
}

/** As text, it would be a wall. */
function hasLongTable(card: Card): boolean {
  return card.elements.some((element) => element.type === "table" && element.rows.length > MANY_ROWS);
}

interface Other {
  title: string;
  spec: ButtonSpec;
}

function otherResult(view: TurnView): (result: ToolCallResult, index: number) => Other {
  return (result, index) => ({
    title: result.card.title,
    spec: { action: "show_result", label: "Show", value: resultRef(view.turnId, index) },
  });
}

/** Things that the message only names, each with the button that shows it. */
function others(items: readonly Other[], one: string): KnownBlock[] {
  const lines: KnownBlock[] = [];
  for (const [index, { title, spec }] of items.entries()) {
    const line = lineWithButton(cutText(oneLine(cleanText(title)), 120), spec);
    if (weigh([...lines, line]) > OTHER_RESULTS - 250 || lines.length >= 6) {
      const left = items.length - index;
      lines.push(
        ...contextBlocks([
          one === "result"
            ? `${left} more: see “Show JSON” below.`
            : `${left} more: see the run log and the list of approvals.`,
        ]),
      );
      break;
    }
    lines.push(line);
  }
  return lines;
}

/** Where results that are not shown come from. */
function sourceLinks(cards: readonly Card[], room: number): KnownBlock[] {
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
  while (items.length > 0) {
    const drawn = pack([[...bold("Sources  "), ...linksLine(items)]]);
    if (weigh(drawn) <= room) return drawn;
    items.pop();
  }
  return [];
}

function uniqueNames(files: readonly RenderedFile[]): RenderedFile[] {
  const used = new Set<string>();
  return files.map((file) => {
    let name = file.filename;
    for (let number = 2; used.has(name); number += 1)
      name = file.filename.replace(/(\.\w+)$/, `-${number}$1`);
    used.add(name);
    return { ...file, filename: name };
  });
}

function footer(view: TurnView): KnownBlock[] {
  const small = [
    ...(view.planner === undefined
      ? []
      : [PLANNERS[view.planner] ?? `Planned by ${cutText(view.planner, 100)}`]),
    secondsText(view.elapsedMs),
  ];
  const buttons: ButtonSpec[] = [];
  if (view.results.length > 0) buttons.push({ action: "show_json", label: "Show JSON", value: view.turnId });
  if (view.log.length > 0) buttons.push({ action: "run_log", label: "Run log", value: view.turnId });
  return [...contextBlocks([small.join("  ·  ")]), ...buttonBlocks(buttons)];
}

/** What a notification says. */
function firstWords(view: TurnView, reply: string, cards: Cards): string {
  const waiting = view.approvals.find(
    (approval) => approval.state === "pending" || approval.state === "unknown",
  );
  if (waiting !== undefined) return cards.approval(waiting).title;
  if (reply !== "") return cutText(oneLine(reply), 300);
  if (view.error?.code === "stopped") return view.error.message;
  if (view.error !== undefined)
    return `Sorry, that did not work: ${cutText(oneLine(view.error.message), 300)}`;
  return view.results[0]?.card.title ?? "Done.";
}

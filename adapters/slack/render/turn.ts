import type { KnownBlock } from "@slack/types";

import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { buttonBlocks, contextBlocks, foldValue } from "./buttons.ts";
import type { ButtonSpec } from "./buttons.ts";
import type { RenderedFile } from "./files.ts";
import { LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import { markdownFlow } from "./markdown.ts";
import { createPage } from "./page.ts";
import { turnRef } from "./refs.ts";
import { bold, pack, words } from "./rich.ts";
import { secondsText, statusBlocks, statusText } from "./status.ts";
import { cleanText, cutText, escapeText, oneLine, weigh } from "./text.ts";
import { addApprovals, isOpen } from "./turn-approvals.ts";
import { addResults } from "./turn-results.ts";

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

  addApprovals(page, view.approvals, cards, options.pages ?? {});
  const attachments = addResults(page, view, options.pages ?? {});
  if (page.blocks.length === 0) page.add(pack([words("Done.")]));
  return {
    blocks: [...page.blocks, ...foot],
    text: cutText(escapeText(firstWords(view, reply, cards)), LIMITS.plainText),
    attachments,
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
  const waiting = view.approvals.find(isOpen);
  if (waiting !== undefined) return cards.approval(waiting).title;
  if (reply !== "") return cutText(oneLine(reply), 300);
  if (view.error?.code === "stopped") return view.error.message;
  if (view.error !== undefined)
    return `Sorry, that did not work: ${cutText(oneLine(view.error.message), 300)}`;
  return view.results[0]?.card.title ?? "Done.";
}

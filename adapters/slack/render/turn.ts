import type { KnownBlock } from "@slack/types";

import type { ActorId } from "#contract/actor.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { foldValue } from "../../chat/buttons.ts";
import { callFiles, leftWords } from "../../chat/call-files.ts";
import type { FileLimits } from "../../chat/call-files.ts";
import type { ButtonSpec } from "../../chat/buttons.ts";
import type { RenderedFile } from "../../chat/files.ts";
import { turnRef } from "../../chat/refs.ts";
import { firstWords, footerOf, replyOf } from "../../chat/reply.ts";
import { statusText } from "../../chat/status.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { buttonBlocks, contextBlocks } from "./buttons.ts";
import { LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import { markdownFlow } from "./markdown.ts";
import { createPage } from "./page.ts";
import { bold, pack, words } from "./rich.ts";
import { statusBlocks } from "./status.ts";
import { escapeText, weigh } from "./text.ts";
import { addApprovals } from "./turn-approvals.ts";
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

/** Slack takes files of up to 1 GB; calls bring less. */
export const BROUGHT: FileLimits = { most: 10, bytes: 1e9, allBytes: 1e9 };

/** What the reply may take up while there is a card to show as well. */
const REPLY_BESIDE_CARDS = 2500;

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

  if (view.error !== undefined) page.add(errorBlocks(view.error, view.stoppedBy));
  const hasCards = view.approvals.length > 0 || view.results.length > 0;
  if (reply !== "") page.add(replyBlocks(view, reply, hasCards ? REPLY_BESIDE_CARDS : page.left().chars));

  if (view.missing !== undefined) {
    page.add(buttonBlocks([{ action: "fill_in", label: "Fill in", value: view.turnId, style: "primary" }]));
  }
  addApprovals(page, view.approvals, cards, options.pages ?? {});
  const attachments = addResults(page, view, options.pages ?? {});
  if (page.blocks.length === 0) page.add(pack([words("Done.")]));
  return {
    blocks: [...page.blocks, ...foot],
    text: cutText(
      escapeText(
        view.error?.code === "stopped" && view.stoppedBy !== undefined
          ? "Stopped."
          : firstWords(view, reply, cards),
      ),
      LIMITS.plainText,
    ),
    attachments,
  };
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

function errorBlocks(error: { code: string; message: string }, stoppedBy: ActorId | undefined): KnownBlock[] {
  const message = cutText(cleanText(error.message).trim(), 1000);
  if (error.code === "stopped") {
    // Slack writes the person's name where it knows the id; the core knows only that.
    const [, user] = /^slack:[^:]+:([UW][A-Z0-9]+)$/.exec(stoppedBy ?? "") ?? [];
    if (user === undefined) return pack([[...words("⏹️ "), ...words(message)]]);
    return pack([[...words("⏹️ Stopped by "), { type: "user", user_id: user }, ...words(".")]]);
  }
  return [
    ...pack([[...words("⚠️ "), ...bold("Sorry, that did not work.")], words(message)]),
    ...contextBlocks([error.code]),
  ];
}

function footer(view: TurnView): KnownBlock[] {
  const buttons: ButtonSpec[] = [];
  if (view.results.length > 0) buttons.push({ action: "show_json", label: "Show JSON", value: view.turnId });
  if (view.log.length > 0) buttons.push({ action: "run_log", label: "Run log", value: view.turnId });
  const left = leftWords(callFiles(view, BROUGHT).left);
  const texts = [...(left === undefined ? [] : [left]), footerOf(view)];
  return [...contextBlocks(texts), ...buttonBlocks(buttons)];
}

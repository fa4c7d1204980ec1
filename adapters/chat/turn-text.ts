import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";
import type { TurnPhase } from "#contract/turn.ts";

import { cutText, oneLine } from "#src/base/text.ts";
import { secondsText } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { ownReply } from "../document/reply.ts";
import { groupOf, isOpen } from "./actions.ts";

export const SIGNS: Record<TurnPhase, string> = {
  queued: "⏳",
  planning: "💭",
  executing_tools: "⚙️",
  awaiting_approval: "✋",
  summarizing: "✍️",
  done: "✅",
};

/** One line of a status; what is longer stands in the run log. */
const LINE = 200;

/** Most lines of a list that a server ticks off. */
const LIST_LINES = 20;

/** What the turn says of its own progress, in lines; none when it says nothing. A list of several has its own. */
export function progressLines({ progress, language }: TurnView): string[] {
  if (progress === undefined) return [];
  const message = recordedText(progress.message, wordsOf(language));
  const { detail = "" } = progress;
  const list = message.split("\n").filter((line) => line.trim() !== "");
  if (list.length < 2)
    return [[message, detail].filter((part) => part.trim() !== "").join(": ")].flatMap(shortLine);
  const more = list.length > LIST_LINES ? [`… ${list.length - LIST_LINES}`] : [];
  return [...list.slice(0, LIST_LINES), ...more, detail].flatMap(shortLine);
}

function shortLine(text: string): string[] {
  const line = oneLine(text, LINE);
  return line === "" ? [] : [line];
}

/** The same in one line; undefined when it says nothing. */
export function progressText(view: TurnView): string | undefined {
  const lines = progressLines(view);
  return lines.length === 0 ? undefined : oneLine(lines.join("  "), LINE);
}

/** The same as one line, for notifications. */
export function statusText(view: TurnView): string {
  const say = wordsOf(view.language);
  const text = say.turn.phases[view.phase];
  if (view.progress === undefined) return `${text} …`;
  return `${text}: ${oneLine(recordedText(view.progress.message, say), LINE)}`;
}

const MODELS: Readonly<Record<string, string>> = { ollama: "Ollama", gemini: "Gemini", openai: "OpenAI" };

export function replyOf(view: TurnView): string {
  return ownReply(view, view.results);
}

/** Who planned and how long it took, in small print. */
export function footerOf({ planner, elapsedMs, language }: TurnView): string {
  const who = planner === undefined ? [] : [plannerText(planner, wordsOf(language))];
  return [...who, secondsText(elapsedMs)].join("  ·  ");
}

function plannerText(planner: string, { turn: say }: Words): string {
  if (planner === "builtin") return say.builtin;
  if (planner === "command") return say.command;
  return say.plannedBy(MODELS[planner] ?? cutText(planner, 100));
}

/** What a notification says. */
export function firstWords(view: TurnView, reply: string, cards: Cards): string {
  const group = groupOf(view.approvals);
  if (group.length > 0) return cards.approvals(group).title;
  const waiting = view.approvals.find(isOpen);
  if (waiting !== undefined) return cards.approval(waiting).title;
  if (reply !== "") return oneLine(reply, 300);
  const say = wordsOf(view.language);
  const why = view.error && recordedText(view.error.message, say);
  if (view.error?.code === "stopped") return why ?? say.turn.stopped;
  if (why !== undefined) return say.turn.sorryFor(oneLine(why, 300));
  return view.results[0]?.card.title ?? say.turn.done;
}

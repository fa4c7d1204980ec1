import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";
import type { TurnPhase } from "#contract/turn.ts";

import { cutText, oneLine } from "#src/base/text.ts";
import { secondsText } from "#src/base/time.ts";

import { ownReply } from "../document/reply.ts";
import { groupOf, isOpen } from "./actions.ts";

export const PHASES: Record<TurnPhase, { sign: string; text: string }> = {
  queued: { sign: "⏳", text: "Queued" },
  planning: { sign: "💭", text: "Thinking" },
  executing_tools: { sign: "⚙️", text: "Working" },
  awaiting_approval: { sign: "✋", text: "Waiting for approval" },
  summarizing: { sign: "✍️", text: "Writing the answer" },
  done: { sign: "✅", text: "Done" },
};

/** One line of a status; what is longer stands in the run log. */
const LINE = 200;

/** What the turn says of its own progress; undefined when it says nothing. */
export function progressText({ progress }: TurnView): string | undefined {
  if (progress === undefined) return undefined;
  const said = [progress.message, progress.detail ?? ""].filter((part) => part.trim() !== "");
  return said.length === 0 ? undefined : oneLine(said.join(": "), LINE);
}

/** The same as one line, for notifications. */
export function statusText(view: TurnView): string {
  const { text } = PHASES[view.phase];
  return view.progress === undefined ? `${text} …` : `${text}: ${oneLine(view.progress.message, LINE)}`;
}

const PLANNERS: Readonly<Record<string, string>> = {
  ollama: "Planned by Ollama",
  gemini: "Planned by Gemini",
  openai: "Planned by OpenAI",
  builtin: "Planned by the built-in planner, without a model",
  command: "Run as a command",
};

export function replyOf(view: TurnView): string {
  return ownReply(view, view.results);
}

/** Who planned and how long it took, in small print. */
export function footerOf({ planner, elapsedMs }: TurnView): string {
  const who = planner === undefined ? [] : [PLANNERS[planner] ?? `Planned by ${cutText(planner, 100)}`];
  return [...who, secondsText(elapsedMs)].join("  ·  ");
}

/** What a notification says. */
export function firstWords(view: TurnView, reply: string, cards: Cards): string {
  const group = groupOf(view.approvals);
  if (group.length > 0) return cards.approvals(group).title;
  const waiting = view.approvals.find(isOpen);
  if (waiting !== undefined) return cards.approval(waiting).title;
  if (reply !== "") return oneLine(reply, 300);
  if (view.error?.code === "stopped") return view.error.message;
  if (view.error !== undefined) return `Sorry, that did not work: ${oneLine(view.error.message, 300)}`;
  return view.results[0]?.card.title ?? "Done.";
}

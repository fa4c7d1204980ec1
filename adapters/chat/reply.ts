import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { isOpen } from "./approvals.ts";
import { secondsText } from "./status.ts";
import { cutText, oneLine } from "./text.ts";

/** Replies end with this note for surfaces that have no footer; here the footer says it. */
const BUILTIN_NOTE = /\n_?Planned by the built-in planner[^_\n]*_?$/;

const PLANNERS: Readonly<Record<string, string>> = {
  ollama: "Planned by Ollama",
  gemini: "Planned by Gemini",
  openai: "Planned by OpenAI",
  builtin: "Planned by the built-in planner, without a model",
  command: "Run as a command",
};

export function replyOf(view: TurnView): string {
  const reply = view.reply ?? "";
  return (view.planner === "builtin" ? reply.trimEnd().replace(BUILTIN_NOTE, "") : reply).trim();
}

/** Who planned and how long it took, in small print. */
export function footerOf({ planner, elapsedMs }: TurnView): string {
  const who = planner === undefined ? [] : [PLANNERS[planner] ?? `Planned by ${cutText(planner, 100)}`];
  return [...who, secondsText(elapsedMs)].join("  ·  ");
}

/** What a notification says. */
export function firstWords(view: TurnView, reply: string, cards: Cards): string {
  const waiting = view.approvals.find(isOpen);
  if (waiting !== undefined) return cards.approval(waiting).title;
  if (reply !== "") return cutText(oneLine(reply), 300);
  if (view.error?.code === "stopped") return view.error.message;
  if (view.error !== undefined)
    return `Sorry, that did not work: ${cutText(oneLine(view.error.message), 300)}`;
  return view.results[0]?.card.title ?? "Done.";
}

import type { KnownBlock } from "@slack/types";

import type { TurnView } from "#contract/present.ts";
import type { TurnPhase } from "#contract/turn.ts";

import { buttonBlocks, contextBlocks } from "./buttons.ts";
import { progressLine } from "./draw.ts";
import { bold, pack, words } from "./rich.ts";
import type { Flow } from "./rich.ts";
import { count, cutText, oneLine } from "./text.ts";

const PHASES: Record<TurnPhase, { sign: string; text: string }> = {
  queued: { sign: "⏳", text: "Queued" },
  planning: { sign: "💭", text: "Thinking" },
  executing_tools: { sign: "⚙️", text: "Working" },
  awaiting_approval: { sign: "✋", text: "Waiting for approval" },
  summarizing: { sign: "✍️", text: "Writing the answer" },
  done: { sign: "✅", text: "Done" },
};

/** One line of a status; what is longer stands in the run log. */
const LINE = 200;

/** A turn that is under way: the phase, what is being called and how far it is, and how to stop it. */
export function statusBlocks(view: TurnView): KnownBlock[] {
  const { sign, text } = PHASES[view.phase];
  const { progress } = view;
  const flow: Flow[] = [[...words(`${sign} `), ...bold(text), ...tool(progress?.tool)]];
  if (progress !== undefined) {
    const said = [progress.message, progress.detail ?? ""].filter((part) => part.trim() !== "");
    if (said.length > 0) flow.push(words(cutText(oneLine(said.join(": ")), LINE)));
    if (progress.progress !== undefined && progress.total !== undefined) {
      flow.push(progressLine({ label: "", value: progress.progress, total: progress.total }));
    }
  }
  const small = [secondsText(view.elapsedMs)];
  if (view.results.length > 0) small.push(`${count(view.results.length, "result")} so far`);
  return [
    ...pack(flow),
    ...contextBlocks([small.join("  ·  ")]),
    ...(view.canStop ? buttonBlocks([{ action: "stop", label: "Stop", value: view.turnId }]) : []),
  ];
}

/** The same as one line, for notifications. */
export function statusText(view: TurnView): string {
  const { text } = PHASES[view.phase];
  return view.progress === undefined
    ? `${text} …`
    : `${text}: ${cutText(oneLine(view.progress.message), LINE)}`;
}

function tool(name: string | undefined): ReturnType<typeof words> {
  return name === undefined ? [] : [...words("  "), ...words(cutText(name, 100), { code: true })];
}

/** "40 ms", and from a second on as `secondsText`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : secondsText(ms);
}

/** "0.4 s", "12 s", "2 min 5 s". */
export function secondsText(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

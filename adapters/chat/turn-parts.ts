import type { Cards } from "#contract/core.ts";
import type { FilledCall } from "#contract/message.ts";
import type { TurnView } from "#contract/present.ts";
import { buttonText } from "#src/base/statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { secondsText } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import type { Flow, Line } from "../document/tree.ts";
import { type ButtonSpec, foldValue, groupOf, isOpen, pageValue, readPageValue, turnRef } from "./actions.ts";
import { callFiles, type FileLimits, leftWords } from "./files.ts";
import { cleanText } from "./text.ts";
import { progressLines, SIGNS } from "./turn-text.ts";
import { bold, progressLine, small, words } from "./line.ts";

/** Requests of a turn that goes on, by their titles; those that still wait keep their cards. */
export function decidedFlow({ approvals }: TurnView, cards: Cards): Flow[] {
  return approvals
    .filter((approval) => !isOpen(approval))
    .slice(-5)
    .map((approval) => small(words(cutText(oneLine(cards.approval(approval).title), 150))));
}

/** Results are there, and a model takes its time over what it says of them. */
export function awaitsWords({ isSettled, phase, results, questions = [] }: TurnView): boolean {
  if (isSettled || results.length === 0 || questions.length > 0) return false;
  return phase === "planning" || phase === "summarizing";
}

/** A turn that is under way: the phase, what is being called and how far it is. `bar`: its characters. */
export function statusFlow(view: TurnView, bar: number): Flow[] {
  const say = wordsOf(view.language);
  const text = say.turn.phases[view.phase];
  const sign = SIGNS[view.phase];
  const { progress, total } = view.progress ?? {};
  const results = view.results.length === 0 ? "" : `  ·  ${say.turn.soFar(view.results.length)}`;
  return [
    [...words(`${sign} `), ...bold(text)],
    ...progressLines(view).map((line) => words(line)),
    ...(progress === undefined || total === undefined
      ? []
      : [progressLine({ label: "", value: progress, total }, bar, say)]),
    small(words(`${secondsText(view.elapsedMs)}${results}`)),
  ];
}

export function statusButtons({ canStop, turnId, language }: TurnView): ButtonSpec[] {
  return canStop ? [{ action: "stop", label: wordsOf(language).buttons.stop, value: turnId }] : [];
}

/** Why a turn failed; `stoppedBy` is whoever stopped it, where the platform can name them. */
export function errorFlow(
  { code, message }: { code: string; message: string },
  { most, say, stoppedBy }: { most: number; say: Words; stoppedBy?: Line | undefined },
): Flow[] {
  const said = words(cutText(cleanText(recordedText(message, say)).trim(), most));
  if (code !== "stopped") {
    return [[...words("⚠️ "), ...bold(say.turn.sorry)], said, small(words(code))];
  }
  if (stoppedBy === undefined) return [[...words("⏹️ "), ...said]];
  return [[...words(say.turn.stoppedBy), ...stoppedBy, ...words(".")]];
}

/** Opens the reply of which the message shows the beginning. */
export function wholeReply({ turnId, language }: TurnView): ButtonSpec {
  return {
    action: "show_all",
    label: wordsOf(language).buttons.showReply,
    value: foldValue(turnRef(turnId), "reply"),
  };
}

/** Asks for the values without which nothing was sent, or opens the form of a tool that may have been meant. */
export function fillIn({ missing, choices = [], turnId, language }: TurnView): ButtonSpec[] {
  const label = wordsOf(language).buttons.fillIn;
  const wanted: ButtonSpec[] =
    missing === undefined ? [] : [{ action: "fill_in", label, value: turnId, style: "primary" }];
  const offered = choices.map(({ title }, at): ButtonSpec => ({
    action: "fill_in",
    label: title,
    value: pageValue(turnId, at),
  }));
  return [...wanted, ...offered];
}

/** The turn and the call whose form such a button opens; undefined when it is asked for no more. */
export async function formOf(
  value: string,
  viewOf: (turnId: string) => Promise<TurnView | undefined>,
): Promise<{ view: TurnView; call: FilledCall } | undefined> {
  const chosen = readPageValue(value);
  const view = await viewOf(chosen?.ref ?? value);
  const asked = chosen === undefined ? view?.missing : view?.choices?.[chosen.page];
  return view && asked && { view, call: { tool: asked.tool, args: asked.args } };
}

/** What of the calls' files is not attached. */
export function footFlow(view: TurnView, limits: FileLimits): Flow[] {
  const left = leftWords(callFiles(view, limits).left, wordsOf(view.language));
  return left === undefined ? [] : [small(words(left))];
}

/** What people think of an answer: one thumb up, one down. None while somebody has something to do with it. */
export function thumbs(view: TurnView): ButtonSpec[] {
  const { turnId: value, error, approvals, reply = "", results } = view;
  const isAnswer = error === undefined && (reply.trim() !== "" || results.length > 0);
  if (!view.isSettled || !isAnswer || approvals.some(isOpen)) return [];
  return [
    { action: "rate_good", label: "👍", value },
    { action: "rate_bad", label: "👎", value },
  ];
}

/** A menu has room for five. */
const MOST_DETAILS = 3;

/** What few people look at: it stands in one menu. */
export function menuItems({ approvals, results, log, turnId: value, language }: TurnView): ButtonSpec[] {
  const { buttons: say } = wordsOf(language);
  // One that waits alone has a button of its own.
  const group = groupOf(approvals);
  const shown = [...group, ...approvals.filter((approval) => !isOpen(approval)).toReversed()];
  const details = shown.slice(0, MOST_DETAILS).map(({ id, statement }): ButtonSpec => ({
    action: "details",
    label: say.detailsOf(buttonText(statement)),
    value: id,
  }));
  return [
    ...details,
    ...(results.length > 0 ? [{ action: "show_json", label: say.showJson, value } as const] : []),
    ...(log.length > 0 ? [{ action: "run_log", label: say.runLog, value } as const] : []),
  ];
}

import type { TurnResult } from "#contract/turn.ts";
import { printAnswer } from "./answer.ts";
import { printProblem, problemOf } from "./problems.ts";
import { ProgressLine } from "./progress.ts";
import { answerQuestion } from "./questions.ts";
import { plainLine } from "#src/base/terminal-text.ts";
import { printNote, type Session } from "./session.ts";

/** Submits a message and shows the turn to its end for now. */
export async function say(session: Session, message: string): Promise<TurnResult | undefined> {
  const { turnId } = await session.core.submit({
    surface: "console",
    actor: session.actor,
    conversationId: session.conversationId,
    channel: session.channel,
    message,
  });
  return follow(session, turnId);
}

/**
 * Shows a turn from where it was left: its progress, then what it brought. Ctrl-C stops the turn;
 * a second one leaves it stopping behind.
 */
export async function follow(session: Session, turnId: string): Promise<TurnResult | undefined> {
  const { core, screen, keyboard } = session;
  const before = session.followed.get(turnId);
  const leave = new AbortController();
  let progress = new ProgressLine(screen);
  let stopping = false;
  const release = keyboard.onInterrupt(() => {
    if (stopping) {
      leave.abort();
      return;
    }
    stopping = true;
    progress.stopping();
    core
      .stop(turnId, session.actor)
      .then((reply) => {
        if (!reply.stopped) printNote(session, plainLine(reply.message));
      })
      .catch((error: unknown) => printProblem(screen, problemOf(error)));
  });
  let ending: TurnResult | { code: string; message: string } | undefined;
  try {
    const signal = AbortSignal.any([leave.signal, session.signal]);
    for await (const { seq, event } of core.events(turnId, { after: before?.seq ?? 0, signal })) {
      const result = event.type === "result" ? event.result : session.followed.get(turnId)?.result;
      session.followed.set(turnId, { seq, ...(result !== undefined && { result }) });
      if (event.type === "result") ending = event.result;
      else if (event.type === "error") ending = event;
      else if (event.type === "question") {
        progress.end();
        await answerQuestion(session, event.question);
        progress = new ProgressLine(screen);
      } else progress.show(event);
    }
  } finally {
    release();
    progress.end();
  }
  if (leave.signal.aborted)
    printNote(session, "Left behind while it stops. /approvals and /status show what remains.");
  if (ending === undefined) return undefined;
  if ("code" in ending) {
    printProblem(screen, ending);
    return undefined;
  }
  printAnswer(screen, session.results, ending, before?.result?.toolResults ?? []);
  return ending;
}

/** Reads a turn's past without showing it, so that only what comes now will be. */
export async function skipPast(session: Session, turnId: string): Promise<void> {
  if (session.followed.has(turnId)) return;
  for await (const { seq, event } of session.core.events(turnId, { after: 0, signal: session.signal })) {
    const result = event.type === "result" ? event.result : session.followed.get(turnId)?.result;
    session.followed.set(turnId, { seq, ...(result !== undefined && { result }) });
  }
}

import type { NumberedEvent, TurnEvent, TurnPhase, TurnResult } from "#contract/turn.ts";
import { plainLine } from "#src/base/text.ts";

import { printAnswer, printCall } from "./answer.ts";
import { answerQuestion } from "./questions.ts";
import { bar } from "./render/terminal.ts";
import { printProblem, problemOf, type Screen } from "./screen.ts";
import { printNote, type Session } from "./session.ts";

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
  let hasWorked = false;
  let shown = before?.result?.toolResults ?? [];
  const release = keyboard.onInterrupt(() => {
    if (stopping) {
      leave.abort();
      return;
    }
    stopping = true;
    progress.stopping();
    core.stop(turnId, session.actor).then(
      ({ stopped, message }) => stopped || printNote(session, plainLine(message)),
      (error: unknown) => printProblem(screen, problemOf(error)),
    );
  });
  let ending: TurnResult | { code: string; message: string } | undefined;
  try {
    const signal = AbortSignal.any([leave.signal, session.signal]);
    for await (const numbered of core.events(turnId, { after: before?.seq ?? 0, signal })) {
      const { event } = numbered;
      remember(session, numbered);
      if (event.type === "result") ending = event.result;
      else if (event.type === "error") ending = event;
      else if (event.type === "question") {
        progress.end();
        await answerQuestion(session, event.question);
        progress = new ProgressLine(screen);
      } else {
        // What is planned next may be a request, beside which what was looked up for it is named alone.
        const phase = event.type === "status" ? event.phase : undefined;
        const isOver = hasWorked && phase !== undefined && phase !== "executing_tools";
        if (phase === "executing_tools") hasWorked = true;
        const brought = isOver ? (await core.turn(turnId))?.result : undefined;
        const found = phase === "summarizing" || isByModel(brought) ? (brought?.toolResults ?? []) : [];
        if (found.length > shown.length) {
          // A model takes its time over what it says of them.
          progress.end();
          for (const call of found.slice(shown.length)) {
            printCall(screen, session.results, call);
            screen.print();
          }
          shown = found;
          hasWorked = false;
          progress = new ProgressLine(screen);
        }
        progress.show(event);
      }
    }
  } finally {
    release();
    progress.end();
  }
  if (leave.signal.aborted)
    printNote(session, "It goes on stopping by itself. /approvals and /status show what remains.");
  if (ending === undefined) return undefined;
  if ("code" in ending) {
    printProblem(screen, ending);
    return undefined;
  }
  printAnswer(screen, session.results, ending, shown);
  return ending;
}

/** It takes its time over what to do next as well. */
function isByModel(result: TurnResult | undefined): boolean {
  return result !== undefined && result.planner !== "builtin" && result.planner !== "command";
}

/** Reads a turn's past without showing it, so that only what comes now will be. */
export async function skipPast(session: Session, turnId: string): Promise<void> {
  if (session.followed.has(turnId)) return;
  for await (const event of session.core.events(turnId, { after: 0, signal: session.signal }))
    remember(session, event);
}

function remember({ followed }: Session, { turnId, seq, event }: NumberedEvent): void {
  const result = event.type === "result" ? event.result : followed.get(turnId)?.result;
  followed.set(turnId, { seq, ...(result !== undefined && { result }) });
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

const PHASES: Record<TurnPhase, string> = {
  queued: "Queued",
  planning: "Planning",
  executing_tools: "Working",
  awaiting_approval: "Asking for approval",
  summarizing: "Writing the answer",
  done: "Done",
};

/** What a running turn does: one line that changes on a terminal, a line for each step otherwise. */
class ProgressLine {
  readonly #screen: Screen;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #phase: TurnPhase = "queued";
  #step = "";
  #progress: number | undefined;
  #total: number | undefined;
  #stopping = false;
  #printed = "";

  constructor(screen: Screen) {
    this.#screen = screen;
    if (screen.interactive) {
      this.#timer = setInterval(() => this.#draw(1), FRAME_MS);
      this.#draw();
    }
  }

  show(event: TurnEvent): void {
    if (event.type === "status") {
      if (event.phase !== this.#phase) this.#step = "";
      this.#phase = event.phase;
      this.#progress = undefined;
    } else if (event.type === "progress") {
      const { message, detail } = event;
      this.#step = plainLine(detail === undefined ? message : `${message} · ${detail}`);
      this.#progress = event.progress;
      this.#total = event.total;
    }
    this.#draw();
  }

  stopping(): void {
    this.#stopping = true;
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#screen.status(undefined);
  }

  #draw(frames = 0): void {
    this.#frame = (this.#frame + frames) % FRAMES.length;
    const phase = this.#stopping ? "Stopping" : PHASES[this.#phase];
    const words = [phase, this.#step].filter((part) => part !== "").join(" · ");
    if (!this.#screen.interactive) {
      this.#printOnce(words);
      return;
    }
    const tail = this.#tail();
    const keys = this.#stopping || tail !== undefined ? "" : " · Ctrl-C stops";
    const seconds = Math.floor((performance.now() - this.#started) / 1000);
    const text = `${FRAMES[this.#frame]} ${seconds} s · ${words}${keys}`;
    this.#screen.status({ text, ...(tail !== undefined && { tail }) });
  }

  #tail(): string | undefined {
    const { ink, columns } = this.#screen;
    if (this.#progress === undefined) return undefined;
    if (this.#total === undefined) return ink.paint("gray", String(this.#progress));
    return bar(this.#progress, this.#total, { ink, width: Math.min(48, columns) });
  }

  /** Without a terminal: every phase and step once; the amounts would fill pages. */
  #printOnce(words: string): void {
    if (this.#phase === "queued" || this.#phase === "done" || words === this.#printed) return;
    this.#printed = words;
    this.#screen.print(`… ${words}`);
  }
}

import type { TurnEvent, TurnPhase } from "#contract/turn.ts";
import { bar } from "./render/elements.ts";
import { plainLine } from "#src/base/terminal-text.ts";
import type { Screen } from "./screen.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

const PHASES: Record<TurnPhase, string> = {
  queued: "Waiting for its turn",
  planning: "Planning",
  executing_tools: "Working",
  awaiting_approval: "Asking for approval",
  summarizing: "Writing the answer",
  done: "Done",
};

/** What a running turn does: one line that changes on a terminal, a line for each step otherwise. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #phase: TurnPhase = "queued";
  #step = "";
  #amount: { value: number; total: number | undefined } | undefined;
  #stopping = false;
  #printed = "";

  constructor(screen: Screen) {
    this.#screen = screen;
    if (screen.interactive) {
      this.#timer = setInterval(() => this.#tick(), FRAME_MS);
      this.#draw();
    }
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  show(event: TurnEvent): void {
    if (event.type === "status") {
      if (event.phase !== this.#phase) this.#step = "";
      this.#phase = event.phase;
      this.#amount = undefined;
    } else if (event.type === "progress") {
      this.#step = plainLine(
        event.detail === undefined ? event.message : `${event.message} · ${event.detail}`,
      );
      this.#amount = event.progress === undefined ? undefined : { value: event.progress, total: event.total };
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

  #tick(): void {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    this.#draw();
  }

  #draw(): void {
    const phase = this.#stopping ? "Stopping" : PHASES[this.#phase];
    const words = [phase, this.#step].filter((part) => part !== "").join(" · ");
    if (!this.#screen.interactive) {
      this.#printOnce(words);
      return;
    }
    const { ink, columns } = this.#screen;
    const keys = this.#stopping ? "" : " · Ctrl-C stops";
    const text = `${FRAMES[this.#frame]} ${Math.floor(this.seconds)} s · ${words}${this.#amount === undefined ? keys : ""}`;
    this.#screen.status({ text, ...this.#tail(ink, columns) });
  }

  #tail(ink: Screen["ink"], columns: number): { tail?: string } {
    if (this.#amount === undefined) return {};
    const { value, total } = this.#amount;
    if (total === undefined) return { tail: ink.paint("gray", String(value)) };
    return { tail: bar(value, total, { ink, width: Math.min(48, columns) }) };
  }

  /** Without a terminal: every phase and step once; the amounts would fill pages. */
  #printOnce(words: string): void {
    if (this.#phase === "queued" || this.#phase === "done" || words === this.#printed) return;
    this.#printed = words;
    this.#screen.print(`… ${words}`);
  }
}

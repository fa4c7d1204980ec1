import { Writable } from "node:stream";

import { codeOf, messageOf } from "#src/base/errors.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { createInk, type Ink } from "./render/ink.ts";
import { cut, hang } from "./render/layout.ts";

export interface ConsoleInput extends NodeJS.ReadableStream {
  isTTY?: boolean;
}

export interface ConsoleOutput extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** What stands in the status line: a plain text, and perhaps a styled tail such as a progress bar. */
interface StatusText {
  text: string;
  tail?: string;
}

/** The terminal as the chat writes to it: finished lines above, at most one changing line below. */
export class Screen {
  readonly ink: Ink;
  readonly interactive: boolean;
  readonly #output: ConsoleOutput;
  #status: StatusText | undefined;

  constructor(output: ConsoleOutput, options: { color: boolean; interactive: boolean }) {
    this.#output = output;
    this.ink = createInk(options.color);
    this.interactive = options.interactive;
  }

  get columns(): number {
    return Math.max(20, this.#output.columns ?? 80);
  }

  /** Writes whole lines; the status line moves below them. */
  print(text = ""): void {
    this.#output.write(`${this.#status === undefined ? "" : "\r\u001b[2K"}${text}\n`);
    if (this.#status !== undefined) this.#draw();
  }

  /** Writes a text between the edges of the terminal; lines after the first begin under what follows `first`. */
  say(text: string, first = ""): void {
    this.print(hang(first, text, this.columns).join("\n"));
  }

  /** Writes as it is, for prompts. */
  write(text: string): void {
    this.#output.write(text);
  }

  /** Shows or redraws the status line, or takes it away. Only on a terminal. */
  status(text: StatusText | undefined): void {
    if (!this.interactive || (text === undefined && this.#status === undefined)) return;
    // The cursor is hidden while the line changes ten times a second.
    if (this.#status === undefined) this.#output.write("\u001b[?25l");
    this.#status = text;
    if (text === undefined) this.#output.write("\r\u001b[2K\u001b[?25h");
    else this.#draw();
  }

  clear(): void {
    if (this.interactive) this.#output.write("\u001b[H\u001b[2J\u001b[3J");
  }

  #draw(): void {
    if (this.#status === undefined) return;
    const { text, tail } = this.#status;
    const room = this.columns - 1;
    const head = cut(text, tail === undefined ? room : Math.max(10, room - 30));
    this.#output.write(`\r\u001b[2K${this.ink.paint("gray", head)}${tail === undefined ? "" : ` ${tail}`}`);
  }
}

/** An output that readline may echo to only while it is listening to a person. */
export class MutableOutput extends Writable {
  muted = true;
  readonly isTTY = true;
  readonly #output: ConsoleOutput;

  constructor(output: ConsoleOutput) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on("resize", this.#resized);
  }

  get columns(): number {
    return this.#output.columns ?? 80;
  }

  get rows(): number {
    return this.#output.rows ?? 24;
  }

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    if (!this.muted) this.#output.write(chunk);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#output.off("resize", this.#resized);
    done(error);
  }

  readonly #resized = (): void => {
    this.emit("resize");
  };
}

/** What a person can do about an error in this chat, by code. */
const ADVICE: Record<string, string> = {
  model_unreachable: "See /status. Commands such as /jira work without a model.",
  model_timeout: "Try again, or see /status for the model in use.",
  model_not_found: "See /status for the model in use.",
  model_failed: "Try again, or see /status for the model in use.",
  plan_invalid: "Try rephrasing, or name the tool: /tools lists them.",
  server_down: "See /status; the server is tried again by itself.",
  transport: "See /status; the server is tried again by itself.",
  timeout: "Try again, perhaps with a narrower question.",
  too_large: "Ask for less at once.",
};

/** An error in the chat: what happened, its code, and what to do. */
export function printProblem(screen: Screen, problem: { code: string; message: string }): void {
  const { ink } = screen;
  const code = ink.paint("gray", `(${plainLine(problem.code)})`);
  const message = ink.paint("red", plainText(problem.message));
  screen.say(`${message} ${code}`, ink.paint("red", "✖ "));
  const advice = ADVICE[problem.code];
  if (advice !== undefined) screen.say(ink.paint("gray", advice), "  ");
}

/** Anything thrown, as code and message. */
export function problemOf(error: unknown): { code: string; message: string } {
  return { code: codeOf(error) ?? "internal", message: messageOf(error) };
}

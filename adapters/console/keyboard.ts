import { createInterface } from "node:readline/promises";

import { plainText } from "#src/base/text.ts";

import type { ConsoleInput, Screen } from "./screen.ts";

/** Where messages and answers come from: a person at a terminal, or lines of a pipe. */
export interface Keyboard {
  /** The next message, possibly of several lines; undefined when the person is done. */
  next(): Promise<string | undefined>;
  /**
   * A line that decides something; undefined when it was left undecided, and always without a terminal.
   * It waits until the person has stopped typing, so that what it takes was typed after the question was
   * shown. Aborting leaves it undecided.
   */
  word(prompt: string, signal?: AbortSignal): Promise<TypedWord | undefined>;
  /**
   * A line of text; undefined when it was broken off, and always without a terminal. With `lines` it may
   * have several: pasted ones, and those after a backslash at the end.
   */
  ask(question: string, options?: { lines?: boolean }): Promise<string | undefined>;
  /** Calls `handler` at Ctrl-C until the returned function is called. */
  onInterrupt(handler: () => void): () => void;
  close(): void;
}

/** A line that decides something, or why it decides nothing: it was pasted, or begun too early. */
export type TypedWord = { kind: "typed"; text: string } | { kind: "pasted" } | { kind: "begun" };

/** Collects lines into messages: a backslash at the end of a line takes the next one in. */
export class MessageBuilder {
  #lines: string[] = [];

  get open(): boolean {
    return this.#lines.length > 0;
  }

  /** The message that `line` completes, if it does. `more`: another line follows in any case. */
  add(line: string, more = false): string | undefined {
    const continued = line.endsWith("\\");
    this.#lines.push(continued ? line.slice(0, -1) : line);
    return continued || more ? undefined : this.take();
  }

  /** What was collected so far. */
  take(): string | undefined {
    if (this.#lines.length === 0) return undefined;
    const message = this.#lines.join("\n");
    this.#lines = [];
    return message;
  }

  drop(): void {
    this.#lines = [];
  }
}

export const PROMPT = "countersign> ";
export const MORE_PROMPT = "…            ";

/** Writes a message the way it looks when it is typed, for those that nobody saw being typed. */
export function echo(screen: Screen, message: string): void {
  for (const [index, line] of message.split("\n").entries())
    screen.print(screen.ink.paint("gray", index === 0 ? PROMPT : MORE_PROMPT) + line);
}

/** Each line of a pipe or file is a message. Nobody is there to answer questions. */
export function openPipe(input: ConsoleInput, screen: Screen): Keyboard {
  const reader = createInterface({ input, crlfDelay: Infinity, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const builder = new MessageBuilder();
  return {
    async next() {
      for (;;) {
        const line = await lines.next();
        const message = line.done === true ? builder.take() : builder.add(line.value);
        if (message !== undefined && message.trim() !== "") {
          echo(screen, plainText(message));
          return message;
        }
        if (line.done === true) return undefined;
      }
    },
    word: () => Promise.resolve(undefined),
    ask: () => Promise.resolve(undefined),
    onInterrupt: () => () => {},
    close: () => reader.close(),
  };
}

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Key } from "node:readline";
import { createInterface, type Interface } from "node:readline/promises";

import { codeOf, messageOf } from "#src/base/errors.ts";
import { makePrivateFile, makePrivateFolder } from "#src/base/private-files.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { echo, type Keyboard, MessageBuilder, MORE_PROMPT, PROMPT, type TypedWord } from "./keyboard.ts";
import { type ConsoleInput, type ConsoleOutput, MutableOutput, type Screen } from "./screen.ts";

interface TerminalKeyboardOptions {
  input: ConsoleInput;
  output: ConsoleOutput;
  screen: Screen;
  history: History;
  complete(line: string): Promise<[string[], string]>;
}

/** Who sees a question come up has stopped typing for so long before it takes an answer. */
const QUIET_MS = 250;

/**
 * A line editor over node:readline. While a turn runs nothing is echoed, but what is typed is kept:
 * finished lines become the next messages, an unfinished one stands at the next prompt.
 */
export class TerminalKeyboard implements Keyboard {
  readonly #input: ConsoleInput;
  readonly #output: MutableOutput;
  readonly #screen: Screen;
  readonly #history: History;
  readonly #reader: Interface;
  readonly #builder = new MessageBuilder();
  readonly #queue: string[] = [];
  #waiting: ((message: string | undefined) => void) | undefined;
  #interrupt: (() => void) | undefined;
  /** Whether what is typed answers a question, so that it is neither a message nor history. */
  #answering = false;
  /** Takes the line that answers a question, while one is open. */
  #answer: ((line: string) => void) | undefined;
  #pasting = false;
  /** What was put back after a question, for the next prompt: it was noticed once. */
  #kept = "";
  #closed = false;
  /** Ctrl-C was pressed at an empty prompt; the next one quits. */
  #leaving = false;

  constructor(options: TerminalKeyboardOptions) {
    this.#input = options.input;
    this.#screen = options.screen;
    this.#history = options.history;
    this.#output = new MutableOutput(options.output);
    this.#reader = createInterface({
      input: options.input,
      output: this.#output,
      terminal: true,
      history: [...options.history.entries],
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string): [string[], string] | Promise<[string[], string]> =>
        this.#pasting || this.#answering ? [[], line] : options.complete(line),
    });
    this.#reader.on("line", (line) => this.#line(line));
    this.#reader.on("SIGINT", () => this.#interrupted());
    this.#reader.on("history", (entries) => {
      if (this.#answering) entries.shift();
    });
    this.#reader.on("close", () => {
      this.#closed = true;
      // The prompt's line ends here, whatever follows.
      if (this.#waiting !== undefined) this.#screen.print();
      this.#settle(undefined);
    });
    this.#input.on("keypress", this.#pressed);
    // Bracketed paste: pasted lines make one message instead of one each.
    this.#screen.write("\u001b[?2004h");
  }

  next(): Promise<string | undefined> {
    const typed = this.#queue.shift();
    if (typed !== undefined) {
      echo(this.#screen, plainText(typed));
      return Promise.resolve(typed);
    }
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#prompt(this.#takeTyped());
    });
  }

  async word(prompt: string, signal?: AbortSignal): Promise<TypedWord | undefined> {
    if (this.#closed || (await this.#quiet()) === undefined || signal?.aborted === true) return undefined;
    const typed = this.#takeTyped();
    // The person may go on with what they were typing, without a look at the question.
    const isBegun = typed !== "" && typed !== this.#kept;
    this.#kept = typed;
    this.#answering = true;
    const columns = this.#output.columns;
    const draw = (text: string): void =>
      this.#screen.write(`\r\u001b[K${prompt}${plainLine(text).slice(-Math.max(10, columns - 12))}`);
    const line = await this.#unlessLeft<{ text: string; pasted: boolean } | undefined>((settle) => {
      const reading = new TypedLine({ changed: draw, done: settle });
      const read = (bytes: Buffer | string): void => reading.read(bytes.toString());
      const pressed = (text: string | undefined, key: Key): void => {
        if (key.name === "escape") settle(undefined);
        else reading.press(text, key);
      };
      const left = (): void => settle(undefined);
      signal?.addEventListener("abort", left, { once: true });
      // Before readline, which tells of the keys in what was read.
      this.#input.prependListener("data", read);
      this.#input.on("keypress", pressed);
      draw("");
      return () => {
        reading.end();
        signal?.removeEventListener("abort", left);
        this.#input.off("data", read);
        this.#input.off("keypress", pressed);
        this.#takeTyped();
        this.#answering = false;
      };
    });
    this.#screen.print();
    this.#putBack(typed);
    if (line === undefined) return undefined;
    if (line.pasted) return { kind: "pasted" };
    return isBegun ? { kind: "begun" } : { kind: "typed", text: line.text };
  }

  async ask(question: string, { lines = false }: { lines?: boolean } = {}): Promise<string | undefined> {
    if (this.#closed) return undefined;
    const typed = this.#takeTyped();
    const builder = new MessageBuilder();
    this.#answering = true;
    const answer = await this.#unlessLeft<string>((settle) => {
      const prompt = (text: string): void => {
        this.#reader.setPrompt(text);
        this.#output.muted = false;
        this.#reader.prompt();
      };
      this.#answer = (line) => {
        const text = lines ? builder.add(line, this.#pasting) : line;
        if (text === undefined) prompt("… ");
        else settle(text);
      };
      prompt(question);
      return () => {
        this.#answer = undefined;
      };
    });
    this.#output.muted = true;
    if (answer === undefined) this.#screen.print();
    this.#takeTyped();
    this.#answering = false;
    this.#putBack(typed);
    return answer;
  }

  onInterrupt(handler: () => void): () => void {
    const before = this.#interrupt;
    this.#interrupt = handler;
    return () => {
      this.#interrupt = before;
    };
  }

  close(): void {
    this.#input.off("keypress", this.#pressed);
    this.#output.muted = true;
    this.#reader.close();
    this.#output.destroy();
    this.#screen.write("\u001b[?2004l");
  }

  /**
   * Waits until nothing has been typed for a while: all of it was meant for something else than what was
   * just shown, also what still waits to be read. Undefined when the person or the chat ended it.
   */
  #quiet(): Promise<true | undefined> {
    return this.#unlessLeft((settle) => {
      const silence = new Silence(() => settle(true));
      const typed = (): void => silence.begin(QUIET_MS);
      this.#input.on("data", typed);
      silence.begin(QUIET_MS);
      return () => {
        silence.end();
        this.#input.off("data", typed);
      };
    });
  }

  /** What `begin` settles with, or undefined once Ctrl-C or the end of the chat ends it; it returns what undoes it. */
  #unlessLeft<Value>(begin: (settle: (value: Value) => void) => () => void): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const settle = (value: Value | undefined): void => {
        undo();
        this.#reader.off("close", left);
        release();
        resolve(value);
      };
      const left = (): void => settle(undefined);
      const release = this.onInterrupt(left);
      this.#reader.once("close", left);
      const undo = begin(settle);
    });
  }

  #prompt(typed = ""): void {
    this.#kept = "";
    const prompt = this.#builder.open ? MORE_PROMPT : PROMPT;
    this.#reader.setPrompt(this.#screen.ink.paint(["bold", "cyan"], prompt));
    this.#output.muted = false;
    this.#reader.prompt();
    if (typed !== "") this.#reader.write(typed);
  }

  /** Empties the line that is being typed, and returns it. */
  #takeTyped(): string {
    this.#output.muted = true;
    const typed = this.#reader.line;
    if (typed !== "" && !this.#closed) {
      this.#reader.write(null, { ctrl: true, name: "e" });
      this.#reader.write(null, { ctrl: true, name: "u" });
    }
    return typed;
  }

  #putBack(typed: string): void {
    if (typed !== "" && !this.#closed) this.#reader.write(typed);
  }

  #line(line: string): void {
    if (this.#answering) {
      this.#answer?.(line);
      return;
    }
    this.#leaving = false;
    this.#history.add(line);
    const message = this.#builder.add(line, this.#pasting);
    if (message === undefined || message.trim() === "") {
      if (this.#waiting !== undefined) this.#prompt();
      return;
    }
    if (this.#waiting === undefined) this.#queue.push(message);
    else this.#settle(message);
  }

  #settle(message: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#output.muted = true;
    waiting?.(message);
  }

  #interrupted(): void {
    if (this.#interrupt !== undefined) {
      this.#interrupt();
      return;
    }
    const typed = this.#takeTyped();
    if (typed !== "" || this.#builder.open) {
      this.#builder.drop();
      this.#leaving = false;
      this.#screen.print("^C");
    } else if (this.#leaving) {
      // Also ends raw mode: should something hang, the next Ctrl-C is a signal to the process.
      this.#reader.close();
      return;
    } else {
      this.#leaving = true;
      this.#screen.print(`\n${this.#screen.ink.paint("gray", "Ctrl-C once more quits, as does Ctrl-D.")}`);
    }
    if (this.#waiting !== undefined) this.#prompt();
  }

  readonly #pressed = (_text: string | undefined, key: Key): void => {
    if (key.name === "paste-start") this.#pasting = true;
    else if (key.name === "paste-end") this.#pasting = false;
    else if (key.sequence !== "\u0003") this.#leaving = false;
  };
}

/** Keys of a person are further apart than this; bytes of a paste are not. */
const BURST_MS = 20;
/** Nothing may follow Enter for so long: the end of a paste would. */
const AFTER_ENTER_MS = 100;

const ENTER = new Set(["\r", "\n", "\r\n"]);

/**
 * Calls back once nothing has happened for a while. Input that waited while the process was busy counts:
 * it is read before the call, and begins the while anew.
 */
class Silence {
  readonly #then: () => void;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(then: () => void) {
    this.#then = then;
  }

  begin(ms: number): void {
    this.end();
    // Timers come first in a round of the event loop, then what can be read, then immediates.
    this.#timer = setTimeout(() => {
      this.#turn = setImmediate(this.#then);
    }, ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }
}

/**
 * A line of which Enter was pressed by a person. It is `pasted` when a paste was marked in it, wherever
 * the mark ends, when Enter was read together with other bytes or right behind them, or when anything
 * followed Enter at once.
 */
class TypedLine {
  readonly #changed: (text: string) => void;
  readonly #done: (line: { text: string; pasted: boolean }) => void;
  readonly #silence = new Silence(() => this.#silent());
  #text = "";
  #pasted = false;
  #entered = false;
  /** Whether the bytes being read are Enter, alone after a silence. */
  #isEnterAlone = false;
  #isSilent = true;

  /** `changed` is told what to echo; a line is only echoed, and can only be ended, after a short silence. */
  constructor(on: {
    changed: (text: string) => void;
    done: (line: { text: string; pasted: boolean }) => void;
  }) {
    this.#changed = on.changed;
    this.#done = on.done;
  }

  /** Bytes that were read at once; their keys follow. */
  read(bytes: string): void {
    if (this.#entered) this.#pasted = true;
    this.#isEnterAlone = this.#isSilent && ENTER.has(bytes);
    this.#isSilent = false;
    this.#silence.begin(this.#entered ? AFTER_ENTER_MS : BURST_MS);
  }

  press(text: string | undefined, key: Key): void {
    if (key.name === "paste-start" || key.name === "paste-end") this.#pasted = true;
    if (this.#entered) return;
    if (key.name === "return" || key.name === "enter") {
      this.#entered = true;
      if (!this.#isEnterAlone) this.#pasted = true;
      this.#silence.begin(AFTER_ENTER_MS);
    } else if (key.name === "backspace") this.#text = this.#text.replace(/.$/su, "");
    else if (key.ctrl === true && key.name === "u") this.#text = "";
    else if (text !== undefined && key.ctrl !== true && key.meta !== true && !/\p{C}/u.test(text)) {
      this.#text += text;
    }
  }

  end(): void {
    this.#silence.end();
  }

  #silent(): void {
    this.#isSilent = true;
    if (this.#entered) this.#done({ text: this.#text, pasted: this.#pasted });
    else this.#changed(this.#text);
  }
}

const KEPT = 1000;

export interface History {
  /** Newest first, as readline wants it. */
  readonly entries: string[];
  /** Keeps a typed line; never throws. */
  add(line: string): void;
}

/**
 * What was typed before, from a file that only its owner can read. A file that cannot be read or
 * written costs the history, not the chat: `warn` is then told once.
 */
export function openHistory(file: string, warn: (message: string) => void): History {
  const lines = readLines(file, warn);
  let writable = true;
  let newest = lines.at(-1);
  const keep = (write: () => void): void => {
    if (!writable) return;
    try {
      write();
    } catch (error) {
      writable = false;
      warn(`The history cannot be kept in ${file}: ${messageOf(error)}`);
    }
  };
  keep(() => {
    makePrivateFolder(dirname(file));
    makePrivateFile(file);
    // Rewritten when it has grown to twice what is kept, otherwise only appended to.
    if (lines.length > 2 * KEPT) writeFileSync(file, `${lines.slice(-KEPT).join("\n")}\n`);
    else appendFileSync(file, "");
  });
  return {
    entries: lines.slice(-KEPT).toReversed(),
    add(line) {
      if (line.trim() === "" || line === newest) return;
      newest = line;
      keep(() => appendFileSync(file, `${line}\n`));
    },
  };
}

function readLines(file: string, warn: (message: string) => void): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") warn(`The history in ${file} cannot be read: ${messageOf(error)}`);
    return [];
  }
}

import type { Key } from "node:readline";

/** Keys of a person are further apart than this; bytes of a paste are not. */
const BURST_MS = 20;
/** Nothing may follow Enter for so long: the end of a paste would. */
const AFTER_ENTER_MS = 100;

const ENTER = new Set(["\r", "\n", "\r\n"]);

/**
 * Calls back once nothing has happened for a while. Input that waited while the process was busy counts:
 * it is read before the call, and begins the while anew.
 */
export class Silence {
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
export class TypedLine {
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

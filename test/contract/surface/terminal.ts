import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

import { projectRoot } from "#test/e2e/support.ts";

import { PATIENCE_MS } from "./product.ts";

/** Wide and long enough that nothing is wrapped or scrolls away. */
const COLUMNS = 200;
const SCROLLBACK = 20_000;

const PROMPT = /^countersign>\s*$/;

/** A program on a terminal, and what stands on its screen. */
export class Terminal {
  readonly ended: Promise<number>;
  /** Everything that was written, escape sequences included. */
  raw = "";
  readonly titles: string[] = [];
  readonly #pty: IPty;
  readonly #screen = new xterm.Terminal({
    cols: COLUMNS,
    rows: 50,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
  });
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(args: string[], env: Record<string, string>) {
    this.#pty = spawn(process.execPath, args, {
      cwd: projectRoot,
      cols: COLUMNS,
      rows: 50,
      env: { ...process.env, TERM: "xterm-256color", ...env },
    });
    this.#screen.onTitleChange((title) => this.titles.push(title));
    this.#pty.onData((data) => {
      this.raw += data;
      this.#screen.write(data, () => this.#wake());
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        // The screen draws what was written later than it comes.
        this.#screen.write("", () => {
          this.#isOver = true;
          this.#wake();
          resolve(exitCode);
        });
      });
    });
  }

  /** The line that the cursor is in, counted from the first one ever shown. */
  get line(): number {
    const { baseY, cursorY } = this.#screen.buffer.active;
    return baseY + cursorY;
  }

  /** What stands in these lines now. */
  lines(from: number, to: number): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from(
      { length: Math.max(0, Math.min(to, active.length) - from) },
      (_, index) => active.getLine(from + index)?.translateToString(true) ?? "",
    );
    return rows.join("\n").trimEnd();
  }

  get current(): string {
    return this.lines(this.line, this.line + 1);
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  get isPrompt(): boolean {
    return PROMPT.test(this.current);
  }

  /** Resolves when the chat waits for something to be said. */
  async prompt(patienceMs?: number): Promise<void> {
    await this.until(() => this.isPrompt, "a prompt", patienceMs);
  }

  /** Types a word where one is asked for; Enter when it stands there, as a person would. */
  async word(word: string): Promise<void> {
    this.type(word);
    await this.until(() => this.current.endsWith(word), word);
    const { line } = this;
    this.type("\r");
    await this.until(() => this.line > line, "the line after the word");
  }

  /** Resolves as soon as this is so, looking at every change of the screen. */
  until(isSo: () => boolean, what: string, patienceMs: number = PATIENCE_MS): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
        settle();
      };
      const look = (): void => {
        if (isSo()) end(resolve);
        else if (this.#isOver) end(() => reject(this.#missed(what)));
      };
      const timer = setTimeout(() => end(() => reject(this.#missed(what))), patienceMs);
      this.#waiting.add(look);
      look();
    });
  }

  async kill(): Promise<void> {
    if (!this.#isOver) this.#pty.kill("SIGKILL");
    await this.ended;
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }

  #missed(what: string): Error {
    return new Error(
      `expected ${what} on the terminal, got:\n${this.lines(Math.max(0, this.line - 30), this.line + 1)}`,
    );
  }
}

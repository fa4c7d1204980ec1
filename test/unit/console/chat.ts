import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { startConsole } from "#adapters/console/chat.ts";
import type { AccountActions } from "#contract/connections.ts";
import type { MeActions } from "#contract/people.ts";
import { createForms } from "#views/forms/forms.ts";
import { cards, type Script, ScriptedCore } from "./scripted-core.ts";

const nothing = (): Promise<never> => Promise.reject(new Error("no server wants an account here"));

/** A chat over streams, as a terminal or as a pipe. */
export class Chat {
  readonly core: ScriptedCore;
  readonly input: PassThrough & { isTTY: boolean } = Object.assign(new PassThrough(), { isTTY: false });
  readonly output: PassThrough & { isTTY: boolean; columns: number } = Object.assign(new PassThrough(), {
    isTTY: false,
    columns: 80,
  });
  readonly historyFile: string = join(mkdtempSync(join(tmpdir(), "chat-")), "history");
  /** Everything that was written. */
  raw = "";
  #seen = 0;
  #changed = (): void => {};
  ended: Promise<void> = Promise.resolve();

  /** What servers want of the person who types. */
  accounts: AccountActions = {
    list: nothing,
    connect: nothing,
    disconnect: nothing,
    use: nothing,
    byWords: nothing,
  };
  me: MeActions = { me: nothing };

  constructor(script: Script, { terminal = false }: { terminal?: boolean } = {}) {
    this.core = new ScriptedCore(script);
    this.input.isTTY = terminal;
    this.output.isTTY = terminal;
    this.output.on("data", (chunk: Buffer) => {
      this.raw += chunk.toString();
      this.#changed();
    });
  }

  start(options: { signal?: AbortSignal } = {}): this {
    this.ended = startConsole(
      this.core,
      { cards, forms: createForms(), accounts: this.accounts, me: this.me },
      {
        actor: "console:ana",
        conversationId: "c",
        input: this.input,
        output: this.output,
        historyFile: this.historyFile,
        version: "1.2.3",
        color: false,
        ...options,
      },
    );
    return this;
  }

  get text(): string {
    return stripVTControlCharacters(this.raw);
  }

  type(text: string): this {
    this.input.write(text);
    return this;
  }

  /** Waits until `text` was written after what was waited for before. */
  async see(text: string): Promise<this> {
    for (;;) {
      const at = this.text.indexOf(text, this.#seen);
      if (at !== -1) {
        this.#seen = at + text.length;
        return this;
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Answers the question for a word as a person does: types it, sees it, presses Enter. */
  async answer(word: string): Promise<this> {
    await this.see("answer> ");
    this.type(word);
    await this.see(word);
    return this.type("\r");
  }
}

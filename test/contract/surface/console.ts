import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { cleanUpAll, temporaryFolder } from "#test/e2e/support.ts";

import { contractConfig, effectsIn, holds } from "./product.ts";
import type { OpenSurface, Said, Surface } from "./surface.ts";
import { Terminal } from "./terminal.ts";

/** How long a busy machine may take until there is a prompt. */
const START_MS = 50_000;

/** The line in which a decision is typed. */
const QUESTION = /^answer>\s*$/;

/** `countersign chat` on a terminal: one person in one conversation, who types and reads. */
export const consoleSurface: Surface = {
  name: "console",
  has: [],
  async open() {
    const [folder, dataDir] = [await temporaryFolder(), await temporaryFolder()];
    const config = join(await temporaryFolder(), "countersign.json");
    await writeFile(config, JSON.stringify(contractConfig(folder, ["http:chloe"])));
    const start = async (): Promise<Chat> => {
      const terminal = new Terminal(["countersign.js", "chat", "--config", config], {
        COUNTERSIGN_DATA: dataDir,
        OLLAMA_HOST: "http://127.0.0.1:9",
      });
      await terminal.prompt(START_MS);
      return { terminal, shown: new Map() };
    };
    const at: { chat: Chat; last: Said | undefined } = { chat: await start(), last: undefined };
    const surface: OpenSurface = {
      effects: effectsIn(folder),
      async say(_who, text) {
        const said = saidOf(() => at.chat);
        at.last = said;
        await begin(at.chat, said, text);
        return said;
      },
      redeliver: () => Promise.reject(new Error("nothing delivers a line again")),
      kill: () => at.chat.terminal.kill(),
      async restart() {
        at.chat = await start();
        // What stands there before anything is typed goes on with what was said last.
        if (at.last !== undefined) at.chat.shown.set(at.last, [{ from: 0, raw: 0, to: undefined }]);
      },
      async stop() {
        await at.chat.terminal.prompt();
        at.chat.terminal.type("\u0004");
        return at.chat.terminal.ended;
      },
      async close() {
        await at.chat.terminal.kill();
        await cleanUpAll();
      },
    };
    return surface;
  },
};

/** A run of the chat, with the pieces of its screen that belong to what was said. */
interface Chat {
  terminal: Terminal;
  shown: Map<Said, Piece[]>;
}

interface Piece {
  /** First line, and where it begins in what was written. */
  from: number;
  raw: number;
  /** The line after the last one; undefined while nothing follows. */
  to: number | undefined;
}

/** Types a line at the prompt; what comes below it belongs to `said`. */
async function begin({ terminal, shown }: Chat, said: Said, line: string): Promise<Piece> {
  await terminal.prompt();
  for (const piece of [...shown.values()].flat()) piece.to ??= terminal.line;
  const piece: Piece = { from: terminal.line + 1, raw: terminal.raw.length, to: undefined };
  shown.set(said, [...(shown.get(said) ?? []), piece]);
  terminal.type(`${line}\r`);
  await terminal.until(() => terminal.line >= piece.from, "the line that was typed");
  return piece;
}

function saidOf(chat: () => Chat): Said {
  let approval: string | undefined;
  let told = "";
  const pieces = (): Piece[] => chat().shown.get(said) ?? [];
  const read = ({ from, to = Infinity }: Piece): string => chat().terminal.lines(from, to);
  const text = (): string => pieces().map(read).join("\n");
  /** A line of the chat's own; resolves with what it answered once the next can be typed. */
  const command = async (line: string): Promise<string> => {
    const piece = await begin(chat(), said, line);
    await chat().terminal.prompt();
    return read(piece);
  };
  /**
   * Types the command, and the word that it asks for where it shows the request. What this person is told is
   * what stands below that word: the card above it is shown to everybody.
   */
  const decide = async (words: string, word: string): Promise<void> => {
    const piece = await begin(chat(), said, words);
    const { terminal } = chat();
    const isAsked = (): boolean => QUESTION.test(terminal.current);
    const answered = (): Promise<void> =>
      terminal.until(() => isAsked() || terminal.isPrompt, "an answer to the decision");
    await answered();
    const from = isAsked() ? terminal.line + 1 : piece.from;
    if (isAsked()) await terminal.word(word);
    await answered();
    told = terminal.lines(from, terminal.line);
    // A word that is not taken is asked for again.
    if (isAsked()) await terminal.word("later");
    await terminal.prompt();
  };
  const said: Said = {
    text,
    until: (words) => chat().terminal.until(() => holds(text(), words), String(words)),
    async live() {
      const { terminal } = chat();
      const written = pieces()
        .map(({ raw }) => terminal.raw.slice(raw))
        .join("");
      // oxlint-disable-next-line no-control-regex -- it reads what a terminal obeys
      const links = [...written.matchAll(/\u001B\]8;;([^\u0007\u001B]+)/g)].map(
        ([, address = ""]) => address,
      );
      return [...links, ...terminal.titles.map((title) => `title ${title}`)];
    },
    /** Endings; the one that asks for a decision is followed by its card and goes on after it. */
    answers: () =>
      text().match(/^run as a command · .*total(?!.*\n+── \d+ · Needs approval)|^✖.*stopped/gim)?.length ?? 0,
    async whole() {
      await command("/show");
      await command("/json");
      return text();
    },
    async waits() {
      if (approval !== undefined) {
        expect(await command("/approve")).toContain(approval);
        return;
      }
      const { terminal } = chat();
      await terminal.until(() => QUESTION.test(terminal.current), "the question for a decision");
      // The card names the change in words; its id stands under the details.
      await terminal.word("details");
      await terminal.until(() => QUESTION.test(terminal.current), "the question below the details");
      approval = /\bRequest +(appr_\w+)/.exec(text())?.[1];
      if (approval === undefined) throw new Error(`expected the request's id under Details:\n${text()}`);
      await terminal.word("later");
      await terminal.prompt();
    },
    async isOver() {
      await chat().terminal.prompt();
      if (approval !== undefined) expect(await command("/approve")).not.toContain(approval);
    },
    async approve(...people) {
      for (const _ of people) await decide(`/approve ${approval}`, "approve");
    },
    deny: (_, reason) => decide(`/deny ${approval} ${reason}`, "deny"),
    async told(_, words) {
      if (!holds(told, words)) throw new Error(`expected ${String(words)}, was told:\n${told}`);
    },
    stop: async () => chat().terminal.type("\u0003"),
    fill: () => Promise.reject(new Error("the chat has no forms")),
  };
  return said;
}

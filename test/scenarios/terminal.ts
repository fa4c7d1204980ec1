import { stripVTControlCharacters } from "node:util";

import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

/** What is typed in the terminal for each scenario; what stands in `shots` is worth a picture afterwards. */
export interface TerminalScenario {
  name: string;
  /** A line at the prompt, an answer to "answer> " or to a question, and what to wait for after it. */
  typed: readonly (readonly [text: string, until: string])[];
}

const PROMPT = "\ncountersign> ";
const ASKED = "answer> ";

/** The ten scenarios as one person at a terminal meets them: nobody else is there. */
export const TERMINAL_SCENARIOS: readonly TerminalScenario[] = [
  { name: "read", typed: [["show me DEMO-3", PROMPT]] },
  {
    name: "search",
    typed: [
      ["find issues in DEMO", PROMPT],
      ["show more", PROMPT],
    ],
  },
  {
    name: "assign",
    typed: [
      ["assign DEMO-3 to me", ASKED],
      ["approve", PROMPT],
    ],
  },
  {
    name: "delete",
    typed: [
      ["delete DEMO-4", ASKED],
      ["later", PROMPT],
    ],
  },
  {
    name: "edit",
    typed: [
      ["move DEMO-5 to In Progress", ASKED],
      ["edit", "[DEMO-5] "],
      ["", "[In Progress] "],
      ["In Review", ASKED],
    ],
  },
  {
    name: "deny",
    typed: [
      ["add a comment to DEMO-6: We ship this on Friday.", ASKED],
      ["deny", "Reason (optional): "],
      ["Friday is a holiday", PROMPT],
    ],
  },
  { name: "expired", typed: [["create an issue in DEMO titled 'Printer on fire'", ASKED]] },
  {
    name: "failed",
    typed: [
      ["/release 2.4", ASKED],
      ["approve", PROMPT],
    ],
  },
  {
    name: "unknown",
    typed: [
      ["/release announce 2.4", ASKED],
      ["approve", ASKED],
    ],
  },
  {
    name: "several",
    typed: [
      ["move DEMO-7 and DEMO-9 to In Progress", ASKED],
      ["all", ASKED],
      ["approve", PROMPT],
    ],
  },
];

const COLUMNS = 92;
const PATIENCE_MS = 60_000;

/** `countersign chat` in a pseudo-terminal, and what it shows. */
export class TerminalStage {
  #raw = "";
  #seen = 0;
  #changed = (): void => {};
  readonly #pty: IPty;

  constructor(cwd: string, { args, env }: { args: string[]; env: Record<string, string> }) {
    this.#pty = spawn(process.execPath, args, {
      cwd,
      cols: COLUMNS,
      rows: 50,
      env: { ...env, FORCE_COLOR: "1", TERM: "xterm-256color" },
    });
    this.#pty.onData((data) => {
      this.#raw += data;
      this.#changed();
    });
  }

  /** Waits until `text` is shown after what was waited for before. */
  async see(text: string): Promise<void> {
    const deadline = setTimeout(() => this.#pty.kill("SIGKILL"), PATIENCE_MS);
    let isGone = false;
    this.#pty.onExit(() => {
      isGone = true;
      this.#changed();
    });
    try {
      for (;;) {
        const plain = stripVTControlCharacters(this.#raw);
        const at = plain.indexOf(text, this.#seen);
        if (at !== -1) {
          this.#seen = at + text.length;
          return;
        }
        if (isGone)
          throw new Error(
            `expected ${JSON.stringify(text)} in the terminal, got:\n${plain.slice(this.#seen)}`,
          );
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Plays one scenario; resolves to what the terminal shows of it, as HTML. */
  async play({ typed }: TerminalScenario): Promise<string> {
    const from = this.#raw.length;
    for (const [text, until] of typed) {
      // Words decide only where they are typed: shown first, entered then.
      this.#pty.write(text);
      await this.see(text);
      this.#pty.write("\r");
      await this.see(until);
    }
    return drawn(this.#raw.slice(from));
  }

  /** Puts an open question off, so that the next scenario begins at the prompt. */
  async leave(): Promise<void> {
    this.#pty.write("later");
    await this.see("later");
    this.#pty.write("\r");
    await this.see(PROMPT);
  }

  stop(): void {
    this.#pty.kill("SIGKILL");
  }
}

/** What a terminal shows after these characters, line by line, in its colours. */
async function drawn(raw: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 50, scrollback: 2000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(`countersign> ${raw}`, resolve));
  const { active } = terminal.buffer;
  const cell = active.getNullCell();
  const lines = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row);
    let html = "";
    for (let column = 0; column < (line?.length ?? 0); column += 1) {
      const at = line?.getCell(column, cell);
      if (at === undefined || at.getWidth() === 0) continue;
      const { chars, style } = {
        chars: at.getChars() === "" ? " " : at.getChars(),
        style: [
          at.isBold() === 0 ? "" : "font-weight:bold",
          at.isDim() === 0 ? "" : "opacity:.65",
          at.isFgPalette() ? `color:${PALETTE[at.getFgColor()] ?? "inherit"}` : "",
        ]
          .filter((part) => part !== "")
          .join(";"),
      };
      const text = chars.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      html += style === "" ? text : `<span style="${style}">${text}</span>`;
    }
    return html.trimEnd();
  });
  terminal.dispose();
  return lines.join("\n").trim();
}

const PALETTE = [
  "#3b3f46",
  "#e5707a",
  "#7fc98b",
  "#e0b568",
  "#6cabf0",
  "#c78ae0",
  "#5fc4cf",
  "#d5d8dd",
  "#7d848f",
  "#ff8f98",
  "#9be3a6",
  "#f3cf86",
  "#8fc3ff",
  "#dca9f2",
  "#85dde6",
  "#ffffff",
];

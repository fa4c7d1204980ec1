import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { type IPty, spawn as spawnPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { cleanUpAll, jiraOnly, projectRoot, temporaryFolder } from "./support.ts";

const CREATE = "create an issue in DEMO titled 'Printer on fire'";
const SEARCH = 'find issues about "printer"';
/** Each of these tests starts the whole product, some of them twice. */
const TIME_LIMIT_MS = 90_000;

let jiraAlone: string;
beforeAll(async () => {
  jiraAlone = join(await temporaryFolder(), "countersign.json");
  await writeFile(jiraAlone, JSON.stringify(jiraOnly({ ollama: { base_url: "http://127.0.0.1:9" } })));
});
afterAll(cleanUpAll);

interface ChatOptions {
  columns?: number;
  /** What names a configuration; the demo's own without it. */
  config?: string[];
}

/** `countersign chat` in a pseudo-terminal. */
class TerminalChat {
  raw = "";
  readonly ended: Promise<number>;
  readonly #pty: IPty;
  readonly #columns: number;
  #seen = 0;
  #exited = false;
  #changed = (): void => {};

  constructor(dataDir: string, { columns = 100, config = [] }: ChatOptions = {}) {
    this.#columns = columns;
    this.#pty = spawnPty(process.execPath, ["countersign.js", "chat", ...config], {
      cwd: projectRoot,
      cols: columns,
      rows: 40,
      env: { ...process.env, COUNTERSIGN_DATA: dataDir, FORCE_COLOR: "1", TERM: "xterm-256color" },
    });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#changed();
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#exited = true;
        this.#changed();
        resolve(exitCode);
      });
    });
    onTestFinished(() => this.kill());
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Waits until `text` is written after what was waited for before; returns what came until then. */
  async see(text: string): Promise<string> {
    for (;;) {
      const plain = stripVTControlCharacters(this.raw);
      const at = plain.indexOf(text, this.#seen);
      if (at !== -1) {
        const passed = plain.slice(this.#seen, at + text.length);
        this.#seen = at + text.length;
        return passed;
      }
      if (this.#exited)
        throw new Error(
          `expected ${JSON.stringify(text)}, but the chat ended after:\n${plain.slice(this.#seen)}`,
        );
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Says something at the prompt, and returns all that is shown until the next prompt. */
  async say(text: string): Promise<string> {
    this.type(`${text}\r`);
    return this.see("\ncountersign> ");
  }

  /** Answers the question for a word as a person does: types it, sees it, presses Enter. */
  async answer(word: string): Promise<string> {
    const shown = await this.see("answer> ");
    this.type(word);
    await this.see(word);
    this.type("\r");
    return shown;
  }

  async kill(): Promise<void> {
    if (!this.#exited) this.#pty.kill("SIGKILL");
    await this.ended;
  }

  /** What a terminal shows and has scrolled away, and the window titles it was told. */
  async screen(): Promise<{ lines: string[]; titles: string[] }> {
    const terminal = new xterm.Terminal({
      cols: this.#columns,
      rows: 40,
      scrollback: 5000,
      allowProposedApi: true,
    });
    const titles: string[] = [];
    terminal.onTitleChange((title) => titles.push(title));
    await new Promise<void>((resolve) => terminal.write(this.raw, resolve));
    const { active } = terminal.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    terminal.dispose();
    return { lines, titles };
  }
}

async function openChat(dataDir: string, options: ChatOptions = {}): Promise<TerminalChat> {
  const chat = new TerminalChat(dataDir, options);
  await chat.see("countersign> ");
  return chat;
}

/** `countersign chat` on a pipe, with these lines. */
async function pipe(
  dataDir: string,
  lines: string[],
  config: string[] = [],
): Promise<{ code: number | null; output: string }> {
  // Without a umask: what is private is so by what we do.
  const bare = ["-c", 'umask 0; exec "$@"', "sh", process.execPath];
  const child = spawn("sh", [...bare, "countersign.js", "chat", ...config], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: dataDir },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(`${lines.join("\n")}\n`);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** The keys of the issues with this summary, from what `/json` shows after a search. */
function keysOf(output: string, summary: string): string[] {
  const json = /^\{\r?\n[^]*?^\}/m.exec(output)?.[0];
  if (json === undefined) throw new Error(`expected JSON of a search, got:\n${output}`);
  const found = JSON.parse(json) as { issues: { key: string; summary: string }[] };
  return found.issues.filter((issue) => issue.summary === summary).map((issue) => issue.key);
}

/** Asks the chat itself which issues with this summary there are. */
async function issuesTitled(chat: TerminalChat, summary: string): Promise<string[]> {
  await chat.say(SEARCH);
  return keysOf(await chat.say("/json"), summary);
}

describe("the terminal chat", () => {
  it(
    "[card.people] me is who the person says once, and /me shows and changes it",
    async () => {
      const data = await temporaryFolder();
      const chat = await openChat(data, { config: ["--config", jiraAlone] });
      chat.type("assign DEMO-4 to me\r");
      await chat.answer("answer");
      await chat.see("Name or e-mail address");
      await chat.see("[none] ");
      chat.type("okafor\r");
      await chat.answer("answer");
      await chat.see("Ben Okafor");
      await chat.see("[none] ");
      chat.type("Ben Okafor\r");
      await chat.see("[none] ");
      chat.type("\r");
      expect(await chat.see("answer> ")).toContain("Ben Okafor");
      chat.type("\u0003");
      await chat.see("countersign> ");
      expect(await chat.say("/me")).toContain("Ben Okafor (ben), as you said");
      expect(await chat.say("/countersign me jira Dmitri")).toContain(
        "Noted: you are Dmitri Sokolov in Jira.",
      );
    },
    TIME_LIMIT_MS,
  );

  it(
    "[console.loop] shows an issue, a search and the wiki, each in its view",
    async () => {
      const chat = await openChat(await temporaryFolder());
      const issue = await chat.say("show me DEMO-1");
      expect(issue).toMatch(/1 · [^.]*issue ─/i);
      expect(issue).toMatch(/Assignee +Ben Okafor/);
      const search = await chat.say("find issues about login");
      expect(search).toMatch(/2 · Search Jira issues/);
      expect(search).toMatch(/│ Key +│ Summary +│ Status +│/);
      expect(search).toContain("DEMO-1");
      const wiki = await chat.say("what does the wiki say about deploying");
      expect(wiki).toMatch(/3 · Search the wiki/);
      expect(wiki).toContain("Deploying to production");
      expect(await chat.say("/tools create_issue")).toContain("● needs approval");
      expect(await chat.say("/status")).toMatch(/Store +● sqlite/);
      chat.type("\u0004");
      expect(await chat.ended).toBe(0);
    },
    TIME_LIMIT_MS,
  );

  it("[console.loop] stands on the screen with straight tables at 80 columns", async () => {
    const chat = await openChat(await temporaryFolder(), { columns: 80, config: ["--config", jiraAlone] });
    await chat.say("find issues about login");
    const { lines, titles } = await chat.screen();
    const table = lines.filter((line) => /^[│├╭╰]/.test(line));
    expect(table.length).toBeGreaterThan(6);
    expect(new Set(table.map((line) => stringWidth(line))).size).toBe(1);
    expect(lines.filter((line) => /Planning|Working|Ctrl-C/.test(line))).toEqual([]);
    expect(titles).toEqual([]);
  });

  it(
    "[console.loop] [approve.two-phase] creates nothing when denied, one issue when approved",
    async () => {
      const chat = await openChat(await temporaryFolder(), { config: ["--config", jiraAlone] });
      chat.type(`${CREATE}\r`);
      await chat.see("▌ ● needs approval");
      // What is typed while the card appears, and what comes in one piece, is no answer.
      chat.type("a\u0015");
      expect(await chat.see("answer> ")).toContain("Printer on fire");
      chat.type("approve\r");
      await chat.see("Pasted text decides nothing: type it");
      await chat.answer("deny");
      await chat.see("Reason (optional): ");
      chat.type("there is no fire\r");
      // Where a line ends depends on who denied.
      expect((await chat.see("\ncountersign> ")).replace(/\s+/g, " ")).toContain("Nothing was changed");
      expect(await issuesTitled(chat, "Printer on fire")).toEqual([]);

      chat.type(`${CREATE}\r`);
      await chat.answer("approve");
      const key = /DEMO-\d+/.exec(await chat.see("\ncountersign> "))?.[0];
      expect(await issuesTitled(chat, "Printer on fire")).toEqual([key]);
      chat.type("\u0004");
      expect(await chat.ended).toBe(0);
    },
    TIME_LIMIT_MS,
  );

  it(
    "[console.loop] what is said instead of a decision changes the request, takes it back, or leaves it waiting",
    async () => {
      const rules = [{ tools: ["jira.transition_issue"], decision: "ask", ttl: "3s" }];
      const config = join(await temporaryFolder(), "short-lived.json");
      const ollama = { base_url: "http://127.0.0.1:9" };
      await writeFile(config, JSON.stringify(jiraOnly({ ollama, policy: { rules } })));
      const chat = await openChat(await temporaryFolder(), { config: ["--config", config] });
      chat.type("assign DEMO-1 to Emi\r");
      await chat.answer("no wait, I meant Dmitri");
      expect(await chat.answer("never mind, he is away")).toMatch(/Assign DEMO-1 .* to Dmitri Sokolov/);
      expect(await chat.see("\ncountersign> ")).toContain("taken back");

      chat.type("add label later to DEMO-3\r");
      await chat.answer("show me DEMO-2");
      expect(await chat.see("1 request waits in this conversation: type /approvals")).toContain("DEMO-2");
      await chat.see("\ncountersign> ");

      chat.type("move DEMO-1 to Done\r");
      await chat.see("answer> ");
      expect(await chat.see("\ncountersign> ")).toContain("nobody decided it in time");
      const late = (await chat.say("yes, do it")).replace(/\s+/g, " ");
      expect(late).toMatch(/Move DEMO-1 .*nobody decided that in time, so nothing was changed/);
    },
    TIME_LIMIT_MS,
  );

  it(
    "[console.loop] [approve.durable] approves after a restart what was pending at the kill",
    async () => {
      const dataDir = await temporaryFolder();
      const config = ["--config", jiraAlone];
      const first = await openChat(dataDir, { config });
      first.type(`${CREATE}\r`);
      await first.see("answer> ");
      await first.kill();

      const second = new TerminalChat(dataDir, { config });
      await second.see("1 request waits in this conversation: type /approvals");
      await second.see("countersign> ");
      second.type("/approvals\r");
      await second.answer("approve");
      await second.see("\ncountersign> ");
      expect(await issuesTitled(second, "Printer on fire")).toHaveLength(1);
      second.type("/quit\r");
      expect(await second.ended).toBe(0);
    },
    TIME_LIMIT_MS,
  );
});

describe("the chat on a pipe", () => {
  it(
    "[console.loop] answers each line without escape sequences and ends with code 0",
    async () => {
      const { code, output } = await pipe(await temporaryFolder(), [
        "show me DEMO-1",
        "find issues about login",
        "what does the wiki say about deploying",
        "/status",
      ]);
      expect(code).toBe(0);
      expect(output).toContain("── 1 · Get a Jira issue ");
      expect(output).toContain("Search Jira issues ");
      expect(output).toContain("Search the wiki ");
      expect(output).toContain("https://jira.example.com/browse/<Key>");
      expect(output).not.toContain("\u001b");
    },
    TIME_LIMIT_MS,
  );

  it(
    "[console.loop] names what waits, and takes the decision from a later run",
    async () => {
      const dataDir = join(await temporaryFolder(), "made");
      const config = ["--config", jiraAlone];
      const { code, output } = await pipe(dataDir, [CREATE, SEARCH, "/json"], config);
      expect(code).toBe(0);
      expect(keysOf(output, "Printer on fire")).toEqual([]);
      const id = /\/approve (\S+)/.exec(output)?.[1] ?? "none";
      expect(await openToOthers(dataDir)).toEqual([]);
      expect(await readdir(dataDir)).toEqual(expect.arrayContaining(["chat.log", "countersign.db"]));
      // As an earlier version left them.
      for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
      const decided = await pipe(dataDir, [`/approve ${id}`, `/approve ${id}`, SEARCH, "/json"], config);
      expect(decided.output).toContain("Already approved");
      expect(keysOf(decided.output, "Printer on fire")).toHaveLength(1);
      expect(await openToOthers(dataDir)).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});

/** What other users of the machine could read of a folder. */
async function openToOthers(folder: string): Promise<string[]> {
  const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
  const modes = await Promise.all(paths.map(async (path) => ({ path, mode: (await stat(path)).mode })));
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path);
}

import { readFileSync, statSync } from "node:fs";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";

import type { ToolCallResult, TurnEvent } from "#contract/turn.ts";
import { buildToolResult, buildTurnResult } from "#test/builders.ts";
import { Chat } from "./chat.ts";
import { approvalOf, type Script } from "./scripted-core.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

function reply(text: string): TurnEvent {
  return { type: "result", result: buildTurnResult(text) };
}

const answering: Script = async ({ message, emit }) => {
  emit({ type: "status", phase: "planning", elapsedMs: 0 });
  emit(reply(`You said ${JSON.stringify(message)}.`));
};

/** Asks for approval of the first message, and says what came of it. */
const asking: Script = async ({ message, turnId, emit }) => {
  if (message === "after approved") emit(reply("It was created."));
  else if (message === "after denied") emit(reply("Nothing was changed."));
  else
    emit({
      type: "result",
      result: buildTurnResult("This needs approval.", {
        pendingConfirmation: approvalOf(`appr_${turnId}`, turnId),
      }),
    });
};

const hanging: Script = async ({ message, emit, signal }) => {
  if (message === "quick") {
    emit(reply("Done at once."));
    return;
  }
  emit({ type: "status", phase: "executing_tools", elapsedMs: 0 });
  emit({ type: "progress", message: "jira.export\u001b[2J", progress: 3, total: 12 });
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  emit({ type: "error", code: "stopped", message: "Stopped by ana." });
};

describe("piped", () => {
  it("[console.loop] takes lines as messages and ends with the input after the last answer", async () => {
    const chat = new Chat(answering).start();
    chat.input.end("first\n\nsecond \\\nline\nlast");
    await chat.ended;
    expect(chat.core.submitted.map((request) => request.message)).toEqual(["first", "second \nline", "last"]);
    expect(chat.core.submitted[0]).toMatchObject({
      surface: "console",
      actor: "console:ana",
      conversationId: "c",
      channel: "c",
    });
    expect(chat.raw).toContain('You said "last".');
    expect(chat.raw).not.toContain("\u001b");
  });

  it("[console.loop] [llm.budget] shows what was found before the words, and once", async () => {
    const toolResults = [
      buildToolResult({ card: { kind: "result", title: "Printer on fire", elements: [] } }),
    ];
    const chat: Chat = new Chat(async ({ emit }) => {
      emit({ type: "status", phase: "executing_tools", elapsedMs: 0 });
      chat.core.found = buildTurnResult("", { toolResults });
      emit({ type: "status", phase: "summarizing", elapsedMs: 0 });
      emit({ type: "result", result: buildTurnResult("It burns.", { toolResults }) });
    }).start();
    chat.input.end("show it\n");
    await chat.ended;
    expect(chat.raw).toMatch(/Printer on fire[\s\S]*It burns\./);
    expect(chat.raw.match(/Printer on fire/g)).toHaveLength(1);
  });

  it("[card.feedback] takes what the person thinks of the last answer, and what should have come", async () => {
    const chat = new Chat(async ({ emit }) => {
      emit({ type: "result", result: buildTurnResult("Here.") });
    }).start();
    chat.input.end("/good\nshow it\n/bad the other one\n/good\n");
    await chat.ended;
    expect(chat.text).toContain("Nothing was answered yet.");
    expect(chat.core.rated).toEqual([
      { turnId: "turn_1", actor: "console:ana", verdict: "bad", words: "the other one" },
      { turnId: "turn_1", actor: "console:ana", verdict: "good" },
    ]);
  });

  it("[console.loop] shows a pending approval with what to type, and takes it", async () => {
    const chat = new Chat(asking).start();
    chat.input.end("create\n/approve appr_turn_1\n/approve appr_turn_1\n/deny nowhere\n");
    await chat.ended;
    expect(chat.raw).toContain("/deny appr_turn_1 REASON");
    expect(chat.raw.match(/It was created\./g)).toHaveLength(1);
    expect(chat.raw).toContain("Already decided.");
    expect(chat.raw).toContain("There is no request nowhere.");
    expect(chat.core.decisions).toEqual([{ decision: "approve", reason: undefined }]);
  });

  it("[console.loop] shows errors with their code and what to do, and goes on", async () => {
    const chat = new Chat(async ({ message, emit }) => {
      if (message === "bad")
        emit({ type: "error", code: "plan_invalid", message: "No plan\u001b]0;x\u0007." });
      else emit(reply("Fine."));
    }).start();
    chat.input.end("bad\ngood\n");
    await chat.ended;
    expect(chat.raw).toContain("✖ No plan␛]0;x␇. (plan_invalid)\n  Try rephrasing");
    expect(chat.raw).toContain("Fine.");
  });

  it("[console.loop] opens results by number, in full and as JSON", async () => {
    const call: ToolCallResult = {
      toolId: "jira.search_issues",
      server: "jira",
      args: { query: "login" },
      ok: true,
      data: { issues: ["A-1"] },
      view: "JiraSearchView",
      card: {
        kind: "result",
        title: "t",
        elements: [
          {
            type: "text",
            folded: true,
            text: Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n"),
          },
        ],
      },
      durationMs: 5,
    };
    const chat = new Chat(async ({ emit }) =>
      emit({ type: "result", result: buildTurnResult("Found.", { toolResults: [call] }) }),
    ).start();
    chat.input.end("find\n/show 1\n/json 1\n/show 9\n");
    await chat.ended;
    expect(chat.raw).toContain("── 1 · Search issues ");
    expect(chat.raw).toContain('\njira.search_issues query="login"\n');
    expect(chat.raw).toContain("… 32 more lines · /show 1 shows all");
    expect(chat.raw).toContain("line 39");
    expect(chat.raw).toContain('{\n  "issues": [\n    "A-1"\n  ]\n}');
    expect(chat.raw).toContain("There is no result 9. There are 1 to 1.");
  });

  it("[console.loop] answers /help, /tools and /status, and names the nearest command", async () => {
    const chat = new Chat(answering).start();
    chat.input.end("/help\n/tools\n/tools create_issue\n/status\n/hlep\n/jira search x\n/quit\nnever\n");
    await chat.ended;
    expect(chat.raw).toContain("/jira search|epic …");
    expect(chat.raw).toContain("│ Creates an issue. It is shown first. │ needs approval │");
    expect(chat.raw).toContain("summary (required)");
    expect(chat.raw).toMatch(/Store\s+\[sqlite\]/);
    expect(chat.raw).toContain("There is no command /hlep. Did you mean /help?");
    expect(chat.core.submitted.map((request) => request.message)).toEqual(["/jira search x"]);
  });
});

describe.each([40, 60, 100])("in %i columns", (columns) => {
  it("[console.loop] no line is longer, and no word is cut that fits into one", async () => {
    const chat = new Chat(asking, { terminal: true });
    chat.output.columns = columns;
    chat.core.leave({ ...approvalOf("appr_wide", "turn_wide"), requestedBy: "slack:T1:日本語" });
    chat.start();
    await chat.see("countersign> ");
    const said = [
      "/help",
      "/tools",
      "/tools sumary",
      "/hlep",
      "/settle x",
      "/approve nothing-like-it",
      "/show 日本語日本語",
    ];
    for (const line of said) {
      chat.type(`${line}\r`);
      await chat.see("countersign> ");
    }
    chat.type("create\r");
    await chat.answer("aprove");
    await chat.answer("later");
    await chat.see("again, also after a restart.".split(" ").at(-1) ?? "");
    await chat.see("countersign> ");
    chat.type(CTRL_D);
    await chat.ended;
    const lines = chat.text.split("\n").map((line) => line.split("\r").at(-1) ?? "");
    const long = lines.filter((line) => !line.startsWith("countersign> ") && stringWidth(line) > columns);
    expect(long).toEqual([]);
    expect(chat.text.replaceAll(/\s+/g, " ")).toContain("Nothing is changed until a person approves it.");
  });
});

describe("what would be refused", () => {
  it("[console.loop] is offered neither by /help nor by /tools", async () => {
    const chat = new Chat(answering);
    const [search, epic] = chat.core.reads;
    if (search === undefined || epic === undefined) throw new Error("expected two reads");
    chat.core.reads = [search, { ...epic, decision: "deny" }];
    chat.start();
    chat.input.end("/help\n/tools\n/quit\n");
    await chat.ended;
    expect(chat.raw).toContain("/jira search …");
    expect(chat.raw).not.toContain("search|epic");
    expect(chat.raw).toContain("2 tools. /tools NAME shows one with its arguments. Not allowed here:");
    expect(chat.raw).not.toContain("│ get_epic");
  });

  it("[console.loop] is named where a server is down", async () => {
    const chat = new Chat(answering);
    chat.core.reads = [];
    chat.start();
    chat.input.end("/help\n/tools serch_issues\n/tools create_isue\n/quit\n");
    await chat.ended;
    expect(chat.raw).toContain("Not available now: /jira. /status says what is down.");
    expect(chat.raw).toContain("There is no tool serch_issues. /tools lists them all.");
    expect(chat.raw).toContain("Did you mean jira.create_issue?");
  });
});

describe("on a terminal", () => {
  it("[console.loop] approves by a word with Enter and shows what follows", async () => {
    const chat = new Chat(asking, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("create\r");
    await chat.see("Type approve, deny, edit, details or later, then Enter.");
    await chat.answer("a");
    await chat.see('"a" is none of these words; nothing was decided.');
    expect(chat.core.decisions).toEqual([]);
    await chat.answer("Approve");
    await chat.see("It was created.");
    await chat.see("countersign> ");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.decisions).toEqual([{ decision: "approve", reason: undefined }]);
  });

  it("[console.loop] denies by a word with a reason, which is not kept as history", async () => {
    const chat = new Chat(asking, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("create\r");
    await chat.answer("deny");
    await chat.see("Reason (optional): ");
    chat.type("not today\r");
    await chat.see("Nothing was changed.");
    await chat.see("countersign> ");
    chat.type("\u001b[A\r");
    await chat.answer("later");
    await chat.see("countersign> ");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.decisions).toEqual([{ decision: "deny", reason: "not today" }]);
    expect(chat.core.submitted.map((request) => request.message)).toEqual(["create", "create"]);
    expect(readFileSync(chat.historyFile, "utf8")).toBe("create\n");
    expect(statSync(chat.historyFile).mode & 0o777).toBe(0o600);
  });

  it("[console.loop] decides an approval that an earlier process left waiting", async () => {
    const chat = new Chat(asking, { terminal: true });
    chat.core.leave(approvalOf("appr_old", "turn_old"));
    chat.start();
    await chat.see("1 request waits in this conversation: type /approvals");
    chat.type("/approvals\r");
    await chat.answer("approve");
    await chat.see("It was created.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.text).not.toContain("Old reply.");
  });

  it("[console.loop] stops a running turn with Ctrl-C, shows its progress, and goes on", async () => {
    const chat = new Chat(hanging, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("slow\r");
    await chat.see("Working · jira.export␛[2J ███░░░░░░░░░ 3/12 (25 %)");
    chat.type(CTRL_C);
    await chat.see("✖ Stopped by ana. (stopped)");
    chat.type("quick\r");
    await chat.see("Done at once.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.stopped).toEqual(["turn_1"]);
  });

  it("[console.loop] keeps what is typed while a turn runs", async () => {
    const chat = new Chat(hanging, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("slow\r");
    await chat.see("Working");
    chat.type("quick\rhalf");
    chat.type(CTRL_C);
    await chat.see("countersign> quick");
    await chat.see("Done at once.");
    await chat.see("countersign> half");
    chat.type(CTRL_C);
    await chat.see("countersign> ");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.submitted.map((request) => request.message)).toEqual(["slow", "quick"]);
  });

  it("[console.loop] makes one message of pasted lines and of lines that end with a backslash", async () => {
    const chat = new Chat(answering, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("\u001b[200~one\rtwo\u001b[201~ three\r");
    await chat.see('You said "one\\ntwo three".');
    await chat.see("countersign> ");
    chat.type("a\\\rb\r");
    await chat.see('You said "a\\nb".');
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.submitted).toHaveLength(2);
  });

  it("[console.loop] leaves with Ctrl-C twice at the prompt and restores the terminal", async () => {
    const chat = new Chat(answering, { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("text");
    await chat.see("text");
    chat.type(CTRL_C);
    await chat.see("countersign> ");
    chat.type(CTRL_C);
    await chat.see("Ctrl-C once more quits");
    chat.type(CTRL_C);
    await chat.ended;
    expect(chat.core.submitted).toEqual([]);
    expect(chat.raw.endsWith("\u001b[?2004l")).toBe(true);
  });

  it("[console.loop] completes commands, subcommands, tools and waiting requests", async () => {
    const chat = new Chat(answering, { terminal: true });
    chat.core.leave(approvalOf("appr_old", "turn_old"));
    chat.start();
    await chat.see("countersign> ");
    for (const [typed, completed] of [
      ["/he\t", "/help "],
      ["/jira se\t", "/jira search "],
      ["/tools jira.c\t", "/tools jira.create_issue "],
      ["/approve a\t", "/approve appr_old "],
    ] as const) {
      chat.type(typed);
      await chat.see(completed.slice(typed.length - 1));
      chat.type("\u0015");
    }
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.submitted).toEqual([]);
  });

  it("[console.loop] ends when the program is told to end, also during a turn", async () => {
    const end = new AbortController();
    const chat = new Chat(hanging, { terminal: true }).start({ signal: end.signal });
    await chat.see("countersign> ");
    chat.type("slow\r");
    await chat.see("Working");
    end.abort();
    await chat.ended;
    expect(chat.raw).toContain("\u001b[?25h");
  });
});

describe("what may have been meant", () => {
  const choices = [
    { tool: "jira.get_issue", title: "Get an issue", args: {}, fields: ["key"] },
    {
      tool: "jira.create_issue",
      title: "Create\u001b[2J an issue",
      args: { urgent: true },
      fields: ["summary"],
    },
  ];
  const offering: Script = async ({ turnId, emit }) =>
    emit({
      type: "result",
      result: buildTurnResult("I do not know.", turnId === "turn_1" ? { choices } : {}),
    });

  it("[plan.missing-args] is offered by number, and filled in field by field", async () => {
    const chat = new Chat(offering, { terminal: true }).start();
    await chat.see("countersign>");
    chat.type("make it so\r");
    await chat.see("1  Get an issue");
    await chat.see("2  Create␛[2J an issue");
    await chat.see("countersign>");
    chat.type("2\r");
    await chat.see("Summary");
    chat.type("Printer on fire\r");
    await chat.see("Labels");
    chat.type("\r");
    await chat.see("Urgent");
    chat.type("\r");
    await chat.see("I do not know.");
    expect(chat.core.submitted.at(-1)).toMatchObject({
      message: "make it so",
      call: { tool: "jira.create_issue", args: { urgent: true, summary: "Printer on fire" } },
    });
    // Nothing is offered now: a number is a message as any other.
    await chat.see("countersign>");
    chat.type("2\r");
    await chat.see("I do not know.");
    expect(chat.core.submitted.at(-1)).toMatchObject({ message: "2" });
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.submitted.at(-1)?.call).toBeUndefined();
  });

  it("[plan.missing-args] does not stand in the way of other words, and says where its tool is gone", async () => {
    const chat = new Chat(offering, { terminal: true }).start();
    await chat.see("countersign>");
    chat.type("make it so\r");
    await chat.see("1  Get an issue");
    await chat.see("countersign>");
    chat.type("1\r");
    await chat.see("its server may be down");
    await chat.see("countersign>");
    chat.type("3\r");
    await chat.see("I do not know.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.submitted.map(({ message }) => message)).toEqual(["make it so", "3"]);
  });

  it("without a terminal is left to the reply, and numbers are messages", async () => {
    const chat = new Chat(offering).start();
    chat.input.end("make it so\n2\n");
    await chat.ended;
    expect(chat.raw).not.toContain("Get an issue");
    expect(chat.core.submitted.at(-1)).toMatchObject({ message: "2" });
  });
});

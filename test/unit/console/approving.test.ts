import { describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { Tool, ToolAnnotations } from "#contract/tool.ts";
import { confirmation } from "#adapters/console/choice.ts";
import { plainStatement, statementById } from "#src/base/plain-statement.ts";
import { buildTurnResult } from "#test/builders.ts";
import { Chat } from "./chat.ts";
import { approvalOf, type Script } from "./scripted-core.ts";

const CTRL_D = "\u0004";
const PASTE = "\u001b[200~";
const PASTE_END = "\u001b[201~";

/** Asks for approval of the first message; says what it was told of any other. */
function asking(more: Partial<Approval> = {}): Script {
  return async ({ message, turnId, emit }) => {
    const approval = { ...approvalOf(`appr_${turnId}`, turnId), ...more };
    const waiting = message === "create" ? { pendingConfirmation: approval } : {};
    emit({ type: "result", result: buildTurnResult(`Heard ${message}.`, waiting) });
  };
}

async function cardOf(chat: Chat): Promise<Chat> {
  await chat.see("countersign> ");
  chat.type("create\r");
  return chat.see("Run jira.create_issue?");
}

/** Leaves the request as it is, and the chat; resolves to what was decided. */
async function decisionsOf(chat: Chat): Promise<unknown[]> {
  await chat.answer("later");
  await chat.see("It waits.");
  await chat.see("countersign> ");
  chat.type(`\u0015${CTRL_D}`);
  await chat.ended;
  return chat.core.decisions;
}

describe.concurrent("approving in the terminal", () => {
  it("takes nothing that is typed while the request comes up: it is the next message", async () => {
    const chat = await cardOf(new Chat(asking(), { terminal: true }).start());
    chat.type("a");
    chat.type("pprove");
    chat.type("\r");
    await chat.answer("later");
    // A decision alone on a line shows the request that waits, and asks anew.
    await chat.see("countersign> approve");
    await chat.see("Run jira.create_issue?");
    expect(await decisionsOf(chat)).toEqual([]);
    expect(chat.core.submitted).toHaveLength(1);
  });

  it.each([
    ["approve", [{ decision: "approve" }], "Heard after approved."],
    ["Deny: there is no fire", [{ decision: "deny", reason: "there is no fire" }], "Heard after denied."],
  ])("[console.loop] decides the one request of this chat by `%s` on a pipe", async (line, decided, then) => {
    const chat = new Chat(asking()).start().type(`create\n${line}\n`);
    await chat.see("To decide, type approve or deny.");
    await chat.see(then);
    chat.type("approve\n");
    await chat.see("Nothing waits for approval in this conversation.");
    chat.input.end();
    await chat.ended;
    expect(chat.core.decisions).toMatchObject(decided);
    expect(chat.core.submitted).toHaveLength(1);
  });

  it("[console.loop] decides nothing on a pipe where several wait, none was shown, or something is destroyed", async () => {
    const several = new Chat(asking()).start().type("create\ncreate\ndeny\n");
    await several.see("Nothing was decided: 2 requests wait. Say which, such as /deny 1.");
    const unseen = new Chat(asking());
    unseen.core.waiting.set("appr_1", approvalOf("appr_1", "turn_1"));
    unseen.start().type("approve\n");
    await unseen.see("Nothing was decided. Look at the request, and approve it by its id:");
    await unseen.see("/approve appr_1");
    const statement = { ...statementById("jira.delete_issue", {}), isDestructive: true };
    const destroys = new Chat(asking({ statement })).start().type("create\napprove\n");
    await destroys.see("Nothing was decided.");
    for (const chat of [several, unseen, destroys]) {
      chat.input.end();
      await chat.ended;
      expect(chat.core.decisions).toEqual([]);
    }
  });

  it("takes no line that was begun before the request came up, and keeps what was begun", async () => {
    const chat = await cardOf(new Chat(asking(), { terminal: true }).start());
    chat.type("what about ");
    await chat.answer("approve");
    await chat.see("begun before the question was");
    expect(chat.core.decisions).toEqual([]);
    await chat.answer("approve");
    await chat.see("Heard after approved.");
    await chat.see("countersign> what about ");
    chat.type(`\u0015${CTRL_D}`);
    await chat.ended;
    expect(chat.core.decisions).toHaveLength(1);
  });

  it.each([
    ["between its brackets", [`${PASTE}approve\r${PASTE_END}`, "\r"]],
    ["that a person ends with Enter", [`${PASTE}approve${PASTE_END}`, "\r"]],
    ["that ends its own bracket", [`${PASTE}x${PASTE_END}\u0015approve\r${PASTE_END}`]],
    [
      "that ends its own bracket and is read in pieces",
      [`${PASTE}x${PASTE_END}\r`, "approve", "\r", PASTE_END],
    ],
    ["without brackets", ["approve\r"]],
    ["without brackets, read in pieces", ["approve", "\r"]],
    ["of many lines", ["approve\r\napprove\r\n"]],
  ])("takes no pasted text %s", async (_, pieces) => {
    const chat = await cardOf(new Chat(asking(), { terminal: true }).start());
    await chat.see("answer> ");
    for (const piece of pieces) chat.type(piece);
    await chat.see("Pasted text decides nothing: type it");
    expect(await decisionsOf(chat)).toEqual([]);
  });

  it("takes no Enter that something follows at once, as the end of a paste does", async () => {
    const chat = await cardOf(new Chat(asking(), { terminal: true }).start());
    await chat.answer("approve");
    chat.type(PASTE_END);
    await chat.see("Pasted text decides nothing: type it");
    expect(await decisionsOf(chat)).toEqual([]);
  });

  it("shows the request that a line names, and asks for the word, as the line may be pasted", async () => {
    const chat = new Chat(asking(), { terminal: true });
    chat.core.leave(approvalOf("appr_old", "turn_old"));
    chat.core.leave({ ...approvalOf("appr_lost", "turn_lost"), state: "unknown" });
    chat.start();
    await chat.see("countersign> ");
    chat.type(`${PASTE}/approve appr_old it is fine\r${PASTE_END}\r`);
    await chat.see("Run jira.create_issue?");
    await chat.answer("later");
    await chat.see("countersign> ");
    chat.type("/settle appr_lost happened I saw it\r");
    await chat.see("Type happened, did not or later");
    expect([chat.core.decisions, chat.core.settled]).toEqual([[], []]);
    await chat.answer("did not");
    await chat.see("Settled: the change did not happen.");
    await chat.see("countersign> ");
    chat.type("/approve appr_old it is fine\r");
    await chat.answer("approve");
    await chat.see("Heard after approved.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.decisions).toEqual([{ decision: "approve", reason: "it is fine" }]);
    expect(chat.core.settled).toMatchObject([{ outcome: "did_not", note: "I saw it" }]);
  });

  it.each<[string, Partial<Approval>, string, string]>([
    [
      "who asked, where others approve",
      { requestedBy: "console:ana", excludeRequester: true, quorum: 2 },
      "You asked for it, so it waits for 2 other people.",
      "Type deny, edit, details or later, then Enter.",
    ],
    [
      "who has approved",
      {
        requestedBy: "slack:T1:U1",
        quorum: 2,
        votes: [{ actor: "console:ana", decision: "approve", at: 1 }],
      },
      "You have approved it: 1 of 2 approvals. It waits for somebody else.",
      "Type deny, details or later, then Enter.",
    ],
    [
      "who is no approver",
      {
        requestedBy: "slack:T1:U1",
        approvers: ["group:others"],
        grants: { maxTtlMs: 1, maxUses: 1, vary: [] },
      },
      "It waits for somebody else: anyone of the group others may approve it.",
      "Type details or later, then Enter.",
    ],
  ])("[approve.eligible] offers no approval to %s", async (_, more, why, offer) => {
    const chat = new Chat(asking(more), { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("create\r");
    await chat.see(why);
    await chat.see(offer);
    await chat.answer("approve");
    // As much of it as stands in the line before it wraps.
    await chat.see(`Nothing was decided. ${why.slice(0, 40)}`);
    await chat.answer("/quit");
    await chat.see("Commands work after this question");
    expect(await decisionsOf(chat)).toEqual([]);
  });

  it("asks back for a word with a slip, and does not take it", async () => {
    const chat = await cardOf(new Chat(asking(), { terminal: true }).start());
    await chat.answer("aprove");
    await chat.see("Did you mean approve?");
    expect(await decisionsOf(chat)).toEqual([]);
  });

  describe("several requests", () => {
    async function severalOf(make: (number: number) => Partial<Approval> = () => ({})) {
      const all: Approval[] = [];
      const chat = new Chat(
        async ({ turnId, emit }) => {
          if (all.length === 0)
            for (const number of [1, 2, 3])
              all.push({ ...approvalOf(`appr_${number}`, turnId), ...make(number) });
          const [pendingConfirmation, ...alsoPending] = all.filter(({ state }) => state === "pending");
          emit({
            type: "result",
            result: buildTurnResult("Heard.", {
              ...(pendingConfirmation && { pendingConfirmation, alsoPending }),
            }),
          });
        },
        { terminal: true },
      ).start();
      await chat.see("countersign> ");
      chat.type("create\r");
      await chat.see("Request 3 of 3");
      const states = (): string[] => all.map(({ state }) => state);
      return { chat, all, states };
    }

    async function leave(chat: Chat): Promise<void> {
      await chat.see("countersign> ");
      chat.type(CTRL_D);
      await chat.ended;
    }

    it("[console.loop] are listed once, decided by their numbers, and put off until asked for", async () => {
      const { chat, states } = await severalOf();
      await chat.answer("1,3");
      await chat.answer("approve");
      // What waits since is asked about.
      await chat.see("Run jira.create_issue?");
      await chat.answer("deny");
      await chat.see("Reason (optional): ");
      chat.type("no\r");
      await chat.see("It is denied.");
      await leave(chat);
      expect(states()).toEqual(["done", "denied", "done"]);
    });

    it("[console.loop] put off wait for /approvals, and all of them are denied at once with one reason", async () => {
      const { chat, states } = await severalOf();
      await chat.answer("4");
      await chat.see("numbers from 1 to 3");
      await chat.answer("later");
      await chat.see("They wait.");
      await chat.see("countersign> ");
      chat.type("/approvals\r");
      await chat.see("Which (1 to 3");
      chat.type("all\r");
      await chat.answer("deny");
      await chat.see("Reason (optional): ");
      chat.type("not today\r");
      await leave(chat);
      expect(states()).toEqual(["denied", "denied", "denied"]);
      expect(chat.core.decisions.map(({ reason }) => reason)).toEqual(Array(3).fill("not today"));
    });

    it("[approve.binding] want the name of each that destroys", async () => {
      const statement = statementById("files.delete_file", { path: "Q3.xlsx" });
      const { chat, states } = await severalOf((number) =>
        number === 2 ? { toolId: "files.delete_file", args: { path: "Q3.xlsx" }, statement } : {},
      );
      await chat.answer("all");
      await chat.answer("approve");
      await chat.answer("approve");
      await chat.see("is none of these words");
      await chat.answer("later");
      await leave(chat);
      expect(states()).toEqual(["done", "pending", "done"]);
    });

    it("[approve.binding] of which one was edited or decided since they were shown are none of them run", async () => {
      const { chat, all, states } = await severalOf();
      await chat.answer("all");
      await chat.see("Type approve");
      const [first] = all;
      if (first !== undefined) first.state = "superseded";
      await chat.answer("approve");
      await chat.see("Other requests wait than were shown");
      expect(chat.core.decisions).toEqual([]);
      await chat.see("Request 2 of 2");
      await chat.answer("later");
      await leave(chat);
      expect(states()).toEqual(["superseded", "pending", "pending"]);
    });
  });

  it("[card.notify] lists what waits for the person in other conversations too, and asks about those they choose", async () => {
    const chat = new Chat(asking(), { terminal: true }).start();
    for (const number of [1, 2, 3]) {
      chat.core.waiting.set(`appr_${number}`, {
        ...approvalOf(`appr_${number}`, `turn_${number}`),
        ...(number === 1 ? {} : { conversationId: "console:elsewhere" }),
        requestedBy: "slack:T1:U0CHLOE000",
        names: { "slack:T1:U0CHLOE000": "Chloé Martin" },
      });
    }
    await chat.see("countersign> ");
    chat.type("/approvals\r");
    await chat.see("Which (1 to 3");
    expect(chat.text).toContain("Chloé Martin");
    expect(chat.text).toContain("asked elsewhere");
    expect(chat.text).not.toContain("U0CHLOE000");
    chat.type("1 3\r");
    await chat.see("Request 2 of 2");
    await chat.answer("later");
    await chat.see("countersign> ");
    chat.type("/approvals\r");
    await chat.see("Which (1 to 3");
    chat.type("1 4\r");
    await chat.see("Expected numbers from 1 to 3, got 1 4.");
    // By the numbers of the list that was shown, and no others.
    await chat.see("countersign> ");
    chat.type("/approve 2\r");
    await chat.answer("later");
    await chat.see("countersign> ");
    chat.type("/approve 7\r");
    await chat.see("No request was listed under 7.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.decisions).toEqual([]);
  });

  it("wants the object's name for what destroys, to the letter, also with a grant", async () => {
    const args = { path: "Q3.xlsx" };
    const grants = { maxTtlMs: 1_800_000, maxUses: 3, vary: [] };
    const toolId = "files.delete_file";
    const statement = statementById(toolId, args);
    const chat = new Chat(asking({ toolId, args, grants, statement }), { terminal: true }).start();
    await chat.see("countersign> ");
    chat.type("create\r");
    await chat.see("Type Q3.xlsx (to approve: Delete file), grant Q3.xlsx (the same for");
    for (const word of ["approve", "q3.xlsx", "grant"]) {
      await chat.answer(word);
      await chat.see(`"${word}" is none of these words`);
    }
    await chat.answer("Q3.xlsx");
    await chat.see("Heard after approved.");
    chat.type(CTRL_D);
    await chat.ended;
    expect(chat.core.decisions).toEqual([{ decision: "approve", reason: undefined }]);
  });
});

describe("what is typed to approve", () => {
  const typedFor = (
    toolId: string,
    args: Approval["args"],
    annotations: ToolAnnotations = {},
    properties: string[] = [],
  ): string => {
    const tool: Tool = {
      id: toolId,
      server: "x",
      name: toolId.slice(2),
      description: "",
      inputSchema: { properties: Object.fromEntries(properties.map((name) => [name, {}])) },
      annotations,
      digest: "",
      trusted: false,
    };
    const statement = plainStatement({ tool, args });
    return confirmation({ ...approvalOf("appr_1", "turn_1"), toolId, args, statement }, tool).typed;
  };

  it.each<[string, string, Parameters<typeof typedFor>]>([
    ["the word for what does not destroy", "approve", ["x.create_issue", { name: "Printer" }]],
    [
      "a name where the tool says that it destroys",
      "DEMO-1",
      ["x.move", { issue_key: "DEMO-1" }, { destructiveHint: true }],
    ],
    ["a name where the tool's name says it", "notes.md", ["x.removeFile", { path: "notes.md" }]],
    ["a number", "4711", ["x.delete_page", { pageId: 4711 }]],
    [
      "the first name of the schema",
      "Rows",
      ["x.delete_row", { id: "row 1", table_name: "Rows" }, {}, ["table_name", "id"]],
    ],
    ["the tool's name without a name", "wipe_all", ["x.wipe_all", { force: true }]],
    ["the tool's name for what cannot be typed", "delete_file", ["x.delete_file", { path: "аррrove" }]],
    ["the tool's name, never a secret", "delete_user", ["x.delete_user", { api_key: "s3cr3t-value" }]],
    ["the word with a name that is too short", "approve a", ["x.delete_file", { path: "a" }]],
    [
      "the word with a name that means something else here",
      "approve deny",
      ["x.delete_file", { path: "deny" }],
    ],
  ])("is %s", (_, typed, given) => {
    expect(typedFor(...given)).toBe(typed);
  });
});

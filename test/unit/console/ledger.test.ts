import { describe, expect, it } from "vitest";

import type { Approval, Grant } from "#contract/approval.ts";
import { buildTurnResult } from "#test/builders.ts";
import { Chat } from "./chat.ts";
import { approvalOf, type Script } from "./scripted-core.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Asks for approval of the first message, and says what came of it. */
function asking(more: Partial<Approval> = {}): Script {
  return async ({ message, turnId, emit }) => {
    const isAfter = message.startsWith("after");
    const approval = { ...approvalOf(`appr_${turnId}`, turnId), ...more };
    const waiting = isAfter ? {} : { pendingConfirmation: approval };
    emit({ type: "result", result: buildTurnResult(isAfter ? `Goes on ${message}.` : "Waits.", waiting) });
  };
}

const grant: Grant = {
  id: "grant_1",
  conversationId: "c",
  toolId: "jira.add_comment",
  args: { issue_key: "DEMO-1", body: "x" },
  vary: ["body"],
  rule: "rule 1",
  grantedBy: "console:ana",
  approvalId: "appr_1",
  createdAt: Date.now(),
  expiresAt: Date.now() + 1_799_000,
  maxUses: 3,
  uses: 1,
};

async function openAt(prompt: string, script: Script): Promise<Chat> {
  const chat = new Chat(script, { terminal: true }).start();
  await chat.see("countersign> ");
  chat.type("create\r");
  await chat.see(prompt);
  return chat;
}

async function leave(chat: Chat): Promise<void> {
  await chat.see("countersign> ");
  chat.type(CTRL_D);
  await chat.ended;
}

describe.concurrent("editing in the terminal", () => {
  it("[approve.edit] [console.loop] asks field by field: empty keeps, - clears", async () => {
    const args = { summary: "Printer on fire", labels: ["a", "b"], urgent: true };
    const chat = await openAt("Type approve, deny, edit, details or later", asking({ args }));
    await chat.answer("edit");
    await chat.see("[Printer on fire] ");
    chat.type("\r");
    await chat.see("Labels (optional)");
    await chat.see("[as above] ");
    // Lines after a backslash, and pasted ones.
    chat.type("heat \\\r\u001b[200~fire\rsmoke\u001b[201~\r");
    await chat.see("Urgent (optional)");
    await chat.see("[yes] ");
    chat.type("-\r");
    await chat.see("✔ Edited. This replaces the request:");
    await chat.see("It was edited.");
    await chat.answer("approve");
    await chat.see("Goes on after approved.");
    await leave(chat);
    expect(chat.core.edits).toEqual([
      {
        approvalId: "appr_turn_1",
        actor: "console:ana",
        args: { summary: "Printer on fire", labels: ["heat ", "fire", "smoke"] },
      },
    ]);
    expect(chat.core.decisions).toHaveLength(1);
  });

  it("[approve.edit] [console.loop] asks again for what is not taken, and no more than that", async () => {
    const chat = await openAt("Run jira.create_issue?", asking({ args: {} }));
    await chat.answer("edit");
    await chat.see("[none] ");
    chat.type("\r");
    await chat.see("[none] ");
    chat.type("\r");
    await chat.see("yes or no");
    await chat.see("[none] ");
    chat.type("perhaps\r");
    await chat.see("✖ Summary: This is required.");
    await chat.see('✖ Urgent: Expected true or false, got "perhaps".');
    await chat.see("[none] ");
    chat.type("refused\r");
    await chat.see("Urgent");
    await chat.see("[perhaps] ");
    chat.type("Yes\r");
    await chat.see("summary must be better (bad_args)");
    await chat.see("[refused] ");
    chat.type("Better\r");
    await chat.see("✔ Edited");
    await chat.answer("later");
    await leave(chat);
    expect(chat.core.edits.map((edit) => edit.args)).toEqual([{ summary: "Better", urgent: true }]);
  });

  it("[approve.edit] [console.loop] leaves the request as it was when it is broken off or nothing changes", async () => {
    const chat = await openAt("Run jira.create_issue?", asking());
    await chat.answer("edit");
    await chat.see("[Printer on fire] ");
    chat.type(CTRL_C);
    await chat.see("Nothing was edited.");
    await chat.answer("edit");
    for (const prompt of ["[Printer on fire] ", "[none] ", "[none] "]) {
      await chat.see(prompt);
      chat.type("\r");
    }
    await chat.see("Nothing was changed.");
    await chat.answer("later");
    await leave(chat);
    expect(chat.core.edits).toEqual([]);
  });
});

describe.concurrent("standing approvals in the terminal", () => {
  it("[approve.policy] [console.loop] are offered where the rule does, with the most that it allows", async () => {
    const grants = { maxTtlMs: 1_800_000, maxUses: 3, vary: ["body"] };
    const chat = await openAt("grant (the same for 30 minutes, 3 times), deny", asking({ grants }));
    await chat.answer("grant");
    await chat.see("Goes on after approved.");
    await leave(chat);
    expect(chat.core.decisions).toEqual([
      { decision: "approve", reason: undefined, grant: { ttlMs: 1_800_000, uses: 3 } },
    ]);
  });

  it("[approve.policy] [console.loop] are not offered for a quorum: the word does nothing", async () => {
    const grants = { maxTtlMs: 1_800_000, maxUses: 3, vary: [] };
    const chat = await openAt("Type approve, deny, edit", asking({ grants, quorum: 2 }));
    await chat.answer("grant");
    await chat.answer("later");
    await leave(chat);
    expect(chat.core.decisions).toEqual([]);
  });

  it("[approve.policy] [console.loop] are listed with what must be equal, and revoked by id", async () => {
    const chat = new Chat(asking());
    chat.core.standing.push({ ...grant }, { ...grant, id: "grant_2", uses: 3 });
    chat.start();
    chat.input.end("/grants\n/revoke\n/revoke grant_none\n/revoke grant_1\n/grants\n");
    await chat.ended;
    expect(chat.text).toContain("grant_1");
    expect(chat.text).not.toContain("grant_2");
    expect(chat.text).toContain('issue_key="DEMO-1", and nothing added');
    expect(chat.text).toMatch(/Used +1 of 3/);
    expect(chat.text).toContain("Type /revoke ID. grant_1");
    expect(chat.text).toContain("There is no such grant. (not_found)");
    expect(chat.text).toContain("needs approval again.");
    expect(chat.text).toContain("Nothing is allowed without asking in this conversation.");
  });
});

describe.concurrent("an unknown outcome in the terminal", () => {
  const lookup = { tool: "jira.search_issues", args: { query: "Printer" } };

  it("[approve.unknown] [console.loop] is looked up, and then settled by a word", async () => {
    const unknown = asking({ state: "unknown", lookup });
    const chat = await openAt("Type happened, did not, look it up or later", unknown);
    await chat.answer("look it up");
    await chat.see("Search issues");
    await chat.see("There is one.");
    await chat.answer("happened");
    await chat.see("✔ Settled: the change happened.");
    await chat.see("Goes on after settled.");
    await leave(chat);
    expect(chat.core.lookups).toBe(1);
    expect(chat.core.settled).toMatchObject([{ approvalId: "appr_turn_1", outcome: "happened" }]);
  });

  it("[approve.unknown] [console.loop] offers no look-up where the rule names none, and can wait", async () => {
    const chat = await openAt("Type happened, did not or later", asking({ state: "unknown" }));
    await chat.answer("look it up");
    await chat.answer("later");
    await chat.see("It stays open.");
    await leave(chat);
    expect([chat.core.lookups, chat.core.settled]).toEqual([0, []]);
  });

  it("[approve.unknown] [console.loop] says on a pipe what to type, and takes it", async () => {
    const chat = new Chat(asking({ state: "unknown", lookup })).start();
    chat.input.end("create\n/settle appr_turn_1 did_not never arrived\n");
    await chat.ended;
    expect(chat.raw).toContain("/settle appr_turn_1 happened   or   /settle appr_turn_1 did_not");
    expect(chat.raw).toContain("✔ Settled: the change did not happen.");
    expect(chat.core.settled).toMatchObject([{ outcome: "did_not", note: "never arrived" }]);
  });
});

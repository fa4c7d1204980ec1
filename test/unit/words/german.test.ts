import { describe, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementInput } from "#contract/statement.ts";
import { approversText } from "#src/base/approvers.ts";
import {
  alreadyText,
  askText,
  buttonText,
  doneText,
  groupButtonText,
  groupText,
  questionText,
} from "#src/base/statement.ts";
import { exactDuration } from "#src/base/time.ts";
import { de } from "#src/base/words/de.ts";
import { humanDate } from "#views/text.ts";
import { approvalCard } from "#views/cards/approval.ts";
import { createStatements } from "#views/statement.ts";
import { buildApproval } from "#test/builders.ts";

const statements = createStatements({
  "github.create_issue": { statement: "Ticket in {owner}/{repo} anlegen: „{title}“" },
});

function statementOf(
  server: string,
  name: string,
  args: JsonObject,
  more: Partial<StatementInput> = {},
): Statement {
  const tool = { id: `${server}.${name}`, server, name, annotations: {}, inputSchema: {} };
  return statements.of({ tool, args, language: "German", ...more });
}

const ISSUE = {
  key: "DEMO-5",
  summary: "Export fails on “Safari”",
  type: "Bug",
  status: "To Do",
  priority: "Low",
  assignee: { name: "Ana Lindqvist" },
  due_date: null,
  url: "https://jira.example/browse/DEMO-5",
};

function change(before: JsonValue, after: JsonValue): Partial<StatementInput> {
  return { preview: { dry_run: true, before, after, issue: ISSUE } };
}

const KEY = { issue_key: "DEMO-5" };
const TITLE = 'DEMO-5 „Export fails on "Safari"“';

describe("statements in German", () => {
  it.each([
    [
      "delete_issue",
      KEY,
      change(ISSUE, null),
      `${TITLE} endgültig löschen`,
      `${TITLE} endgültig gelöscht`,
      "DEMO-5 löschen",
    ],
    [
      "assign_issue",
      { ...KEY, assignee: "Ben Okafor" },
      change({ assignee: null }, { assignee: "Ben Okafor" }),
      `${TITLE} Ben Okafor zuweisen (bisher niemandem)`,
      `${TITLE} Ben Okafor zugewiesen (bisher niemandem)`,
      "DEMO-5 zuweisen",
    ],
    [
      "assign_issue",
      { ...KEY, assignee: null },
      change({ assignee: "Ana Lindqvist" }, { assignee: null }),
      `Zuweisung von ${TITLE} aufheben (bisher Ana Lindqvist)`,
      `Zuweisung von ${TITLE} aufgehoben (bisher Ana Lindqvist)`,
      "Zuweisung aufheben",
    ],
    [
      "transition_issue",
      { ...KEY, status: "Done" },
      change({ status: "To Do" }, { status: "Done" }),
      `${TITLE} auf Done setzen`,
      `${TITLE} auf Done gesetzt`,
      "DEMO-5 auf Done setzen",
    ],
    [
      "transition_issue",
      { ...KEY, status: "Done" },
      {},
      "DEMO-5 auf „Done“ setzen",
      "DEMO-5 auf „Done“ gesetzt",
      "DEMO-5 auf „Done“ setzen",
    ],
    [
      "update_issue",
      { ...KEY, fields: { priority: "High" } },
      change({ priority: "Low" }, { priority: "High" }),
      `Priorität von ${TITLE} auf High ändern (bisher Low)`,
      `Priorität von ${TITLE} auf High geändert (bisher Low)`,
      "DEMO-5 ändern",
    ],
    [
      "update_issue",
      { ...KEY, fields: { priority: "High", due_date: "2026-12-01" } },
      change({ priority: "Low", due_date: null }, { priority: "High", due_date: "2026-12-01" }),
      `${TITLE} ändern: Priorität High und Fällig 01.12.2026`,
      `${TITLE} geändert: Priorität High und Fällig 01.12.2026`,
      "DEMO-5 ändern",
    ],
    [
      "update_issue",
      { ...KEY, fields: { labels: ["urgent"] } },
      change({ labels: [] }, { labels: ["urgent"] }),
      `Label urgent zu ${TITLE} hinzufügen`,
      `Label urgent zu ${TITLE} hinzugefügt`,
      "Labels ändern",
    ],
    [
      "update_issue",
      { ...KEY, fields: { summary: "Print fails" } },
      change({ summary: "Export fails" }, { summary: "Print fails" }),
      "DEMO-5 „Export fails“ in „Print fails“ umbenennen",
      "DEMO-5 „Export fails“ in „Print fails“ umbenannt",
      "DEMO-5 umbenennen",
    ],
    [
      "add_comment",
      { ...KEY, body: "Hi" },
      { record: ISSUE },
      `${TITLE} kommentieren`,
      `${TITLE} kommentiert`,
      "DEMO-5 kommentieren",
    ],
    [
      "create_issue",
      { project: "DEMO", type: "Bug", summary: "Printer on fire" },
      {},
      "Bug „Printer on fire“ in DEMO anlegen",
      "Bug „Printer on fire“ in DEMO angelegt",
      "Anlegen",
    ],
  ] as const)("[card.statement] jira %s %j", (name, args, more, ask, done, button) => {
    const statement = statementOf("jira", name, args as unknown as JsonObject, more);
    expect(askText(statement)).toBe(ask);
    expect(questionText(statement)).toBe(`${ask}?`);
    expect(doneText(statement)).toBe(done);
    expect(buttonText(statement)).toBe(button);
  });

  it("[card.statement] names several by their keys, or counts them", () => {
    const move = (key: string): Statement =>
      statementOf(
        "jira",
        "transition_issue",
        { issue_key: key, status: "Done" },
        {
          preview: {
            dry_run: true,
            before: { status: "To Do" },
            after: { status: "Done" },
            issue: { ...ISSUE, key },
          },
        },
      );
    const two = [move("DEMO-7"), move("DEMO-9")];
    expect(groupText(two)).toBe("DEMO-7 und DEMO-9 auf Done setzen");
    expect(groupButtonText(two)).toBe("2 Vorgänge auf Done setzen");
    expect(alreadyText(move("DEMO-7"))).toContain("steht schon auf Done");
  });

  it("[card.statement] leaves the words of operators and of unknown tools as they are", () => {
    const own = statementOf("github", "create_issue", { owner: "octo", repo: "hello", title: "Feuer" });
    expect(askText(own)).toBe("Ticket in octo/hello anlegen: „Feuer“");
    const unknown = statementOf("crm", "create_contact", { name: "Ada" });
    expect(askText(unknown)).toBe("„Create contact ‚Ada‘“ ausführen");
    expect(doneText(unknown)).toBe("„Create contact ‚Ada‘“ ausgeführt");
  });
});

describe("a card in German", () => {
  it("[approve.card] asks, says who may approve until when, and has no English of ours", () => {
    const statement = statementOf("jira", "delete_issue", KEY, change(ISSUE, null));
    const card = approvalCard(
      buildApproval({
        statement,
        state: "pending",
        approvers: ["channel"],
        quorum: 2,
        excludeRequester: true,
      }),
    );
    expect(card.title).toBe(`${TITLE} endgültig löschen?`);
    const text = JSON.stringify(card.elements);
    for (const said of [
      "wartet auf Freigabe",
      "zwei Personen",
      "Lässt sich nicht rückgängig machen.",
      "Ablehnen",
    ])
      expect(text).toContain(said);
    expect(text).not.toMatch(/needs approval|may approve|Requested by|Deny|until /);
  });

  it("counts, lists and dates as Germans write them", () => {
    expect(
      approversText(
        { approvers: ["http:ana", "http:ben"], excludeRequester: false, quorum: 1, requestedBy: "http:cleo" },
        (one) => one.slice(5),
        de,
      ),
    ).toBe("ana oder ben");
    expect([1, 2].map((amount) => de.amounts.issue(amount))).toEqual(["1 Vorgang", "2 Vorgänge"]);
    expect(de.grouped(10_000)).toBe("10.000");
    expect(humanDate("2026-11-21", de)).toBe("21.11.2026");
    expect(exactDuration(3_600_000, de)).toBe("1 Stunde");
  });
});

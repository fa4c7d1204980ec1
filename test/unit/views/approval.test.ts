import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { Card, CardElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { groupValue } from "#src/base/alike.ts";
import { createCards } from "#views/cards/cards.ts";
import { anyCharacter } from "#test/any-character.ts";
import { buildApproval } from "#test/builders.ts";

import { cardSchema } from "./card-schema.ts";
import { all, fieldsOf, textsOf } from "./help.ts";

const at = Date.UTC(2026, 10, 21, 14, 0);
const request: Approval = buildApproval({
  channel: "ch",
  key: "0123456789abcdef0123456789abcdef",
  toolDescription: "Creates an issue.\nMore.",
  args: { project: "DEMO", summary: "Printer on fire" },
  requestedBy: "http:ana",
  approvers: ["requester"],
  createdAt: at,
  expiresAt: at + 30 * 60_000,
});

const draw = (more: Partial<Approval> = {}): Card => createCards().approval({ ...request, ...more });

function detailsOf(card: Card): CardElement[] {
  const section = card.elements.at(-1);
  return section?.type === "section" && section.role === "details" ? section.elements : [];
}

function argumentsOf(card: Card): CardElement[] {
  const [section] = detailsOf(card);
  return section?.type === "section" ? section.elements : [];
}

/** What stands on the card itself. */
function shown(card: Card): string[] {
  return textsOf({ ...card, elements: card.elements.slice(0, -1) });
}

describe("the approval card", () => {
  it("[approve.card] [card.statement] says what will happen to what, who asked, who may approve and until when", () => {
    const card = draw();
    expect(card.kind).toBe("approval");
    expect(card.title).toBe("Create issue “Printer on fire” in DEMO?");
    expect(card.elements[0]).toEqual({
      type: "header",
      text: "Create issue “Printer on fire” in DEMO?",
      badges: [{ text: "needs approval", tone: "warn" }],
    });
    expect(shown(card)).toContain("Requested by ana · ana may approve · until 21 Nov 2026, 14:30 UTC");
    expect(argumentsOf(card)).toEqual([
      {
        type: "fields",
        items: [
          { label: "project", value: "DEMO" },
          { label: "summary", value: "Printer on fire" },
        ],
      },
    ]);
    expect(fieldsOf(card)).toMatchObject({
      "Requested by": "ana (http)",
      Expires: "21 Nov 2026, 14:30 UTC (30 minutes after it was asked)",
      Rule: "default",
      Action: "jira.create_issue",
      "About this action": "Creates an issue. More.",
    });
    expect(all(card, "actions")[0]?.items).toEqual([
      { id: "approve", label: "Create issue", style: "primary", value: "appr_1" },
      { id: "deny", label: "Deny", value: "appr_1" },
    ]);
  });

  it("[card.statement] reads a time to the minute as a date, and any other text to the letter", () => {
    const changes = [
      { label: "Last build", before: "2026-11-20T06:00:00.000Z", after: "now" },
      { label: "Seen", before: "2026-11-20T06:00:07Z", after: "2026-11-20T06:00Z or so" },
    ];
    const card = draw({ statement: { ...request.statement, changes } });
    expect(all(card, "changes")[0]?.items).toEqual([
      { label: "Last build", before: "20 Nov 2026, 06:00 UTC", after: "now" },
      changes[1],
    ]);
  });

  it("[card.statement] shows what will change, in red only what destroys, and whether there is a way back", () => {
    const object = {
      kind: "issue",
      label: "DEMO-5",
      title: "Export fails",
      href: "https://jira.example/DEMO-5",
    };
    const statement: Approval["statement"] = {
      verb: "Delete",
      past: "Deleted",
      object,
      rest: "permanently",
      changes: [
        { label: "Status", before: "To Do" },
        { label: "Note\u202E", after: "a\nb\u200B" },
      ],
      isDestructive: true,
      canUndo: false,
      as: "the bot",
      since: [{ label: "Assignee", before: "Ben", after: null }],
    };
    const card = draw({ statement });
    expect(card.elements[0]).toMatchObject({
      text: "Delete DEMO-5 “Export fails” permanently?",
      href: "https://jira.example/DEMO-5",
    });
    expect(all(card, "changes").map(({ items }) => items)).toEqual([
      [{ label: "Assignee", before: "Ben", after: null }],
      [
        { label: "Status", before: "To Do" },
        { label: "Note\\u202e", after: "a\nb\\u200b" },
      ],
    ]);
    expect(shown(card)).toContain("Changed since it was approved");
    expect(shown(card)).toContain("Cannot be undone.");
    expect(shown(card).join()).toContain("acts as the bot");
    const [approve] = all(card, "actions")[0]?.items ?? [];
    expect(approve).toMatchObject({ label: "Delete DEMO-5", style: "danger" });
    expect(draw({ statement, state: "done" }).title).toBe("Deleted DEMO-5 “Export fails” permanently");
    expect(draw({ statement, state: "denied" }).title).toBe(
      "Delete DEMO-5 “Export fails” permanently (denied)",
    );
  });

  it("[card.statement] lists several requests, says what holds for all once, and decides them together", () => {
    const move = (label: string, before: string): Approval => ({
      ...request,
      id: `appr_${label}`,
      turnId: "turn_1",
      statement: {
        verb: "Move",
        past: "Moved",
        object: { kind: "issue", label },
        rest: "to Done",
        changes: [{ label: "Status", before, after: "Done" }],
        isDestructive: false,
        canUndo: true,
      },
    });
    const two = [move("DEMO-1", "To Do"), move("DEMO-3", "In Progress")];
    const card = cardSchema.parse(createCards().approvals(two));
    expect(card.title).toBe("Move DEMO-1 and DEMO-3 to Done?");
    expect(all(card, "section").map(({ title }) => title)).toEqual([
      "Move DEMO-1 to Done",
      "Move DEMO-3 to Done",
    ]);
    expect(textsOf(card).filter((text) => text.startsWith("Requested by"))).toHaveLength(1);
    const buttons = all(card, "actions").map(({ items }) =>
      items.map(({ id, label, value }) => [id, label, value]),
    );
    expect(buttons).toEqual([
      [
        ["approve", "Move DEMO-1", "appr_DEMO-1"],
        ["deny", "Deny", "appr_DEMO-1"],
      ],
      [
        ["approve", "Move DEMO-3", "appr_DEMO-3"],
        ["deny", "Deny", "appr_DEMO-3"],
      ],
      [
        ["approve_all", "Move 2 issues", groupValue("turn_1", two)],
        ["deny_all", "Deny all", groupValue("turn_1", two)],
      ],
    ]);
    const mixed = createCards().approvals([request, { ...(two[0] ?? request), quorum: 2 }]);
    expect(mixed.title).toBe("Create issue “Printer on fire” in DEMO and move DEMO-1 to Done?");
    expect(textsOf(mixed).filter((text) => text.startsWith("Requested by"))).toHaveLength(2);
    expect(all(mixed, "actions").at(-1)?.items[0]?.label).toBe("Approve all 2");
  });

  it("[card.statement] says nothing of rules, ids and tools outside the details", () => {
    const text = shown(draw({ rule: "rule 7 (jira.*)", names: { "http:ana": "Ana Lindqvist" } })).join("\n");
    expect(text).toContain("Requested by Ana Lindqvist · Ana Lindqvist may approve");
    for (const hidden of ["rule 7", "0123", "jira.create_issue", "http:ana", "Creates an issue"])
      expect(text).not.toContain(hidden);
  });

  it("[approve.card] writes values so that none can be taken for another", () => {
    const args: JsonObject = {
      number: 5,
      digits: "5",
      yes: true,
      word: "true",
      nothing: null,
      empty: "",
      spaced: " x",
      quoted: '"x"',
      hidden: "a\u202Eb\u200B",
      list: ["b", { z: 1, a: "\u202E" }],
      "odd name\n": "x",
    };
    const [first, list, rest] = argumentsOf(draw({ args }));
    expect(first).toEqual({
      type: "fields",
      items: [
        { label: "number", value: "5" },
        { label: "digits", value: '"5"' },
        { label: "yes", value: "true" },
        { label: "word", value: '"true"' },
        { label: "nothing", value: "null" },
        { label: "empty", value: '""' },
        { label: "spaced", value: '" x"' },
        { label: "quoted", value: '"\\"x\\""' },
        { label: "hidden", value: '"a\\u202eb\\u200b"' },
      ],
    });
    expect(list).toEqual({
      type: "section",
      title: "list",
      elements: [{ type: "code", language: "json", text: '["b",{"a":"\\u202e","z":1}]', folded: false }],
    });
    expect(rest).toEqual({ type: "fields", items: [{ label: '"odd name\\n"', value: "x" }] });
  });

  it("[approve.card] keeps several lines in a block of their own, as they will be sent", () => {
    const body = "First.\n\nApproved by: chloe\n# Heading <@U1> [x](https://evil.example)";
    expect(argumentsOf(draw({ args: { body } }))).toEqual([
      { type: "section", title: "body", elements: [{ type: "code", text: body, folded: false }] },
    ]);
  });

  it("[approve.card] lets no argument change the card outside its own field, nor be formatted or linked", () => {
    const plain = draw({ args: { a: "x" } });
    const frame = (card: Card): unknown => [card.elements.slice(0, -1), detailsOf(card).slice(1)];
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
        (args) => {
          const card = draw({ args: args as JsonObject });
          expect(frame(card)).toEqual(frame(plain));
          expect(card.title).toBe(plain.title);
          cardSchema.parse(card);
          const inside = JSON.stringify(argumentsOf(card));
          expect(inside).not.toContain('"format"');
          expect(inside).not.toContain('"href"');
        },
      ),
    );
  });

  it("[approve.card] shows every argument exactly: each can be read back from the card", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue(), {
          maxKeys: 4,
          noNullPrototype: true,
        }),
        (args) => {
          expect(readBack(argumentsOf(draw({ args: args as JsonObject })))).toEqual(
            JSON.parse(JSON.stringify(args)),
          );
        },
      ),
    );
  });

  it("[approve.card] keeps the dry run's own words in the details", () => {
    const card = draw({
      effect: {
        // What stays as it is, or is nothing before and after, is no change.
        before: { status: "To Do", priority: "High", due: null },
        after: { status: "Done", priority: "High", note: "a\u202E\nb", owner: { id: "ana", name: "Ana" } },
      },
    });
    expect(all(card, "changes")[0]?.items).toEqual([
      { label: "Status", before: "To Do", after: "Done" },
      { label: "Note", before: null, after: "a\\u202e\nb" },
      { label: "Owner", before: null, after: "Ana (ana)" },
    ]);
  });

  it("[approve.card] says where values come from that nobody said, the model's own first and marked", () => {
    const args = {
      key: "OPS-9",
      project: "OPS",
      type: "Bug",
      priority: "High",
      label: "x",
      board: "A",
      due: "today",
    };
    const card = draw({
      args,
      sources: {
        key: { from: "result", ref: "jira.get_jira_issue" },
        project: { from: "history", ref: "show\nOPS-9\u202E" },
        type: { from: "model" },
        priority: { from: "model" },
        label: { from: "form", ref: "edit" },
        board: { from: "fixed" },
        due: { from: "message" },
        token: { from: "credential" },
      },
    });
    const section = detailsOf(card).find(
      (element) => element.type === "section" && element.title === "Not from the message",
    );
    expect(fieldsOf({ ...card, elements: card.elements.slice(0, -1) })).toEqual({
      "Type, Priority": { text: "assumed by the model", tone: "warn" },
    });
    expect(section?.type === "section" && section.elements).toEqual([
      {
        type: "fields",
        items: [
          { label: "type, priority", value: { text: "assumed by the model", tone: "warn" } },
          { label: "key", value: "from the result of jira.get_jira_issue" },
          { label: "project", value: "as in the earlier message “show OPS-9\\u202e”" },
          { label: "label", value: "changed in the form" },
          { label: "board", value: "set by the configuration" },
        ],
      },
    ]);
  });

  it("[approve.card] says nothing of it where the person said or filled in all, and of old requests", () => {
    const plain = draw();
    expect(draw({ sources: { project: { from: "message" }, summary: { from: "form" } } })).toEqual(plain);
    expect(textsOf(plain)).not.toContain("Not from the message");
  });

  it("[approve.quorum] shows how many have approved, and who", () => {
    const card = draw({
      quorum: 2,
      approvers: ["channel", "group:leads", "slack:T1:U1"],
      excludeRequester: true,
      reasonRequired: true,
      votes: [{ actor: "http:ben", decision: "approve", reason: "fine\nby me", at: at + 60_000 }],
    });
    expect(shown(card)).toContain(
      "Requested by ana · two of: U1, anyone in the channel or anyone of the group leads other than ana may approve · " +
        "1 of 2 approvals · until 21 Nov 2026, 14:30 UTC · a reason is required",
    );
    expect(all(card, "list")[0]?.items).toEqual([
      { text: "ben approved on 21 Nov 2026, 14:01 UTC", detail: "Reason: fine by me" },
    ]);
  });

  it("[approve.card] calls people what the platform calls them, with the id where two would read the same", () => {
    const names = { "slack:T1:U1": "Ana (U2)", "slack:T1:U2": "Ben", "slack:T1:U3": "BEN" };
    const asked = { requestedBy: "slack:T1:U1", names } as const;
    const line = (approvers: string[]): string | undefined =>
      shown(draw({ ...asked, approvers })).find((text) => text.startsWith("Requested"));
    expect(line(["slack:T1:U2"])).toMatch(/^Requested by Ana \(U2\) · Ben may approve/);
    expect(line(["slack:T1:U2", "slack:T1:U3"])).toContain("Ben (U2) or BEN (U3) may approve");
    expect(fieldsOf(draw(asked))).toMatchObject({ "Requested by": "Ana U2 (U1)" });
  });

  it("[approve.card] says at the end who decided, when and why, and offers nothing more", () => {
    const denied = draw({
      state: "denied",
      decidedAt: at + 120_000,
      note: "too soon",
      votes: [{ actor: "http:ben", decision: "deny", reason: "too soon", at: at + 120_000 }],
    });
    const texts = textsOf(denied);
    expect(texts).toContain("Denied by ben on 21 Nov 2026, 14:02 UTC. Nothing was sent.");
    expect(texts.filter((text) => text.includes("too soon"))).toEqual(["Reason: too soon"]);
    expect(all(denied, "actions")).toEqual([]);
    // Who asked thought better of what only others can approve.
    const back = {
      state: "denied" as const,
      decidedAt: at + 120_000,
      requestedBy: "http:ana" as const,
      excludeRequester: true,
      votes: [{ actor: "http:ana" as const, decision: "deny" as const, at: at + 120_000 }],
    };
    expect(draw({ ...back, excludeRequester: false }).title).toMatch(/\(denied\)$/);
    expect(draw(back).title).toMatch(/\(taken back\)$/);
    expect(textsOf(draw(back))).toContain("Taken back by ana on 21 Nov 2026, 14:02 UTC. Nothing was sent.");
    expect(textsOf(draw({ state: "expired" }))).toContain(
      "Nobody decided before 21 Nov 2026, 14:30 UTC. Nothing was sent.",
    );
    const lapsed = "it was approved in time, but nothing could send it before 2026-11-21T14:40:00Z";
    const votes = [{ actor: "http:ben" as const, decision: "approve" as const, at }];
    expect(textsOf(draw({ state: "expired", decidedAt: at, note: lapsed, votes }))).toContain(
      `${lapsed.replace("it", "It")}. Nothing was sent.`,
    );
    expect(textsOf(draw({ state: "void", note: "the tool's description changed" }))).toContain(
      "It no longer holds: the tool's description changed. Nothing was sent.",
    );
    expect(textsOf(draw({ state: "void" }))).toContain(
      "It no longer holds: the tool or its rule changed after the request. Nothing was sent.",
    );
    const failed = draw({ state: "failed", decidedAt: at, note: "no such project" });
    expect(textsOf(failed)).toContain(
      "Allowed by policy, without approval on 21 Nov 2026, 14:00 UTC, but it did not succeed.",
    );
    expect(fieldsOf(failed)).toMatchObject({ Note: "no such project" });
  });

  it("[approve.edit] says who edited a request and what took its place", () => {
    const edited = draw({
      state: "superseded",
      decidedAt: at,
      note: "edited by ben",
      replacedBy: "appr_2",
    });
    expect(textsOf(edited)).toContain(
      "A newer request took its place (edited by ben) on 21 Nov 2026, 14:00 UTC. Nothing was sent from this one.",
    );
    expect(fieldsOf(edited)).not.toHaveProperty("Note");
    expect(fieldsOf(edited)).toMatchObject({ "Replaced by": "appr_2" });
    expect(textsOf(draw({ state: "superseded" }))).toContain(
      "A newer request took its place. Nothing was sent from this one.",
    );
  });

  it("[approve.card] names what may be allowed for a while, what must be equal and what may differ", () => {
    const grants = { maxTtlMs: 30 * 60_000, maxUses: 10, vary: ["summary", "labels"] };
    const card = draw({ grants });
    expect(textsOf(card)).toContain(
      "With the approval, the same may run again without asking: for up to 30 minutes, up to 10 times, in this conversation alone.",
    );
    expect(fieldsOf(card)).toMatchObject({
      "Must be equal": "project, as above, and nothing added",
      "May differ": "summary, labels",
    });
    expect(fieldsOf(draw({ grants: { ...grants, vary: [] } }))).toMatchObject({ "May differ": "nothing" });
    for (const none of [draw({ grants, quorum: 2 }), draw({ grants, state: "done" }), draw()])
      expect(fieldsOf(none)).not.toHaveProperty("May differ");
  });

  it("[approve.card] says when a standing approval gave it, and takes no reason for one", () => {
    const reason = "grant grant_01ABC, use 2 of 10";
    const vote = { actor: "http:ben", decision: "approve", reason } as const;
    const used = draw({ state: "done", decidedAt: at, votes: [{ ...vote, at }] });
    expect(textsOf(used)).toContain(
      "Allowed by the standing approval of ben on 21 Nov 2026, 14:00 UTC, and done.",
    );
    expect(all(used, "list")).toEqual([]);
    const said = draw({ state: "done", decidedAt: at, votes: [{ ...vote, at: at + 1 }] });
    expect(textsOf(said)).toContain("Approved by ben on 21 Nov 2026, 14:00 UTC, and done.");
  });

  it("[approve.unknown] keeps a result that came late in sight, and names the read that can tell", () => {
    const lookup = { tool: "jira.search_issues", args: { query: "Printer" } };
    const open = draw({ state: "unknown", lookup, evidence: { state: "done", at } });
    expect(textsOf(open)).toContain(
      "A result came later, on 21 Nov 2026, 14:00 UTC: the tool reports that it was done. Settle it with this in mind.",
    );
    expect(textsOf(open)).toContain("Looking it up shows what is there now, and changes nothing.");
    expect(textsOf(draw({ state: "failed", lookup, evidence: { state: "failed", at } }))).toContain(
      "A result came later, on 21 Nov 2026, 14:00 UTC: the tool reports that it failed. It is kept as evidence and changes nothing.",
    );
    expect(textsOf(draw({ state: "done", lookup })).join()).not.toContain("Looking it up");
  });

  it("[approve.unknown] asks what happened when nobody knows", () => {
    const card = draw({
      state: "unknown",
      decidedAt: at,
      votes: [{ actor: "http:ana", decision: "approve", at }],
    });
    expect(card.title).toBe("Did this happen? Create issue “Printer on fire” in DEMO");
    expect(all(card, "actions")[0]?.items).toEqual([
      { id: "settle_happened", label: "It happened", value: "appr_1" },
      { id: "settle_did_not", label: "It did not happen", value: "appr_1" },
    ]);
  });

  it("[approve.card] is a valid card in every state", () => {
    const states: ApprovalState[] = [
      "pending",
      "approved",
      "executing",
      "done",
      "failed",
      "unknown",
      "denied",
      "expired",
      "void",
      "superseded",
    ];
    const badges = states.map((state) => {
      const card = cardSchema.parse(draw({ state, args: {} }));
      return all(card, "header")[0]?.badges?.[0]?.text;
    });
    expect(new Set(badges).size).toBe(states.length);
  });
});

/** The arguments as the card shows them. */
function readBack(elements: CardElement[]): unknown {
  const read = new Map<string, JsonValue>();
  for (const element of elements) {
    if (element.type === "fields") {
      for (const { label, value } of element.items) read.set(nameOf(label), valueOf(value as string));
    }
    if (element.type === "section") {
      const [code] = element.elements;
      if (code?.type !== "code") continue;
      read.set(
        nameOf(element.title),
        code.language === "json" ? (JSON.parse(code.text) as JsonValue) : code.text,
      );
    }
  }
  return Object.fromEntries(read);
}

function nameOf(label: string): string {
  return label.startsWith('"') ? (JSON.parse(label) as string) : label;
}

/** As a reader takes it: what is a JSON value is that value, anything else is the string itself. */
function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

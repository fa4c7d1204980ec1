import { describe, expect, it } from "vitest";

import type { Approval, Grant } from "#contract/approval.ts";
import { createCards } from "#views/cards/cards.ts";
import { buildApproval } from "#test/builders.ts";

import { cardSchema } from "./card-schema.ts";
import { all, textsOf } from "./help.ts";

const at = Date.UTC(2026, 10, 21, 14, 0);
const request: Approval = buildApproval({
  channel: "ch",
  key: "0123456789abcdef0123456789abcdef",
  toolId: "jira.add_comment",
  toolDescription: "Adds a comment.",
  args: { issue_key: "DEMO-1\u202E", body: "first", notify: false },
  rule: "rule 1 (jira.add_comment)",
  requestedBy: "slack:T1:ana",
  createdAt: at,
  expiresAt: at + 30 * 60_000,
  grants: { maxTtlMs: 30 * 60_000, maxUses: 5, vary: ["body"] },
});
const grant: Grant = {
  id: "grant_1",
  conversationId: "c",
  toolId: "jira.add_comment",
  args: request.args,
  vary: ["body"],
  rule: request.rule,
  grantedBy: "slack:T1:ben",
  approvalId: "appr_1",
  createdAt: at,
  expiresAt: at + 30 * 60_000,
  maxUses: 5,
  uses: 2,
};
const cards = createCards();

describe("standing approvals on cards", () => {
  it("[approve.card] are offered with each argument that must be equal, and what may differ", () => {
    const card = cards.grantTerms(request);
    expect(cardSchema.safeParse(card).success).toBe(true);
    const text = textsOf(card).join("\n");
    expect(text).toContain("for up to 30 minutes, up to 5 times");
    expect(JSON.stringify(card)).toContain("DEMO-1\\\\u202e");
    expect(JSON.stringify(card)).not.toContain("first");
    expect(all(card, "fields").at(-1)?.items).toEqual([{ label: "May differ", value: "body" }]);
  });

  it("are listed in order, each with its use and its end, and say when there are none", () => {
    const card = cards.grants([grant, { ...grant, id: "grant_2", uses: 0 }]);
    expect(cardSchema.safeParse(card).success).toBe(true);
    expect(all(card, "section").map(({ title }) => title)).toEqual(
      expect.arrayContaining(["1. Add a comment to “DEMO-1\\u202e”", "2. Add a comment to “DEMO-1\\u202e”"]),
    );
    expect(JSON.stringify(card)).toContain("2 of 5");
    expect(textsOf(cards.grants([]))).toContain("Nothing runs without asking in this conversation.");
  });

  it("[approve.card] stand on the card they were given with, as they are now", () => {
    const { id, expiresAt, maxUses, uses } = grant;
    const done = { ...request, state: "done", decidedAt: at } as const;
    const given = cards.approval({ ...done, standing: { id, expiresAt, maxUses, uses } });
    expect(textsOf(given).join("\n")).toContain(
      "Given with it: the same runs without asking until 21 Nov 2026, 14:30 UTC; used 2 of 5 times.",
    );
    const revoked = { id, expiresAt, maxUses, uses, revokedBy: "slack:T1:chloe" } as const;
    expect(textsOf(cards.approval({ ...done, standing: revoked })).join("\n")).toContain(
      "revoked by chloe: the same asks again",
    );
  });
});

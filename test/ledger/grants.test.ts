import { describe, expect, it } from "vitest";

import type { Approval, Grant } from "#contract/approval.ts";
import type { PolicyRule } from "#src/policy/policy.ts";

import {
  ana,
  anyone,
  type AskFor,
  ben,
  chloe,
  createDesk,
  decisionOf,
  type Desk,
  makeTool,
  stranger,
} from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

const terms = { max_ttl_ms: 1_800_000, max_uses: 10, vary: ["summary"] };
const generous: Partial<PolicyRule> = { ...anyone, grants: terms };
const conversation = "conversation_granted";

describe.each(storeKinds)("grants on %s", (kind) => {
  async function desk(): Promise<Desk> {
    return createDesk(await stores.open(kind));
  }

  /** A request in the granted conversation; only what a test changes differs from the granted call. */
  function again(d: Desk, change: AskFor & { args?: AskFor["args"] } = {}): Promise<Approval> {
    return d.ask({ conversation, rule: generous, args: { project: "DEMO", summary: "another" }, ...change });
  }

  /** Ana asks, Ben approves and allows more of the same. */
  async function give(d: Desk, grant = { ttlMs: 600_000, uses: 3 }, rule = generous): Promise<Grant> {
    const asked = await d.ask({ conversation, rule, args: { project: "DEMO", summary: "the first" } });
    const reply = await d.first.decide({ approvalId: asked.id, actor: ben, decision: "approve", grant });
    expect(reply.outcome).toBe("approved");
    const [given] = await d.second.grants(conversation);
    if (given === undefined) throw new Error("expected a grant");
    return given;
  }

  it("[approve.policy] are off unless the rule offers them, and never go further than it offers", async () => {
    const d = await desk();
    const none = await d.ask({ rule: anyone });
    const wish = { actor: ben, decision: "approve", grant: { ttlMs: 60_000, uses: 1 } } as const;
    await expect(d.first.decide({ approvalId: none.id, ...wish })).rejects.toMatchObject({
      code: "grant_refused",
    });
    const asked = await d.ask({ rule: generous });
    for (const grant of [
      { ttlMs: terms.max_ttl_ms + 1, uses: 1 },
      { ttlMs: 60_000, uses: terms.max_uses + 1 },
      { ttlMs: 0, uses: 1 },
      { ttlMs: 60_000, uses: 0 },
      { ttlMs: 60_000, uses: 1.5 },
      { ttlMs: Number.NaN, uses: 1 },
      { ttlMs: 60_000, uses: Number.NaN },
    ]) {
      await expect(d.first.decide({ approvalId: asked.id, ...wish, grant })).rejects.toMatchObject({
        code: "grant_refused",
      });
    }
    const two = await d.ask({ rule: { ...generous, quorum: 2 } });
    await expect(d.first.decide({ approvalId: two.id, ...wish })).rejects.toMatchObject({
      code: "grant_refused",
    });
    // The refused wish took nothing with it: the requests wait without a vote.
    for (const { id } of [none, asked, two]) {
      expect(await d.first.get(id)).toMatchObject({ state: "pending", votes: [] });
    }
    expect(await d.first.grants()).toEqual([]);
    expect(await d.entries("grant.given")).toBe(0);
  });

  it("[approve.key] covers the same tool with the same arguments but those that may vary, and is counted", async () => {
    const d = await desk();
    const grant = await give(d);
    expect(grant).toMatchObject({ vary: ["summary"], grantedBy: ben, uses: 0, maxUses: 3 });
    for (const use of [1, 2, 3]) {
      const asked = await again(d, { args: { summary: `number ${use}`, project: "DEMO" } });
      expect(asked).toMatchObject({
        state: "approved",
        votes: [{ actor: ben, decision: "approve", reason: `grant ${grant.id}, use ${use} of 3` }],
      });
      const decision = decisionOf(generous, makeTool(), asked.args);
      expect((await d.second.claim(asked.id, { tool: makeTool(), decision })).ok).toBe(true);
    }
    expect(await again(d)).toMatchObject({ state: "pending", votes: [] });
    expect(await d.entries("grant.used")).toBe(3);
    expect(await d.entries("approval.granted")).toBe(3);
  });

  const wider: [what: string, change: AskFor][] = [
    ["another value of an argument", { args: { project: "OPS", summary: "another" } }],
    ["the same name in other letters", { args: { project: "demo", summary: "another" } }],
    ["an argument more", { args: { project: "DEMO", summary: "another", priority: "High" } }],
    ["an argument less", { args: { summary: "another" } }],
    ["another site", { targets: [{ name: "tenant.domain", value: "b.example", args: [] }] }],
    ["another conversation", { conversation: "conversation_other" }],
    ["another tool", { tool: makeTool({ id: "jira.delete_issue", name: "delete_issue" }) }],
    ["a tool with another description", { tool: makeTool({ description: "Creates an issue, loudly" }) }],
    ["a tool with another schema", { tool: makeTool({ inputSchema: { type: "object" } }) }],
    ["a rule that offers none by now", { rule: anyone }],
    ["another rule", { rule: { ...generous, tools: ["jira.*"] } }],
    ["a rule that wants two people by now", { rule: { ...generous, quorum: 2 } }],
    [
      "a rule that offers a shorter time by now",
      { rule: { ...anyone, grants: { ...terms, max_ttl_ms: 1 } } },
    ],
    [
      "a rule under which the argument may not vary any more",
      { rule: { ...anyone, grants: { ...terms, vary: [] } } },
    ],
  ];

  it.each(wider)("[approve.binding] never widens: %s asks again", async (_, change) => {
    const d = await desk();
    await give(d);
    d.clock.now += 1;
    expect(await again(d, change)).toMatchObject({ state: "pending", votes: [] });
    expect(await again(d)).toMatchObject({ state: "approved" });
  });

  it("[approve.expiry] ends with its time and when it is taken back", async () => {
    const d = await desk();
    const first = await give(d);
    d.clock.now = first.expiresAt - 1;
    expect(await again(d)).toMatchObject({ state: "approved" });
    d.clock.now += 1;
    expect(await again(d)).toMatchObject({ state: "pending" });

    const second = await give(d);
    await expect(d.second.revokeGrant(second.id, stranger)).rejects.toMatchObject({ code: "not_eligible" });
    expect(await again(d)).toMatchObject({ state: "approved" });
    const [one, other] = await Promise.all([
      d.first.revokeGrant(second.id, chloe),
      d.second.revokeGrant(second.id, chloe),
    ]);
    expect([one.revokedBy, other.revokedBy]).toEqual([chloe, chloe]);
    expect(await d.entries("grant.revoked")).toBe(1);
    expect(await again(d)).toMatchObject({ state: "pending" });
    await expect(d.first.revokeGrant("grant_none", ben)).rejects.toMatchObject({ code: "not_found" });
  });

  it("[approve.eligible] of a person who may not approve one's own requests does not cover one's own", async () => {
    const d = await desk();
    const rule = { ...generous, exclude_requester: true };
    await give(d, { ttlMs: 600_000, uses: 3 }, rule);
    expect(await again(d, { rule, by: ben })).toMatchObject({ state: "pending", votes: [] });
    expect(await again(d, { rule, by: chloe })).toMatchObject({ state: "approved" });
    expect(await again(d, { rule, by: ana })).toMatchObject({ state: "approved" });
  });

  it("[approve.eligible] of a person who is gone by now runs nothing", async () => {
    const d = await desk();
    await give(d);
    d.people.channel.delete(ben);
    const asked = await again(d);
    const decision = decisionOf(generous, makeTool(), asked.args);
    const claim = await d.first.claim(asked.id, { tool: makeTool(), decision });
    expect(claim.ok).toBe(false);
    expect(["pending", "void"]).toContain(claim.approval.state);
  });

  it("[approve.once] ten uses and thirty requests at once on two replicas: exactly ten run", async () => {
    const d = await desk();
    const grant = await give(d, { ttlMs: 600_000, uses: 10 });
    const asked = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        again(d, {
          args: { project: "DEMO", summary: `wish ${index}` },
          on: index % 2 === 0 ? "first" : "second",
        }),
      ),
    );
    const approved = asked.filter((approval) => approval.state === "approved");
    expect(approved).toHaveLength(10);
    expect(asked.filter((approval) => approval.state === "pending")).toHaveLength(20);
    expect((await d.first.grants(conversation)).find((one) => one.id === grant.id)?.uses).toBe(10);
    // Each use has a number of its own.
    expect(new Set(approved.map((approval) => approval.votes[0]?.reason)).size).toBe(10);
    expect(await d.entries("grant.used")).toBe(10);
    expect(await d.verify()).toMatchObject({ ok: true });
  });
});

import { describe, expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, EditRequest } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import { codeOf } from "#src/base/errors.ts";
import { statementById } from "#src/base/plain-statement.ts";
import type { EditedCall } from "#src/ledger/request.ts";
import type { PolicyRule } from "#src/policy/policy.ts";
import { createAccess } from "#src/turn/access.ts";
import { listConversations, readConversation } from "#src/turn/conversations.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createInbox } from "#src/turn/inbox.ts";

import {
  ana,
  anyone,
  ben,
  chloe,
  createDesk,
  decisionOf,
  type Desk,
  dmitri,
  guest,
  makeTool,
  stranger,
} from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const tool = makeTool();

describe.each(storeKinds)("edits on %s", (kind) => {
  async function desk(): Promise<Desk> {
    return createDesk(await stores.open(kind));
  }

  /** What an edit is made of: the request of a person, and the call as policy sees it. */
  function edit(
    approval: Approval,
    actor: ActorId,
    args: JsonObject,
    rule: Partial<PolicyRule> = anyone,
  ): [EditRequest, EditedCall] {
    const decision = decisionOf(rule, tool, args);
    return [
      { approvalId: approval.id, actor, args },
      { tool, decision, statement: statementById(tool.id, args), targets: [] },
    ];
  }

  it("[http.ownership] a conversation is of who asked, decided or edited, and of its channel", async () => {
    const d = await desk();
    const rule = { approvers: [ben, chloe, dmitri], quorum: 2 };
    const asked = await d.ask({ by: ana, rule, conversation: "c:1" });
    const other = await d.ask({ by: stranger, rule, conversation: "c:2" });
    await d.first.decide({ approvalId: asked.id, actor: ben, decision: "approve" });
    const edited = await d.first.edit(...edit(asked, chloe, { project: "DEMO", summary: "new" }, rule));
    const inbox = createInbox({
      transact: d.transact,
      signals: createTurnSignals(0),
      now: () => d.clock.now,
      failPoint: () => undefined,
      enqueue: () => Promise.resolve(),
    });
    for (const actor of [ana, ben, chloe]) {
      const own = await d.second.list({ takenPartBy: [actor, "http:ana"] });
      expect(new Set(own.map(({ id }) => id))).toEqual(new Set([asked.id, edited.id]));
      expect(
        await listConversations(d.db, { surface: "slack", limit: 10, takenPartBy: [actor] }),
      ).toMatchObject([{ conversationId: "c:1", turns: 1, pending: 1 }]);
    }
    expect(await d.second.list({ takenPartBy: [dmitri] })).toEqual([]);
    expect(await d.second.grants(undefined, [dmitri])).toEqual([]);

    const inChannel = new Set<ActorId>([guest]);
    const access = createAccess({
      db: d.db,
      kind,
      membership: {
        inChannel: (actor) =>
          actor === dmitri ? Promise.reject(new Error("down")) : Promise.resolve(inChannel.has(actor)),
        inGroup: () => Promise.resolve(false),
        isGuest: () => Promise.resolve(false),
      },
    });
    const belongs = (actor: ActorId, also: ActorId[] = []): Promise<string[]> =>
      Promise.all(["c:1", "c:2", "c:3"].map((id) => access.conversation({ actor, also }, id)));
    expect(await belongs(ana)).toEqual(["theirs", "others", "new"]);
    expect(await belongs("http:ana")).toEqual(["others", "others", "new"]);
    expect(await belongs("http:ana", [ana])).toEqual(["theirs", "others", "new"]);
    expect(await belongs("http:guest", [guest])).toEqual(["theirs", "theirs", "new"]);
    // What the platform does not say counts as no.
    expect(await belongs("http:dmitri", [dmitri])).toEqual(["others", "others", "new"]);
    // Who may decide sees the request; nobody else does.
    const seen = (actor: ActorId): Promise<boolean> => access.approval({ actor, also: [] }, other);
    expect([await seen(dmitri), await seen("http:dmitri"), await seen(stranger)]).toEqual([
      true,
      false,
      true,
    ]);

    // Of two who begin the same one at once, it is one's.
    const conversationId = "http:new";
    const begin = (actor: ActorId): Promise<unknown> =>
      inbox.accept(
        { surface: "http", actor, conversationId, channel: conversationId, message: "hello" },
        (tx, id) => access.claim(tx, { actor, also: [] }, { id, conversationId }),
      );
    const begun = await Promise.allSettled([begin("http:ana"), begin("http:ana"), begin("http:ben")]);
    const refused = begun.flatMap((one) => (one.status === "rejected" ? [codeOf(one.reason)] : []));
    expect(refused).toContain("not_found");
    const turns = await readConversation(d.db, conversationId);
    expect(turns).toHaveLength(3 - refused.length);
    expect(new Set(turns.map(({ actor }) => actor)).size).toBe(1);
  });

  it("[approve.edit] [approve.key] edited arguments make a new request of the editor, without votes", async () => {
    const d = await desk();
    const rule = { ...anyone, quorum: 2 };
    const args = { project: "DEMO", summary: "first thought", labels: ["a"] };
    const { id: approvalId } = await d.ask({ by: ana, rule, args });
    const { approval: old } = await d.first.decide({ approvalId, actor: chloe, decision: "approve" });
    expect(old.votes).toHaveLength(1);

    const better = { project: "DEMO", summary: "second thought" };
    const fresh = await d.second.edit(...edit(old, ben, better, rule));
    expect(fresh).toMatchObject({ state: "pending", args: better, requestedBy: ben, votes: [], quorum: 2 });
    expect((await d.first.get(fresh.id))?.sources).toEqual({
      project: { from: "message" },
      summary: { from: "form", ref: "edit" },
    });
    expect(fresh.key).not.toBe(old.key);
    expect(fresh.turnId).toBe(old.turnId);
    expect(await d.first.get(old.id)).toMatchObject({
      state: "superseded",
      replacedBy: fresh.id,
      note: "edited by ben",
      args,
    });
    expect(await d.jobs(old.turnId)).toBe(1);
    expect(d.continued).toContain(old.turnId);

    // Who approved the first thought has not approved the second.
    expect(await d.first.decide({ approvalId: fresh.id, actor: chloe, decision: "approve" })).toMatchObject({
      outcome: "recorded",
      message: "Recorded: 1 of 2 approvals.",
    });
    expect(await d.first.decide({ approvalId: old.id, actor: ana, decision: "approve" })).toMatchObject({
      outcome: "void",
      message: "This request is no longer valid: edited by ben.",
    });
    const calls = await d.db
      .selectFrom("calls")
      .select(["approval_id", "state", "args", "place"])
      .where("turn_id", "=", old.turnId)
      .orderBy("place")
      .execute();
    expect(calls).toEqual([
      { approval_id: old.id, state: "refused", args: JSON.stringify(args), place: 0 },
      { approval_id: fresh.id, state: "planned", args: JSON.stringify(better), place: 1 },
    ]);
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  it("[approve.edit] [approve.eligible] a rule that excludes the requester excludes the editor", async () => {
    const d = await desk();
    const rule = { ...anyone, exclude_requester: true };
    const old = await d.ask({ by: ana, rule });
    const fresh = await d.first.edit(...edit(old, ben, { project: "OPS" }, rule));
    const own = await d.second.decide({ approvalId: fresh.id, actor: ben, decision: "approve" });
    expect(own.outcome).toBe("not_eligible");
    const other = await d.second.decide({ approvalId: fresh.id, actor: ana, decision: "approve" });
    expect(other.outcome).toBe("approved");
    const claim = await d.first.claim(fresh.id, { tool, decision: decisionOf(rule, tool, fresh.args) });
    expect(claim).toMatchObject({ ok: true, approval: { args: { project: "OPS" } } });
  });

  it("[approve.edit] who neither asked nor may approve may not edit; the decided is not edited", async () => {
    const d = await desk();
    const old = await d.ask({ by: ana });
    await expect(d.first.edit(...edit(old, stranger, { project: "OPS" }))).rejects.toMatchObject({
      code: "not_eligible",
    });
    expect(await d.first.get(old.id)).toMatchObject({ state: "pending" });
    await d.first.decide({ approvalId: old.id, actor: ben, decision: "approve" });
    await expect(d.second.edit(...edit(old, ben, { project: "OPS" }))).rejects.toMatchObject({
      code: "not_pending",
      message: "Only a pending request can be edited; this one is approved.",
    });
    expect(await d.first.list({ turnId: old.turnId })).toHaveLength(1);
  });

  it("[approve.edit] of edits and an approval at the same moment exactly one counts", async () => {
    const d = await desk();
    for (let round = 0; round < 8; round += 1) {
      const old = await d.ask({ by: ana });
      const settled = await Promise.allSettled([
        d.first.edit(...edit(old, ben, { project: "OPS" })),
        d.second.edit(...edit(old, chloe, { project: "MOB" })),
        d.second.decide({ approvalId: old.id, actor: chloe, decision: "approve" }),
      ]);
      const [one, other, click] = settled;
      const edits = [one, other].filter((result) => result.status === "fulfilled").length;
      const isApproved = click.status === "fulfilled" && click.value.outcome === "approved";
      expect(edits + (isApproved ? 1 : 0)).toBe(1);
      expect(await d.first.list({ turnId: old.turnId })).toHaveLength(1 + edits);
      expect((await d.first.get(old.id))?.state).toBe(isApproved ? "approved" : "superseded");
      expect(click.status).toBe("fulfilled");
    }
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  it("[approve.edit] an edit does not outlive the time of the request it replaces", async () => {
    const d = await desk();
    const old = await d.ask({ rule: { ...anyone, ttl_ms: 60_000 } });
    d.clock.now = old.expiresAt;
    await expect(d.first.edit(...edit(old, ben, { project: "OPS" }))).rejects.toMatchObject({
      code: "not_pending",
    });
    const late = await d.first.decide({ approvalId: old.id, actor: ben, decision: "approve" });
    expect(late.outcome).toBe("expired");
  });

  it("[approve.edit] [approve.policy] arguments that policy allows run without a countersignature", async () => {
    const d = await desk();
    const old = await d.ask({ args: { project: "OPS" } });
    const fresh = await d.first.edit(...edit(old, ben, { project: "DEMO" }, { decision: "allow" }));
    expect(fresh).toMatchObject({ state: "approved", quorum: 0 });
    expect(await d.jobs(old.turnId)).toBe(1);
  });
});

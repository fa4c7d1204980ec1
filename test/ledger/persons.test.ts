import { describe, expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";

import { ana, anyone, ben, chloe, createDesk, type Desk } from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const anaAtPage: ActorId = "http:ana";
const benAtPage: ActorId = "http:ben";

describe.each(storeKinds)("one person by several names on %s", (kind) => {
  async function desk(): Promise<Desk> {
    const d = createDesk(await stores.open(kind));
    d.people.channel.add(anaAtPage).add(benAtPage);
    d.people.same.push([ana, anaAtPage], [ben, benAtPage]);
    return d;
  }

  it("[card.people] counts a person once, on whatever surfaces they approve", async () => {
    const { first, second, ...d } = await desk();
    const { id: approvalId } = await d.ask({ rule: { ...anyone, quorum: 2 } });
    expect(await first.decide({ approvalId, actor: ben, decision: "approve" })).toMatchObject({
      outcome: "recorded",
    });
    expect(await second.decide({ approvalId, actor: benAtPage, decision: "approve" })).toMatchObject({
      outcome: "not_eligible",
      message: "You have approved this already, as ben on Slack: a person counts once.",
      approval: { state: "pending", votes: [{ actor: ben }] },
    });
    expect(await first.decide({ approvalId, actor: chloe, decision: "approve" })).toMatchObject({
      outcome: "approved",
    });
  });

  it.each<ActorId>(["slack:T2:U_BEN", "discord:G1:7", "http:ben", "console:ben"])(
    "[card.people] who approved on another surface adds nothing as %s",
    async (again) => {
      const { first, ...d } = await desk();
      d.people.channel.add(again);
      d.people.same.push([chloe, again]);
      const { id: approvalId } = await d.ask({ rule: { ...anyone, quorum: 2 } });
      await first.decide({ approvalId, actor: chloe, decision: "approve" });
      expect(await first.decide({ approvalId, actor: again, decision: "approve" })).toMatchObject({
        outcome: "not_eligible",
        approval: { state: "pending" },
      });
    },
  );

  it("[card.people] counts once also those who approve at the same moment on two replicas", async () => {
    const { first, second, ...d } = await desk();
    const { id: approvalId } = await d.ask({ rule: { ...anyone, quorum: 2 } });
    const replies = await Promise.all([
      first.decide({ approvalId, actor: ben, decision: "approve" }),
      second.decide({ approvalId, actor: benAtPage, decision: "approve" }),
    ]);
    expect(replies.map(({ outcome }) => outcome).toSorted()).toEqual(["not_eligible", "recorded"]);
    expect((await first.get(approvalId))?.votes).toHaveLength(1);
  });

  it("[card.people] who asked on Slack is the requester on the page too", async () => {
    const { first, ...d } = await desk();
    const own = await d.ask({ rule: { approvers: ["requester"] } });
    expect(await first.decide({ approvalId: own.id, actor: benAtPage, decision: "approve" })).toMatchObject({
      outcome: "not_eligible",
    });
    expect(await first.decide({ approvalId: own.id, actor: anaAtPage, decision: "approve" })).toMatchObject({
      outcome: "approved",
    });
    const others = await d.ask({ rule: { ...anyone, exclude_requester: true } });
    const refused = await first.decide({ approvalId: others.id, actor: anaAtPage, decision: "approve" });
    expect(refused).toMatchObject({ outcome: "not_eligible" });
    expect(refused.message).toContain("You asked for this change");
  });

  it("[card.people] fails closed: whom nobody can tell apart do not count beside each other", async () => {
    const { first, ...d } = await desk();
    d.people.whileCompared = () => {
      throw new Error("Slack is down");
    };
    const { id: approvalId } = await d.ask({ rule: { ...anyone, quorum: 2 }, by: chloe });
    await first.decide({ approvalId, actor: ben, decision: "approve" });
    expect(await first.decide({ approvalId, actor: anaAtPage, decision: "approve" })).toMatchObject({
      outcome: "not_eligible",
    });
    const own = await d.ask({ rule: { approvers: ["requester"] } });
    expect(await first.decide({ approvalId: own.id, actor: anaAtPage, decision: "approve" })).toMatchObject({
      outcome: "not_eligible",
    });
  });

  it("[card.people] a page without tokens gives one approval, and any number of denials", async () => {
    const { first, ...d } = await desk();
    d.people.channel.add("http:chloe");
    const { id: approvalId } = await d.ask({ rule: { ...anyone, quorum: 2 } });
    await first.decide({ approvalId, actor: benAtPage, decision: "approve", via: "page" });
    const second = await first.decide({ approvalId, actor: "http:chloe", decision: "approve", via: "page" });
    expect(second).toMatchObject({ outcome: "not_eligible", approval: { votes: [{ actor: benAtPage }] } });
    expect(second.message).toContain("on this page everybody counts as one person");
    expect(await first.decide({ approvalId, actor: "http:chloe", decision: "deny" })).toMatchObject({
      outcome: "denied",
    });
  });
});

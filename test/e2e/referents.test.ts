import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { amount } from "#test/amount.ts";

import { createdCases } from "../../bench/outcome/created.ts";
import { playDemoAt } from "../../bench/outcome/play.ts";
import { referentCases } from "../../bench/outcome/referents.ts";
import { openDemo, type Site } from "../../bench/outcome/site.ts";
import { spokenCases } from "../../bench/outcome/spoken.ts";
import { wordedCases } from "../../bench/outcome/worded.ts";

describe("what a message means without a key", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openDemo();
  });
  afterAll(() => site.close());

  it("[plan.referents] what is shown and then spoken of is what changes are proposed for", async () => {
    // Every twelfth here, in the long form every third; `npm run eval -- --referents` plays all, in every wording.
    const each = amount(3, 12);
    const cases = referentCases({ everyWording: false }).filter((_, at) => at % each === 0);
    const played = await playDemoAt(site, cases);
    expect(played.length).toBeGreaterThan(300 / each);
    const wrong = played.filter(({ verdict }) => verdict !== "useful");
    expect(wrong.map(({ case: { id }, why }) => `${id}: ${why}`)).toEqual([]);
  }, 120_000);

  it("[plan.anchors] plain requests stay what they are, whatever people say around them", async () => {
    const each = amount(1, 13);
    const cases = [...spokenCases(), ...wordedCases(), ...createdCases()].filter((_, at) => at % each === 0);
    const played = await playDemoAt(site, cases);
    expect(played.length).toBeGreaterThan(800 / each);
    const wrong = played.filter(({ verdict }) => verdict !== "useful");
    // Of the whole sets 11 of 852 are known to fail (docs/models.md).
    const beyond = wrong.slice(Math.floor(played.length / 50));
    expect(beyond.map(({ case: { id }, why }) => `${id}: ${why}`)).toEqual([]);
  }, 120_000);

  it.each([
    ["give the disk ticket to emi", "assign_issue", { issue_key: "OPS-4", assignee: "emi" }],
    ["close the printer ticket in OPS", "transition_issue", { issue_key: "OPS-6", status: "Done" }],
    ["bump guest checkout to highest, it was promised", "update_issue", { issue_key: "DEMO-12" }],
  ])("[plan.anchors] a record that its title's words name: %s", async (message, tool, args) => {
    const { proposals } = await site.say(`titled ${message}`, message, "ana");
    expect(proposals).toMatchObject([{ tool, args }]);
  });

  it("[plan.anchors] asks where two titles have the words, and changes nothing", async () => {
    const outcome = await site.say("two titles", "assign the login ticket to ben", "ana");
    expect(outcome.proposals).toEqual([]);
    expect(outcome.question?.fields).toEqual(["issue_key"]);
  });

  it("[plan.referents] a change for all that is described is proposed for each that is found, at most ten", async () => {
    const bugs = await site.say("all of them", "give all of ben's open bugs to emi", "ana");
    const keys = ["DEMO-1", "DEMO-14", "MOB-9", "OPS-17"];
    expect(bugs.proposals.map(({ args }) => String(args["issue_key"])).toSorted()).toEqual(keys);
    expect(bugs.proposals.every(({ args }) => args["assignee"] === "emi")).toBe(true);
    const labels = await site.say(
      "labels of all",
      "add label urgent to all open bugs with priority highest",
      "ana",
    );
    expect(labels.proposals).toHaveLength(4);
    const many = await site.say("too many", "close all open tickets", "ana");
    expect(many.proposals).toEqual([]);
    expect(many.reply).toContain("more than the 10 that I change at once");
    // A word that the search could not use may say which: nothing is changed for what is left of it.
    const unclear = await site.say("unclear", "close all bugs of the flibber squad", "ana");
    expect(unclear.proposals).toEqual([]);
  });

  it.each([
    ["show me the login epic", "which of those are still open?", { epic: "DEMO-2", status_category: "open" }],
    ["how many open bugs do we have?", "and by priority?", { type: "Bug", group_by: "priority" }],
    ["my open tickets", "oldest first", { assignee: "ana", order_by: "created", order: "asc" }],
  ])("[plan.referents] %s, then %s", async (first, then, args) => {
    await site.say(`then ${then}`, first, "ana");
    expect((await site.say(`then ${then}`, then, "ana")).results).toMatchObject([{ args }]);
  });
});

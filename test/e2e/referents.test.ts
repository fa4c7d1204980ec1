import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { playDemoAt } from "../../bench/outcome/play.ts";
import { referentCases } from "../../bench/outcome/referents.ts";
import { openDemo, type Site } from "../../bench/outcome/site.ts";

describe("what a message means without a key", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openDemo();
  });
  afterAll(() => site.close());

  it("[plan.referents] what is shown and then spoken of is what changes are proposed for", async () => {
    // Every third here; `npm run eval -- --referents` plays all of them, in every wording.
    const cases = referentCases({ everyWording: false }).filter((_, at) => at % 3 === 0);
    const played = await playDemoAt(site, cases);
    expect(played.length).toBeGreaterThan(100);
    const wrong = played.filter(({ verdict }) => verdict !== "useful");
    expect(wrong.map(({ case: { id }, why }) => `${id}: ${why}`)).toEqual([]);
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
});

import { afterAll, beforeAll, expect, it } from "vitest";

import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUpAll,
  decide,
  follow,
  jiraOnly,
  request,
  type HostedProduct,
  say as sayIn,
  startHosted,
  type WireResult,
} from "./support.ts";

/** One product with a model that plans nothing of use, for all tests; each has a conversation of its own. */
let product: HostedProduct;
let ollama: FakeOllama;
let session = "";
let conversations = 0;
beforeAll(async () => {
  ollama = await startFakeOllama(() => ({ do: "answer", text: "I would rather not.", json: {} }));
  const config = jiraOnly({ provider: "ollama", anchored: "builtin" });
  product = await startHosted({ config, env: { OLLAMA_HOST: ollama.url } });
});
afterAll(async () => {
  await cleanUpAll();
  await ollama.stop();
});

function begin(): void {
  conversations += 1;
  session = `understanding ${conversations}`;
  ollama.forget();
}

async function say(message: string): Promise<WireResult> {
  return (await sayIn(product, message, { session_id: session, actor: "ana" })).body;
}

function argsOf({ tool_results: results }: WireResult): unknown[] {
  return results.map(({ tool_id: tool, args }) => [tool, args]);
}

it("[plan.anchors] [plan.ladder] asks no model for what says every value itself, and does without a model that fails", async () => {
  begin();
  const shown = await say("show me DEMO-1");
  expect(shown.planner).toBe("builtin");
  expect(argsOf(shown)).toEqual([["jira.get_jira_issue", { issue_key: "DEMO-1" }]]);
  const asked = await say("assign it to Chloe");
  expect(asked.pending_confirmation).toMatchObject({ args: { issue_key: "DEMO-1", assignee: "chloe" } });
  expect(ollama.requests).toEqual([]);

  begin();
  const searched = await say("what's up with the checkout timeouts?");
  expect(ollama.requests.length).toBeGreaterThan(0);
  expect(searched.planner).toBe("builtin");
  expect(argsOf(searched)[0]).toEqual(["jira.search_issues", { query: "checkout timeouts" }]);
  expect(searched.reply).toContain("“checkout timeouts”");
});

it("[plan.ladder] offers the likeliest tools where nothing fits, and looks with fewer words where nothing is found", async () => {
  begin();
  const refused = (await say("recommend a good restaurant")) as WireResult & { choices?: unknown[] };
  expect(refused.tool_results).toEqual([]);
  expect(refused.choices?.length).toBeGreaterThan(0);
  const widened = await say("anything about umbrella checkout?");
  expect(argsOf(widened)).toEqual([
    ["jira.search_issues", { query: "umbrella checkout" }],
    // The word that titles have.
    ["jira.search_issues", { query: "checkout" }],
  ]);
  expect(widened.reply).toContain("Nothing was found for “umbrella checkout”");
});

it("[plan.referents] reads rows by their place and by a word, and guesses none of several", async () => {
  begin();
  const listed = await say("open bugs in OPS");
  const { issues } = (listed.tool_results[0]?.data ?? { issues: [] }) as { issues: { key: string }[] };
  expect(issues.length).toBeGreaterThan(2);
  expect(argsOf(await say("the second one"))).toEqual([
    ["jira.get_jira_issue", { issue_key: issues[1]?.key }],
  ]);
  await say("open bugs in OPS");
  const unclear = await say("close it");
  expect(unclear.pending_confirmation).toBeUndefined();
  expect(unclear.reply).toContain("There are several here");
});

it("[plan.followups] changes the last search by what is said of it", async () => {
  begin();
  await say("bugs in MOB");
  const args = { project: "MOB", type: "Bug" };
  const search = (more: object): unknown[] => ["jira.search_issues", { ...args, ...more }];
  expect(argsOf(await say("only open ones"))).toEqual([search({ status_category: "open" })]);
  expect(argsOf(await say("and in DEMO?"))).toEqual([search({ status_category: "open", project: "DEMO" })]);
  expect(argsOf(await say("sorted by due date"))).toEqual([
    search({ status_category: "open", project: "DEMO", order_by: "due", order: "asc" }),
  ]);
  expect(argsOf(await say("how many is that?"))).toEqual([
    ["jira.count_issues", { ...args, project: "DEMO", status_category: "open" }],
  ]);
});

it("[plan.nothing-dropped] serves several targets one after the other, and says what it could not read", async () => {
  begin();
  const first = await say("move DEMO-21 and DEMO-23 to in progress and blorb the frobnicator");
  expect(first.pending_confirmation?.args).toEqual({ issue_key: "DEMO-21", status: "In Progress" });
  const turnId = first.turn_id ?? "";
  const before = (await follow(product, turnId)).length;
  await decide(product, first.pending_confirmation?.approval_id ?? "", "approve", { actor: "ana" });
  const next = (await follow(product, turnId, before)).findLast(({ event }) => event === "result");
  expect(next?.data).toMatchObject({
    pending_confirmation: { args: { issue_key: "DEMO-23", status: "In Progress" } },
  });
});

it("[plan.sources] proposes no change of a record that nothing names, and says where each value comes from", async () => {
  begin();
  const unclear = await say("delete it");
  expect(unclear.pending_confirmation).toBeUndefined();
  await say("show me OPS-4");
  const asked = await say("set the priority to low");
  const listed = await request<{ approvals: { approval_id: string; sources: object }[] }>(
    product,
    "GET",
    "/approvals?state=pending",
  );
  const own = listed.body.approvals.find(
    ({ approval_id: id }) => id === asked.pending_confirmation?.approval_id,
  );
  expect(own?.sources).toMatchObject({
    issue_key: { from: "result", ref: "jira.get_jira_issue" },
    fields: { from: "message" },
  });
});

it("[plan.sources] never spells anew what somebody dictates", async () => {
  begin();
  for (const body of ["it wont start w/ Firefox, opne issue", "wat about a fortnight? no wait, to emi"]) {
    const asked = await say(`comment on DEMO-3: ${body}`);
    expect(asked.pending_confirmation?.args).toEqual({ issue_key: "DEMO-3", body });
  }
});

it.each([
  "close all but DEMO-3",
  "assign DEMO-4 to ben if emi is away",
  "close DEMO-21 or DEMO-15",
  "delete DEMO-21?",
  "DEMO-21 isn't a duplicate of DEMO-15",
  "deplete DEMO-21",
  "assign DEMO-21 to no one other than emi",
  "close the issue that blocks DEMO-12",
  "assign DEMO-4 to my boss",
  "change the title of DEMO-4",
])("[plan.sources] [plan.nothing-dropped] signs no guess: %s", async (message) => {
  begin();
  expect((await say(message)).pending_confirmation).toBeUndefined();
});

it.each([
  ["assign DEMO-6 to emi, DEMO-15 to ben", { issue_key: "DEMO-6", assignee: "emi" }],
  // Counted from the day that the record has.
  [
    "push the due date of DEMO-1 by a week",
    { issue_key: "DEMO-1", fields: { due_date: expect.any(String) } },
  ],
])("[plan.nothing-dropped] reads what shall be of which: %s", async (message, args) => {
  begin();
  expect((await say(message)).pending_confirmation?.args).toEqual(args);
});

it("[plan.sources] takes no second thought for the answer to what it asked", async () => {
  for (const [first, then] of [
    ["delete an issue", "DEMO-6 is fine, keep it"],
    ["assign DEMO-21", "not ben"],
    ["comment on DEMO-21", "what did ben say on it?"],
  ] as const) {
    begin();
    expect((await say(first)).question).toBeDefined();
    expect((await say(then)).pending_confirmation).toBeUndefined();
  }
});

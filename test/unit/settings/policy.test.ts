import { expect, it } from "vitest";

import { durationMs } from "#src/base/time.ts";

import { loadText, problemsOf } from "./write-config.ts";

it("a rule has safe defaults", async () => {
  const { policy } = await loadText("policy: { rules: [{ tools: ['jira.*'], decision: ask }] }");
  expect(policy).toEqual({
    default: "ask",
    groups: {},
    rules: [
      {
        tools: ["jira.*"],
        when: [],
        decision: "ask",
        approvers: ["requester"],
        exclude_requester: false,
        quorum: 1,
        ttl_ms: 86_400_000,
        reason_required: false,
        idempotent: false,
      },
    ],
  });
});

it("a rule can say everything", async () => {
  const { policy } = await loadText(`
policy:
  default: deny
  groups: { leads: [slack:T1:U1, slack:T1:U2] }
  rules:
    - tools: [jira.create_issue]
      when:
        - { arg: priority, in: [Highest, 1, null] }
        - { arg: fields.count, gte: 2, lt: 5 }
        - { arg: summary, matches: "^[A-Z]" }
        - { arg: type, equals: Bug }
      decision: ask
      approvers: [group:leads, http:ana, requester]
      exclude_requester: true
      quorum: 3
      ttl: 7d
      remind: 12h
      idempotent: true
      lookup: { tool: jira.search_issues, args: { query: "{summary}" } }
`);
  expect(policy.default).toBe("deny");
  expect(policy.rules[0]).toMatchObject({
    when: [
      { arg: "priority", in: ["Highest", 1, null] },
      { arg: "fields.count", gte: 2, lt: 5 },
      { arg: "summary", matches: "^[A-Z]" },
      { arg: "type", equals: "Bug" },
    ],
    approvers: ["group:leads", "http:ana", "requester"],
    quorum: 3,
    ttl_ms: 604_800_000,
    remind: 43_200_000,
    lookup: { tool: "jira.search_issues", args: { query: "{summary}" } },
  });
});

it.each([
  ["quorum: 2", "quorum", "at most 1"],
  ["approvers: [requester], exclude_requester: true", "quorum", "at most 0"],
  ["approvers: [http:ana, http:ana, requester], quorum: 3", "quorum", "at most 2"],
  ["approvers: [group:leads], quorum: 2", "quorum", "at most 1"],
  ["approvers: [group:nobody, channel]", "approvers[0]", "a group that policy.groups lists"],
  ["approvers: [me]", "approvers[0]", "requester, channel, group:NAME or an actor id"],
  ["approvers: []", "approvers", "at least one approver"],
  ["quorum: 0", "quorum", "at least 1"],
  ["ttl: 30", "ttl", "text"],
  ["ttl: 0m", "ttl", "a time such as 30s"],
  ["ttl: 1h, remind: 1h", "remind", "a time shorter than ttl"],
  ["remind: 2d", "remind", "a time shorter than ttl"],
  ["when: [{ arg: a }]", "when[0]", "at least one of equals"],
  ["when: [{ arg: a, matches: '(' }]", "when[0].matches", "a regular expression"],
  ["when: [{ arg: a, matches: '^(?!x)' }]", "when[0].matches", "runs in linear time (RE2"],
  ["when: [{ arg: a, in: [[1]] }]", "when[0].in[0]", "text, a number, true, false or null"],
  ["lookup: { tool: search }", "lookup.tool", "a tool id"],
  ["lookup: dryrun", "lookup", "dry_run"],
])("refuses a rule with %s", async (extra, path, expected) => {
  const text = `policy: { groups: { leads: [http:ana] }, rules: [{ tools: [a.b], decision: ask, ${extra} }] }`;
  expect(await problemsOf(text)).toEqual([
    expect.objectContaining({ path: `policy.rules[0].${path}`, expected: expect.stringContaining(expected) }),
  ]);
});

it("checks the rules of a channel as well, and the servers it names", async () => {
  const text =
    "channels: { C1: { servers: [jira], policy: { rules: [{ tools: [a.b], decision: ask, quorum: 2 }] } } }";
  const problems = await problemsOf(text);
  expect(problems.map((problem) => problem.path).toSorted()).toEqual([
    "channels.C1.policy.rules[0].quorum",
    "channels.C1.servers[0]",
  ]);
});

it.each([
  ["30s", 30_000],
  ["30m", 1_800_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["", undefined],
  ["1w", undefined],
  ["1.5h", undefined],
  ["-1s", undefined],
  [" 1s", undefined],
  ["9999999d", undefined],
])("reads the time %j", (text, expected) => {
  expect(durationMs(text)).toBe(expected);
});

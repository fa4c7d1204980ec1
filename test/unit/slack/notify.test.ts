import { WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type NotifyDeps, createNotify } from "#adapters/slack/send/notify.ts";
import { createMembership, createPeople } from "#adapters/slack/receive/people.ts";
import { createCallBudget } from "#adapters/slack/send/budget.ts";
import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Notice } from "#contract/present.ts";
import { buildApproval } from "#test/builders.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";
import { violationsOf } from "#test/fakes/slack/violations.ts";

let slack: FakeSlack;
let ask: Message;
const warnings: string[] = [];

beforeEach(async () => {
  slack = await startFakeSlack();
  // Ana, Ben and Dmitri are in it.
  const question = slack.user("ana").mention("ops-private", "delete it");
  ask = { ...question, thread_ts: question.ts };
  warnings.length = 0;
});

afterEach(async () => {
  await slack.stop();
  const violations = violationsOf(slack.sent);
  if (violations.length > 0) throw new Error(violations.join("\n"));
});

const actor = (name: string): ActorId => `slack:${slack.team().id}:${slack.user(name).id}`;

function approval(more: Partial<Approval> = {}): Approval {
  return buildApproval({
    channel: `slack:${slack.team().id}:${ask.channel}`,
    requestedBy: actor("ana"),
    statement: {
      verb: "Delete",
      past: "Deleted",
      object: { label: "DEMO-5", title: "Export <!channel> fails" },
      rest: "permanently",
      changes: [],
      isDestructive: true,
    },
    ...more,
  });
}

async function tell(
  notice: Partial<Notice> & Pick<Notice, "approvals">,
  deps: Partial<NotifyDeps> = {},
): Promise<void> {
  const client = new WebClient(slack.environment.SLACK_BOT_TOKEN, { slackApiUrl: slack.apiUrl });
  const clientOf = (): Promise<WebClient> => Promise.resolve(client);
  const warn = (_: object, message: string): void => void warnings.push(message);
  const log = { debug: warn, info: warn, warn, error: warn };
  await createNotify({
    client: clientOf,
    budget: createCallBudget(),
    groupMembers: () => undefined,
    log,
    people: createPeople(clientOf, log),
    members: createMembership(clientOf),
    link: (turnId) => Promise.resolve(`https://acme.slack.example.com/archives/${turnId}`),
    ...deps,
  })({
    id: "asked appr_1",
    kind: "asked",
    way: "mention",
    place: {},
    ref: { team: slack.team().id, channel: ask.channel, ts: ask.ts },
    isSilent: false,
    mayBePosted: false,
    ...notice,
  });
}

const inThread = (): Message[] => slack.thread(ask.ts).filter(({ bot_id }) => bot_id !== undefined);
const direct = (name: string): Message[] => slack.messages(slack.dm(name).id);
const blocksOf = (message: Message | undefined): string => JSON.stringify(message?.blocks);

describe("who may approve", () => {
  it("[card.notify] is mentioned in the thread, or told directly where that does not reach them", async () => {
    const approvers = [actor("ben"), "group:leads", "channel"];
    await tell({ approvals: [approval({ approvers })] });
    const [message] = inThread();
    const mentioned = [...blocksOf(message).matchAll(/"user_id":"(\w+)"/g)].map(([, id]) => id);
    // Of the leads Ana is in the channel, Chloé is not.
    expect(mentioned).toEqual([slack.user("ben").id, slack.user("ana").id]);
    expect(blocksOf(message)).toContain("Told in a direct message: ");
    expect(blocksOf(message)).toContain("anyone in this channel");
    expect(message?.text).toBe(
      "Delete DEMO-5 “Export &lt;!channel&gt; fails” permanently? Approval is needed.",
    );
    const [dm] = direct("chloe");
    expect(dm?.text).toBe(message?.text);
    expect(blocksOf(dm)).toContain("archives/turn_1");
    expect(blocksOf(dm)).toContain("Ana Lindqvist");
    for (const one of [message, dm]) expect(blocksOf(one)).not.toMatch(/jira\.|create_issue|appr_/);
  });

  it("[card.notify] is named where nobody may write to them", async () => {
    const chloe = slack.world.users.get(slack.user("chloe").id);
    if (chloe !== undefined) chloe.deleted = true;
    const gone: ActorId = `slack:${slack.team().id}:U0NOBODY00`;
    await tell({ approvals: [approval({ approvers: [actor("chloe"), gone] })] });
    expect(direct("chloe")).toEqual([]);
    expect(blocksOf(inThread()[0])).toContain("Could not be told, so please tell them: ");
    expect(blocksOf(inThread()[0])).toContain("Chloé Martin");
    expect(warnings.filter((message) => message.includes("lets nobody write"))).toHaveLength(2);
  });

  it("[card.notify] is asked once although a process was killed in between", async () => {
    const approvals = [approval({ approvers: [actor("ben"), actor("chloe")] })];
    await tell({ approvals });
    await tell({ approvals, mayBePosted: true });
    expect([inThread(), direct("chloe")].map((messages) => messages.length)).toEqual([1, 1]);
  });

  it("[card.notify] gets direct messages alone, or one in the channel as well, where the settings say so", async () => {
    await tell({ approvals: [approval({ approvers: [actor("ben")] })], way: "dm" });
    expect([inThread(), direct("ben")].map((messages) => messages.length)).toEqual([0, 1]);
    await tell({ approvals: [approval({ approvers: ["channel"] })], way: "channel", id: "asked appr_2" });
    const posted = slack.calls.findLast(({ method }) => method === "chat.postMessage");
    expect(posted?.args["reply_broadcast"]).toBeTruthy();
  });

  it("[card.notify] reads a flood as one list", async () => {
    const approvals = Array.from({ length: 50 }, (_, index) =>
      approval({ id: `appr_${index}`, approvers: [actor("ben")] }),
    );
    await tell({ approvals });
    expect(inThread()).toHaveLength(1);
    expect(blocksOf(inThread()[0])).toContain("and 40 more");
    expect(inThread()[0]?.text).toMatch(/^.*Delete DEMO-5, DEMO-5 and 48 more records permanently\?/);
  });
});

describe("who asked", () => {
  const outcome = (more: Partial<Approval>): Promise<void> =>
    tell({ kind: "outcome", approvals: [approval({ approvers: ["channel"], ...more })] });

  it.each([
    ["done", {}, /Deleted DEMO-5 .* Approved by .*Ben Okafor/],
    [
      "denied",
      { note: "not now" },
      /Denied: Delete DEMO-5 .*Denied by .*Ben Okafor.*Reason: not now\. Nothing was changed\./,
    ],
    [
      "expired",
      { votes: [] },
      /Expired: Delete DEMO-5 .*Nobody decided in time\. Nothing was changed\. Ask again\./,
    ],
    ["failed", { note: "jira said no" }, /Failed: Delete DEMO-5 .*Jira said no\. Look at the request/],
    ["unknown", {}, /Nobody knows whether this happened: Delete DEMO-5 .*then say so on the request/],
    ["void", { note: "the turn was stopped" }, /Not done: Delete DEMO-5 .*Nothing was changed/],
  ] as const)("[card.notify] hears that it is %s, by a mention", async (state, more, words) => {
    const decision = state === "denied" ? "deny" : "approve";
    const votes = [{ actor: actor("ben"), decision, at: 1 }] as const;
    await outcome({ state, votes: [...votes], ...(more as Partial<Approval>) });
    const [message] = inThread();
    expect(blocksOf(message)).toContain(`"user_id":"${slack.user("ana").id}"`);
    expect(blocksOf(message)).toMatch(words);
    expect(message?.text).toContain("DEMO-5");
  });

  it("[card.notify] hears it directly where they left the channel", async () => {
    await outcome({ state: "expired", requestedBy: actor("chloe") });
    expect(direct("chloe")).toHaveLength(1);
    expect(blocksOf(inThread()[0])).toContain("Told in a direct message: ");
  });
});

it("[card.notify] lets answers go first where a channel is busy", async () => {
  const budget = { ...createCallBudget(), room: () => 0 };
  await expect(
    tell({ approvals: [approval({ approvers: [actor("ben")] })] }, { budget }),
  ).rejects.toMatchObject({
    retryAfterMs: 3_000,
  });
  expect(inThread()).toEqual([]);
});

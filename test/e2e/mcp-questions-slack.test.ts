import { afterAll, beforeAll, expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { slackHands } from "./chat-hands.ts";
import { serversInChat, type ServersInChat, startServers } from "./servers-in-chat.ts";
import {
  answerTo,
  channelApproves,
  says,
  startBot,
  startOwnBot,
  startSlackWorkspace,
} from "./slack-support.ts";
import { cleanUpAll, type HostedProduct, temporaryFolder } from "./support.ts";

let slack: FakeSlack;
let here: ServersInChat<Message>;

beforeAll(async () => {
  const { config: servers, notes } = await startServers();
  slack = await startSlackWorkspace();
  const options = {
    config: { ...channelApproves(), ...servers },
    dataDir: await temporaryFolder(),
    endsWith: "file" as const,
  };
  const first = await startOwnBot(slack, options);
  let product: HostedProduct = first;
  here = {
    hands: slackHands(slack),
    notes,
    get product() {
      return product;
    },
    async restart() {
      await first.kill();
      product = await startBot(slack, options);
    },
  };
});

afterAll(cleanUpAll);

serversInChat(() => here);

it("[mcp.elicit] on Slack a page is shown to its person without a press, once", async () => {
  const before = slack.ephemerals("ben").length;
  const question = slack.user("ben").mention("general", "/shop visit url=https://once.example.com/");
  const message = await answerTo(slack, question, "Show me the page");
  const own = await slack.until(() => slack.ephemerals("ben")[before]);
  expect(says(own.blocks, "https://once.example.com/")).toBe(true);
  expect(own.thread_ts).toBe(question.ts);
  await slack.user("ben").click(own.ts, "I have opened it");
  await slack.until(() => says(message.blocks, "cs:menu"));
  expect(slack.ephemerals("ben").slice(before)).toHaveLength(1);
  expect(slack.ephemerals("ana").some(({ blocks }) => says(blocks, "once.example.com"))).toBe(false);
});

it("[mcp.session] a server that keeps state never tells one channel what another has told it", async () => {
  const inChannel = async (channel: string, text: string, answer: string): Promise<Message> =>
    answerTo(slack, slack.user("ana").mention(channel, text), answer);
  await inChannel("general", "/notebook jot text=alpha", "kept 1");
  await inChannel("engineering", "/notebook recall", "notes: none");
  await inChannel("engineering", "/notebook jot text=beta", "kept 1");
  await inChannel("engineering", "/notebook recall", "notes: beta");
  const first = await inChannel("general", "/notebook recall", "notes: alpha");
  expect(says(first.blocks, "beta")).toBe(false);
});

it("sends nothing that Slack would refuse", () => {
  expect(slack.sent.flatMap(({ problems }) => problems)).toEqual([]);
});

import { expect, it, vi } from "vitest";

import { channelApproves, startBot, startSlackWorkspace } from "./slack-support.ts";
import { readStore, say } from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

it("[audit.verify] the chain's head is posted in the named channel once a day", async () => {
  const slack = await startSlackWorkspace();
  const channel = slack.channel("general");
  const config = { ...channelApproves(), audit: { head_channel: `slack:${slack.team().id}:${channel.id}` } };
  const first = await startBot(slack, { config });
  await say(first, "show me DEMO-1");
  await first.stop();
  const second = await startBot(slack, { config, dataDir: first.dataDir });
  const posted = await slack.until(() =>
    slack.messages("general").find(({ text }) => text.includes("Audit head")),
  );
  const [, seq = "", hash] = /Audit head (\d+):([0-9a-f]{64})$/.exec(posted.text) ?? [];
  expect(readStore(first.dataDir, "select hash from audit where seq = ?", seq)).toEqual([{ hash }]);
  await second.stop();
  const third = await startBot(slack, { config, dataDir: first.dataDir });
  await third.stop();
  expect(slack.messages("general").filter(({ text }) => text.includes("Audit head"))).toHaveLength(1);
});

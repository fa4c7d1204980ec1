// What a mention costs at least with these libraries: received, acknowledged, answered with one post.
import { App } from "@slack/bolt";

const app = new App({
  token: process.env.SLACK_BOT_TOKEN ?? "",
  appToken: process.env.SLACK_APP_TOKEN ?? "",
  socketMode: true,
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? "" },
});
app.event("app_mention", async ({ event, client }) => {
  const answer = { channel: event.channel, thread_ts: event.ts, text: "This bot keeps nothing." };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
  await client.chat.postMessage(answer);
});
await app.start();

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from "@slack/bolt";
import type { ModalView } from "@slack/types";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";

export interface Bot {
  app: App;
  /** Event ids in the order of arrival. */
  seen: string[];
  /** Where signed requests go; empty over Socket Mode. */
  url: string;
  stop(): Promise<void>;
}

const modal: ModalView = {
  type: "modal",
  callback_id: "create",
  title: { type: "plain_text", text: "Create" },
  submit: { type: "plain_text", text: "Create" },
  blocks: [
    {
      type: "input",
      block_id: "summary",
      label: { type: "plain_text", text: "Summary" },
      element: { type: "plain_text_input", action_id: "text" },
    },
    {
      type: "input",
      optional: true,
      label: { type: "plain_text", text: "Priority" },
      element: {
        type: "static_select",
        action_id: "priority",
        options: ["High", "Low"].map((name) => ({ text: { type: "plain_text", text: name }, value: name })),
      },
    },
  ],
};

/**
 * A small but whole bot: it answers a mention, a command, a button and a modal. `pingMs` is how long it waits for
 * a sign of life, and before it connects anew.
 */
export async function startBot(slack: FakeSlack, over: "socket" | "http", pingMs = 5000): Promise<Bot> {
  const clientOptions = {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
  const common = { token: slack.environment.SLACK_BOT_TOKEN, clientOptions, logLevel: LogLevel.ERROR };
  const http = new HTTPReceiver({ signingSecret: slack.app.signingSecret, logLevel: LogLevel.ERROR });
  const socket = new SocketModeReceiver({
    appToken: slack.app.appToken,
    clientPingTimeout: pingMs,
    installerOptions: { clientOptions },
    logLevel: LogLevel.ERROR,
  });
  const app = new App({ ...common, receiver: over === "socket" ? socket : http, deferInitialization: true });
  const open = (): number => slack.connections.filter((connection) => connection.open).length;
  const seen: string[] = [];

  app.event("app_mention", async ({ event, body, say }) => {
    seen.push(body.event_id);
    const button = {
      type: "button",
      text: { type: "plain_text", text: "Approve" },
      action_id: "approve",
      value: "7",
    };
    await say({
      text: `heard: ${event.text}`,
      thread_ts: event.thread_ts ?? event.ts,
      blocks: [
        { type: "section", text: { type: "mrkdwn", text: "Shall I?" } },
        { type: "actions", elements: [button as never] },
      ],
    });
  });
  app.command("/jira", async ({ command, ack, respond, client }) => {
    await ack();
    if (command.text === "create") await client.views.open({ trigger_id: command.trigger_id, view: modal });
    else await respond({ response_type: "ephemeral", text: `looking for ${command.text}` });
  });
  app.action("approve", async ({ ack, client, body, action }) => {
    await ack();
    if (body.type !== "block_actions" || action.type !== "button") return;
    await client.chat.update({
      channel: body.channel?.id ?? "",
      ts: body.message?.ts ?? "",
      text: `approved ${action.value} by ${body.user.id}`,
    });
  });
  app.view("create", async ({ ack, view, body, client }) => {
    const summary = view.state.values.summary?.text?.value ?? "";
    if (summary.length < 5) return ack({ response_action: "errors", errors: { summary: "too short" } });
    await ack();
    const message = { channel: "#general", text: `created ${summary} for ${body.user.id}` };
    await client.apiCall("chat.postMessage", message);
    return undefined;
  });

  if (over === "socket") {
    await app.init();
    await app.start();
    return {
      app,
      seen,
      url: "",
      async stop() {
        const before = open();
        await app.stop();
        await slack.until(() => open() < before || before === 0);
      },
    };
  }
  const server = createServer((request, response) => http.requestListener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await app.init();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  slack.overHttp(url);
  return {
    app,
    seen,
    url,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

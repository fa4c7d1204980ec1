import type { MessagePort, Presenter } from "#contract/present.ts";

import { HTTPReceiver, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";

import { createCallBudget } from "./budget.ts";
import { clientOptions, toSlackLogger } from "./client.ts";
import { handleClicks } from "./clicks.ts";
import { handleCommands } from "./commands.ts";
import { handleWindows } from "./asking.ts";
import { DurableApp } from "./durable-app.ts";
import { hear } from "./heard.ts";
import { conversationOf } from "./ids.ts";
import type { SlackOptions, SlackParts } from "./options.ts";
import { createSlackPort, threadKey } from "./port.ts";
import { createTell } from "./tell.ts";

export interface RunningSlack {
  /** Where signed requests go; undefined over Socket Mode. */
  url?: string;
  /** Takes nothing new. Messages that are shown already may still be edited, unless that means to wait. */
  stop(): Promise<void>;
}

/** Begins to listen to a workspace; `present` gives the presenter that shows turns through the port. */
export async function startSlack(
  options: SlackOptions,
  parts: SlackParts,
  present: (port: MessagePort) => Presenter,
): Promise<RunningSlack> {
  const { core, log, threads } = parts;
  const logger = toSlackLogger(log);
  const client = new WebClient(options.bot_token, { ...clientOptions(options), logger });
  const budget = createCallBudget();
  const port = createSlackPort(client, budget, parts);
  const presenter = present(port);
  const tell = createTell(client, log);

  async function conversation(team: string, channel: string, thread: string): Promise<string> {
    return (await threads.get(threadKey(channel, thread))) ?? conversationOf(team, channel, thread);
  }

  const { user_id: botUser = "", team } = await client.auth.test();
  const hearing = {
    botUser,
    conversation,
    isKnown: async (id: string) => (await core.conversation(id)).length > 0,
  };
  const receiver = options.app_token === "" ? signedHttp(options, logger) : socketMode(options, logger);
  const app = new DurableApp(
    {
      token: options.bot_token,
      receiver,
      logger,
      clientOptions: clientOptions(options),
      deferInitialization: true,
      convoStore: false,
    },
    async (body) => {
      const heard = await hear(body, hearing);
      if (heard !== undefined) await presenter.submit(heard.request, heard.place);
    },
  );
  const desk = { ...parts, presenter, client, port, tell, conversation };
  handleCommands(app, desk);
  handleClicks(app, desk);
  handleWindows(app, desk);
  await app.init();
  await presenter.start();
  const url = await listen(receiver, options);
  log.info({ team, ...(url === undefined ? {} : { slack_url: url }) }, `listening to Slack (${team ?? "?"})`);

  return {
    ...(url === undefined ? {} : { url }),
    async stop() {
      budget.stop();
      await app.stop();
    },
  };
}

type Receiver = HTTPReceiver | SocketModeReceiver;
type Logger = ReturnType<typeof toSlackLogger>;

function socketMode(options: SlackOptions, logger: Logger): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken: options.app_token,
    installerOptions: { clientOptions: clientOptions(options) },
    logger,
  });
}

function signedHttp(options: SlackOptions, logger: Logger): HTTPReceiver {
  return new HTTPReceiver({ signingSecret: options.signing_secret, endpoints: "/slack/events", logger });
}

async function listen(receiver: Receiver, { http }: SlackOptions): Promise<string | undefined> {
  if (receiver instanceof SocketModeReceiver) {
    await receiver.start();
    return undefined;
  }
  const server = await receiver.start({ host: http.host, port: http.port });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : http.port;
  return `http://${http.host.includes(":") ? `[${http.host}]` : http.host}:${port}/slack/events`;
}

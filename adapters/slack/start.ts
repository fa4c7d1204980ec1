import type { SurfaceStatus } from "#contract/core.ts";
import type { MessagePort, Presenter } from "#contract/present.ts";

import { handleAgentView, stopSession } from "./agent.ts";
import { createAnnounce } from "./announce.ts";
import { handleWindows } from "./asking.ts";
import { createCallBudget } from "./budget.ts";
import { toSlackLogger } from "./client.ts";
import { handleClicks } from "./clicks.ts";
import { handleCommands } from "./commands.ts";
import { keepConnected } from "./connection.ts";
import type { WaysDesk } from "./desk.ts";
import { handleDrafts } from "./draft-submit.ts";
import { createDrafts } from "./drafts.ts";
import { DurableApp } from "./durable-app.ts";
import { createTurnAway } from "./gate.ts";
import { handleHome } from "./home.ts";
import { conversationOf } from "./ids.ts";
import { INSTALL_PATH } from "./install.ts";
import { createLine } from "./line.ts";
import { createMembers, type SlackMembership } from "./membership.ts";
import type { SlackOptions, SlackParts } from "./options.ts";
import { createPeople } from "./people.ts";
import { createPermalinks } from "./permalinks.ts";
import { createSlackPort, threadKey } from "./port.ts";
import { handleQuestions } from "./questions.ts";
import { createReceivers, listen } from "./receivers.ts";
import { createSessions, withSessions } from "./sessions.ts";
import { handleShortcut } from "./shortcut.ts";
import { createTakeDown } from "./take-down.ts";
import { createTell } from "./tell.ts";
import { createTokens } from "./tokens.ts";
import { createClients } from "./workspaces.ts";

export interface RunningSlack {
  /** Where Slack's requests and installations go; undefined where nothing is served. */
  url?: string;
  members: SlackMembership;
  status(): SurfaceStatus;
  announce(channel: string, text: string): Promise<void>;
  /** Takes nothing new. Messages that are shown already may still be edited, unless that means to wait. */
  stop(): Promise<void>;
}

/**
 * Begins to listen to Slack; `present` gives the presenter that shows turns through the port. Rejects
 * where the address is taken. Slack itself need not answer yet: it is tried again until it does.
 */
export async function startSlack(
  options: SlackOptions,
  parts: SlackParts,
  present: (port: MessagePort) => Presenter,
): Promise<RunningSlack> {
  const { core, log, threads } = parts;
  const logger = toSlackLogger(log);
  const over = new AbortController();
  const tokens = createTokens(options, { ...parts, logger }, over.signal);
  const client = createClients(options, tokens, logger);
  const budget = createCallBudget();
  const sessions = createSessions({ client, budget, log });
  const port = withSessions(createSlackPort(client, budget, parts), sessions);
  const presenter = present(port);
  const tell = createTell(client, log);

  async function conversation(team: string, channel: string, thread: string): Promise<string> {
    return (await threads.get(threadKey(team, channel, thread))) ?? conversationOf(team, channel, thread);
  }

  const { receiver, http } = createReceivers(options, tokens.routes, logger, over.signal);
  const drafts = createDrafts(parts.draftStore);
  const members = createMembers(client);
  const app = new DurableApp(
    { authorize: tokens.authorize, receiver, logger, convoStore: false },
    createTakeDown({
      ...parts,
      tokens,
      presenter,
      conversation,
      core,
      drafts,
      members,
      turnAway: createTurnAway(tell),
      stop: (body, team) => stopSession(body, team, { conversation, core, sessions }),
    }),
  );
  const desk: WaysDesk = {
    ...parts,
    presenter,
    client,
    tell,
    conversation,
    drafts,
    people: createPeople(client, log),
    link: createPermalinks({ client, messageOf: parts.messageOf, log }),
  };
  // Before anything begins that would have to be ended where the address is taken.
  const url = http === undefined ? undefined : await listen(http, options.http);
  if (url !== undefined) {
    const install = options.client_id === "" ? {} : { slack_install: new URL(INSTALL_PATH, url).href };
    const events = options.app_token === "" ? { slack_url: `${url}/slack/events` } : {};
    log.info({ ...events, ...install }, `serving Slack at ${url}`);
  }
  const homes = handleHome(app, { ...desk, budget });
  handleAgentView(app, desk);
  handleCommands(app, desk);
  handleShortcut(app, desk);
  handleDrafts(app, desk);
  handleClicks(app, { ...desk, port, homes });
  handleWindows(app, desk);
  handleQuestions(app, desk);
  await presenter.start();
  const connection = keepConnected(createLine(receiver, tokens, options, over.signal), log);

  return {
    ...(url === undefined ? {} : { url }),
    members,
    status: () => connection.status(),
    announce: createAnnounce(client, budget),
    async stop() {
      homes.stop();
      sessions.stop();
      budget.stop();
      over.abort();
      await connection.stop();
      await receiver.stop();
      if (http !== undefined && http !== receiver) await http.stop();
    },
  };
}

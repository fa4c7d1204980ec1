import type { SurfaceStatus } from "#contract/core.ts";
import type { MessagePort, MessageRef, Presenter } from "#contract/present.ts";

import type { ChatLog } from "../chat/parts.ts";
import type { SlackContext } from "./interact/context.ts";
import { conversationOf } from "./ids.ts";
import { readRef } from "./ids.ts";
import { type ClientOf, createClients, toSlackLogger } from "./install/client.ts";
import { createTokens, INSTALL_PATH } from "./install/install.ts";
import { handleApprovalForms } from "./interact/approval-forms.ts";
import { handleClicks } from "./interact/clicks.ts";
import { handleCommands } from "./interact/commands.ts";
import { handleDrafts, handleShortcut } from "./interact/drafts.ts";
import { handleHome } from "./interact/home.ts";
import { createRejection } from "./receive/tenant-guard.ts";
import { handleQuestions } from "./interact/questions.ts";
import { createDrafts, type SlackOptions, type SlackDeps } from "./options.ts";
import { createTransport, keepConnected } from "./receive/connection.ts";
import { createIngest } from "./receive/ingest.ts";
import { createMembership, createPeople, type SlackMembership } from "./receive/people.ts";
import { createReceivers, DurableApp, listen } from "./receive/receivers.ts";
import { createCallBudget } from "./send/budget.ts";
import { createSendEphemeral } from "./send/ephemeral.ts";
import { createSlackPort, threadKey } from "./send/port.ts";
import { createAnnounce } from "./send/remind.ts";
import { createSessions, handleAgentView, stopSession, withSessions } from "./send/sessions.ts";

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
  parts: SlackDeps,
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
  const tell = createSendEphemeral(client, log);

  async function conversation(team: string, channel: string, thread: string): Promise<string> {
    return (await threads.get(threadKey(team, channel, thread))) ?? conversationOf(team, channel, thread);
  }

  const { receiver, http } = createReceivers(options, tokens.routes, logger, over.signal);
  const drafts = createDrafts(parts.draftStore);
  const members = createMembership(client);
  const app = new DurableApp(
    { authorize: tokens.authorize, receiver, logger, convoStore: false },
    createIngest({
      ...parts,
      tokens,
      presenter,
      conversation,
      core,
      drafts,
      members,
      turnAway: createRejection(tell),
      stop: (body, team) => stopSession(body, team, { conversation, core, sessions }),
    }),
  );
  const desk: SlackContext = {
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
  handleApprovalForms(app, desk);
  handleQuestions(app, desk);
  await presenter.start();
  const connection = keepConnected(createTransport(receiver, tokens, options, over.signal), log);

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

interface PermalinkDeps {
  client: ClientOf;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
  log: Pick<ChatLog, "warn">;
}

/** So many are remembered; the address of a message does not change. */
const KEPT = 2000;

/** Addresses of the messages of turns; undefined where Slack gives none. */
function createPermalinks({
  client: clientOf,
  messageOf,
  log,
}: PermalinkDeps): (turnId: string) => Promise<string | undefined> {
  const known = new Map<string, string>();
  return async (turnId) => {
    const link = known.get(turnId);
    if (link !== undefined) return link;
    const given = await messageOf(turnId);
    if (given === undefined || typeof given["ts"] !== "string") return undefined;
    const { team, channel, ts } = readRef(given);
    try {
      const client = await clientOf(team);
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      if (permalink === undefined) return undefined;
      const [oldest] = known.keys();
      if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
      known.set(turnId, permalink);
      return permalink;
    } catch (error) {
      log.warn({ error, turn: turnId }, "Slack gave no address of a message");
      return undefined;
    }
  };
}

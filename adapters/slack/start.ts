import type { SurfaceStatus } from "#contract/core.ts";
import type { MessagePort, MessageRef, Presenter } from "#contract/present.ts";

import { keepNewest } from "../chat/cached.ts";
import { conversationOf, readRef } from "./ids.ts";
import { type ClientOf, createClients, toSlackLogger } from "./install/client.ts";
import { createTokens, INSTALL_PATH } from "./install/install.ts";
import { handleApprovalForms } from "./interact/approval-forms.ts";
import { handleClicks } from "./interact/clicks.ts";
import { handleCommands } from "./interact/commands.ts";
import type { SlackContext } from "./interact/context.ts";
import { handleDrafts, handleShortcut } from "./interact/drafts.ts";
import { handleHome, type Homes } from "./interact/home.ts";
import { handleQuestions } from "./interact/questions.ts";
import type { SlackDeps, SlackOptions } from "./options.ts";
import { keepConnected } from "./receive/connection.ts";
import { createIngest, DurableApp } from "./receive/ingest.ts";
import { createMembership, createPeople, type SlackMembership } from "./receive/people.ts";
import { createReceivers, listen } from "./receive/receivers.ts";
import { createCallBudget } from "./send/budget.ts";
import { createTrySendEphemeral } from "./send/ephemeral.ts";
import { createNativeBlocks } from "./send/native.ts";
import { createAnnounce } from "./send/notify.ts";
import { createSlackPort, threadKey } from "./send/port.ts";
import { createSessions } from "./send/sessions.ts";

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
  deps: SlackDeps,
  present: (port: MessagePort) => Presenter,
): Promise<RunningSlack> {
  const { log, threads } = deps;
  const logger = toSlackLogger(log);
  const over = new AbortController();
  const tokens = createTokens(options, { ...deps, logger }, over.signal);
  const client = createClients(options, tokens, logger);
  const budget = createCallBudget(deps.onWait);
  const sessions = createSessions({ client, budget, log });
  const people = createPeople(client, log);
  const members = createMembership(client);
  const trySendEphemeral = createTrySendEphemeral(client, deps);
  const native = createNativeBlocks(options.native_blocks, { without: deps.withoutNative, log });
  const posted = new Map<string, MessageRef>();
  const messageOf: SlackDeps["messageOf"] = async (id) => (await deps.messageOf(id)) ?? posted.get(id);
  const link = createPermalinks(client, { log, messageOf });
  let homes: Homes | undefined;
  const port = createSlackPort({
    ...deps,
    client,
    budget,
    people,
    members,
    link,
    sessions,
    native,
    trySendEphemeral,
    statusAfterMs: options.status_after_ms,
    onAsked(turnId, ref) {
      keepNewest(posted, turnId, ref, MAX_POSTED);
      // The home lists what waits since it was asked, and links its message.
      homes?.refresh();
    },
  });
  const presenter = present(port);
  const context: SlackContext = {
    ...deps,
    presenter,
    client,
    people,
    async sendEphemeral(target, words) {
      if (target !== undefined) await trySendEphemeral(target, words);
    },
    conversation: async (team, channel, thread) =>
      (await threads.get(threadKey(team, channel, thread))) ?? conversationOf(team, channel, thread),
    link,
    slashAnswers: options.slash_answers,
  };
  const { receiver, http } = createReceivers(options, tokens.routes, logger, over.signal);
  const app = new DurableApp(
    { authorize: tokens.authorize, receiver, logger, convoStore: false },
    createIngest({ ...context, tokens, members, sessions }),
  );
  // Before anything begins that would have to be ended where the address is taken.
  const url = http === undefined ? undefined : await listen(http, options.http);
  if (url !== undefined) {
    const install = options.client_id === "" ? {} : { slack_install: new URL(INSTALL_PATH, url).href };
    const events = options.app_token === "" ? { slack_url: `${url}/slack/events` } : {};
    log.info({ ...events, ...install }, `serving Slack at ${url}`);
  }
  homes = handleHome(app, { ...context, budget });
  handleCommands(app, context);
  handleShortcut(app, context);
  handleDrafts(app, context);
  handleClicks(app, { ...context, port, homes });
  handleApprovalForms(app, context);
  handleQuestions(app, context);
  await presenter.start();
  const connection = keepConnected(receiver, tokens, options, log);

  return {
    ...(url === undefined ? {} : { url }),
    members,
    status: () => connection.status(),
    announce: createAnnounce({ client, budget }),
    async stop() {
      homes?.stop();
      sessions.stop();
      budget.stop();
      over.abort();
      await connection.stop();
      await receiver.stop();
      if (http !== undefined && http !== receiver) await http.stop();
    },
  };
}

/** Messages whose record may be under way. */
const MAX_POSTED = 500;

/** The address of a message does not change; of more than this the first are forgotten. */
const MAX_PERMALINKS = 2000;

/** Addresses of the messages of turns; undefined where Slack gives none. */
function createPermalinks(
  clientOf: ClientOf,
  { messageOf, log }: Pick<SlackDeps, "messageOf" | "log">,
): SlackContext["link"] {
  const known = new Map<string, string>();
  return async (turnId) => {
    const link = known.get(turnId);
    if (link !== undefined) return link;
    const given = await messageOf(turnId);
    if (given === undefined || typeof given["ts"] !== "string") return undefined;
    const { team, channel, ts } = readRef(given);
    // What one person alone sees has no address.
    if (ts === "") return undefined;
    try {
      const client = await clientOf(team);
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      if (permalink !== undefined) keepNewest(known, turnId, permalink, MAX_PERMALINKS);
      return permalink;
    } catch (error) {
      log.warn({ error, turn: turnId }, "Slack gave no address of a message");
      return undefined;
    }
  };
}

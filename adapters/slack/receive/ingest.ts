import { App, type AppOptions, type ReceiverEvent } from "@slack/bolt";
import type { ModalView } from "@slack/types";

import type { Approval } from "#contract/approval.ts";
import type { Presenter } from "#contract/present.ts";

import { NOT_HERE } from "../../chat/place-guard.ts";
import { type Bot, NotInstalled, type Source, type Tokens } from "../install/client.ts";
import type { SlackTokens } from "../install/install.ts";
import type { SlackDeps } from "../options.ts";
import { renderNotice } from "../render/window.ts";
import type { SendEphemeral } from "../send/ephemeral.ts";
import type { Sessions } from "../send/sessions.ts";
import { type InteractionEvent, parseEvent, type StopEvent } from "./event.ts";
import { type MessageContext, parseMessage } from "./parse-message.ts";
import { guardPlace, type PlaceGuardDeps } from "./tenant-guard.ts";

/**
 * Resolves when all that must not be lost of a request is durable; a rejection leaves it unacknowledged.
 * `response`: what Slack is answered where nothing is left to do. `approvals`: what the handler need not read again.
 */
export type Ingest = (
  body: unknown,
) => Promise<"go on" | "done" | { response: WindowUpdate } | { approvals: Approval[] }>;

interface WindowUpdate {
  response_action: "update";
  view: ModalView;
}

/**
 * Bolt acknowledges events before any listener runs. Here what they say is ingested first; where that fails
 * Slack hears nothing, and sends the event again.
 */
export class DurableApp extends App {
  readonly #ingest: Ingest;

  constructor(options: AppOptions, ingest: Ingest) {
    super(options);
    this.#ingest = ingest;
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    const taken = await this.#ingest(event.body);
    if (taken === "go on") return super.processEvent(event);
    if (taken === "done") return event.ack();
    if ("response" in taken) return event.ack(taken.response);
    return super.processEvent({ ...event, customProperties: { ...event.customProperties, ...taken } });
  }
}

export interface IngestDeps
  extends Pick<PlaceGuardDeps, "members">, Pick<SlackDeps, "core" | "draftStore" | "log"> {
  tokens: Pick<SlackTokens, "uninstall" | "find">;
  presenter: Pick<Presenter, "submit">;
  conversation: MessageContext["conversation"];
  sessions: Pick<Sessions, "rest">;
  sendEphemeral: SendEphemeral;
}

/** Parses, authorises and records everything that Slack sends, before Slack hears that it arrived. */
export function createIngest(deps: IngestDeps): Ingest {
  const { core, tokens, presenter, conversation, log } = deps;
  const isKnown = async (id: string): Promise<boolean> => (await core.conversation(id)).length > 0;

  return async (body) => {
    const event = parseEvent(body);
    if (event === undefined) return "go on";
    if (event.kind === "odd") {
      log.warn({}, "Slack sent an interaction of an odd form: nothing was done");
      return "done";
    }
    if (event.kind === "uninstall" && tokens.uninstall !== undefined) {
      await tokens.uninstall(event);
      return "done";
    }
    const { source } = event;
    const bot = await findBot(tokens, source);
    if (bot === undefined) {
      log.warn({ ...source }, "Slack sent something of a workspace that the app is not installed in");
      return "done";
    }
    switch (event.kind) {
      case "interaction": {
        const isOwn = async (team: string): Promise<boolean> =>
          team === source.team || (await findBot(tokens, { team }))?.token === bot.token;
        const guarded = await guardPlace(event, { ...deps, isOwn });
        if ("approvals" in guarded) return guarded;
        const { user, channel, actions } = event;
        log.warn(
          { ...source, actions: actions.map(({ id }) => id), user, channel },
          `a click named something of another ${guarded.refused}: nothing was done`,
        );
        return guarded.refused === "workspace" ? "done" : turnAway(event, deps);
      }
      case "message": {
        const said = await parseMessage(event, { botUser: bot.user, conversation, isKnown });
        if (said !== undefined) await presenter.submit(said.request, said.place);
        return "go on";
      }
      case "stop":
        await stopThread(event, deps);
        return "go on";
      default:
        return "go on";
    }
  };
}

/** Undefined where the app is not installed; rejects where that cannot be told. */
async function findBot(tokens: Tokens, source: Source): Promise<Bot | undefined> {
  try {
    return await tokens.find(source);
  } catch (error) {
    if (error instanceof NotInstalled) return undefined;
    throw error;
  }
}

/** A window that was sent says itself what is wrong; anybody else is told where they pressed. */
function turnAway(
  { type, team, channel, user }: InteractionEvent,
  { sendEphemeral }: IngestDeps,
): Awaited<ReturnType<Ingest>> {
  if (type === "view_submission") {
    const view = renderNotice({
      kind: "status",
      title: NOT_HERE,
      elements: [{ type: "text", text: NOT_HERE }],
    });
    return { response: { response_action: "update", view } };
  }
  // Never rejects, and Slack need not wait for it.
  if (channel !== undefined) void sendEphemeral({ team, channel, user }, NOT_HERE);
  return "done";
}

/** Stops what runs in a thread. */
async function stopThread(
  { team, channel, thread, actor }: StopEvent,
  { core, conversation, sessions }: IngestDeps,
): Promise<void> {
  const turns = await core.conversation(await conversation(team, channel, thread));
  const running = turns.filter(({ state }) => state === "queued" || state === "running");
  const stops = await Promise.all(running.map(({ id }) => core.stop(id, actor)));
  // Slack leaves it to the app to say that the session is at rest; a turn that ends says so itself.
  if (!stops.some((stop) => stop.stopped)) sessions.rest({ team, channel, thread });
}

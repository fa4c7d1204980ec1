import type { Core } from "#contract/core.ts";
import type { Presenter } from "#contract/present.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { type Bot, NotInstalled, type Tokens } from "../install/client.ts";
import type { SlackTokens } from "../install/install.ts";
import { type PlaceGuardDeps, whatWasDone, whyNotHere } from "./tenant-guard.ts";
import type { Drafts } from "../options.ts";
import { sourceOf } from "./event.ts";
import { parseMessage, type ParseDeps } from "./parse-message.ts";
import type { Ingest, Rejection } from "./receivers.ts";

export interface IngestDeps {
  core: Pick<Core, "conversation"> & PlaceGuardDeps["core"];
  members: PlaceGuardDeps["members"];
  /** Tells who pressed where they pressed. */
  turnAway: (body: unknown) => Rejection;
  tokens: Pick<SlackTokens, "ended" | "find">;
  presenter: Pick<Presenter, "submit">;
  conversation: ParseDeps["conversation"];
  /** Stops what runs in a thread, where that is what the body says; `team` is the workspace that has the app. */
  stop: (body: unknown, team: string | undefined) => Promise<void>;
  drafts: Pick<Drafts, "find">;
  log: ChatLog;
}

/** What is done with everything that Slack sends, before Slack hears that it arrived. */
export function createIngest({
  core,
  tokens,
  presenter,
  conversation,
  stop,
  drafts,
  members,
  turnAway,
  log,
}: IngestDeps): Ingest {
  const isKnown = async (id: string): Promise<boolean> => (await core.conversation(id)).length > 0;

  return async (body) => {
    if (await tokens.ended(body)) return "done";
    const source = sourceOf(body);
    if (source === undefined) return "go on";
    const bot = await findBot(tokens, source);
    if (bot === undefined) {
      log.warn({ ...source }, "Slack sent something of a workspace that the app is not installed in");
      return "done";
    }
    const isOwn = async (team: string): Promise<boolean> =>
      team === source.team || (await findBot(tokens, { team }))?.token === bot.token;
    const away = await whyNotHere(body, { core, drafts, members, isOwn });
    if (away !== undefined) {
      log.warn(
        { ...source, ...whatWasDone(body) },
        `a click named something of another ${away}: nothing was done`,
      );
      return away === "workspace" ? "done" : { response: turnAway(body) };
    }
    await stop(body, source.team);
    const heard = await parseMessage(body, { botUser: bot.user, team: source.team, conversation, isKnown });
    if (heard !== undefined) await presenter.submit(heard.request, heard.place);
    return "go on";
  };
}

/** Undefined where the app is not installed; rejects where that cannot be told. */
async function findBot(tokens: Tokens, source: Parameters<Tokens["find"]>[0]): Promise<Bot | undefined> {
  try {
    return await tokens.find(source);
  } catch (error) {
    if (error instanceof NotInstalled) return undefined;
    throw error;
  }
}

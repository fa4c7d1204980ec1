import type { BlockAction } from "@slack/bolt";

import type { ActorId } from "#contract/actor.ts";

import type { ActionName } from "../../chat/actions.ts";
import { actorOf, teamOfInteraction } from "../ids.ts";
import { type SlackRef } from "../ids.ts";
import { readActionId } from "../render/buttons.ts";
import type { EphemeralTarget } from "../send/ephemeral.ts";

/** A press on one of our buttons. */
export interface Click {
  action: ActionName;
  value: string;
  actor: ActorId;
  /** The workspace that the bot does it in; somebody of another one may press in a shared channel. */
  team: string;
  /** Opens windows, for three seconds. */
  triggerId: string;
  /** The message that the button stands in; a button of a window has none. */
  ref?: SlackRef;
  ear?: EphemeralTarget;
  /** Where the message that it stands in can be replaced, for half an hour. */
  respond?: string;
  /** The window that the button stands in. */
  window?: { id: string; type: string; metadata: string };
}

export function readClick(
  body: BlockAction,
  action: { action_id: string; value?: string | undefined },
): Click | undefined {
  const name = readActionId(action.action_id);
  const team = teamOfInteraction(body);
  if (name === undefined || team === "") return undefined;
  const { channel, message, view, container, user } = body;
  const thread = typeof container.thread_ts === "string" ? container.thread_ts : undefined;
  const own = thread === undefined ? {} : { thread };
  return {
    // Whoever handles it knows which names there are.
    action: name as ActionName,
    value: action.value ?? "",
    actor: actorOf(user.team_id ?? team, user.id),
    team,
    triggerId: body.trigger_id,
    ...(channel === undefined || message === undefined
      ? {}
      : { ref: { team, channel: channel.id, ts: message.ts, ...own } }),
    ...(channel === undefined ? {} : { ear: { team, channel: channel.id, user: user.id, ...own } }),
    ...(message === undefined && view === undefined && body.response_url !== undefined
      ? { respond: body.response_url }
      : {}),
    ...(view === undefined
      ? {}
      : { window: { id: view.id, type: view.type, metadata: view.private_metadata } }),
  };
}

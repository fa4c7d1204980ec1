import type { BlockAction } from "@slack/bolt";

import type { Approval } from "#contract/approval.ts";

import type { SlackRef } from "../ids.ts";
import { type Person, personOf } from "../receive/event.ts";
import type { EphemeralTarget } from "../send/ephemeral.ts";

/** What the place guard has read already; see `Ingest`. */
export interface Seen {
  /** The requests that were named, as they were when it was let through. */
  approvals: readonly Approval[];
}

/** From the context that Bolt hands to a listener. */
export function seenIn(context: Readonly<Record<string, unknown>>): readonly Approval[] {
  return (context["approvals"] as Approval[] | undefined) ?? [];
}

export function seenApproval({ approvals }: Seen, id: string): Approval | undefined {
  return approvals.find((approval) => approval.id === id);
}

/** A press on one of our buttons; `team` is the workspace that the bot acts in. */
export interface Click extends Person, Seen {
  /** As `cs:approve` or `csq:show`. */
  id: string;
  value: string;
  /** Opens windows, for three seconds. */
  triggerId: string;
  /** The message that the button stands in; a button of a window has none. */
  ref: SlackRef | undefined;
  target: EphemeralTarget | undefined;
  /** Where the message for one person that it stands in can be replaced, for half an hour. */
  responseUrl: string | undefined;
  /** The window that the button stands in. */
  window: { id: string; type: string; metadata: string } | undefined;
}

/** Returns undefined where Slack names no workspace. */
export function readClick(
  body: BlockAction,
  { action_id: id, value = "" }: { action_id: string; value?: string | undefined },
  approvals: readonly Approval[],
): Click | undefined {
  const person = personOf(body);
  const { team, user } = person;
  if (team === "") return undefined;
  const { message, view, container } = body;
  const channel = body.channel?.id;
  const thread = typeof container.thread_ts === "string" ? container.thread_ts : undefined;
  const isForOne = message === undefined && view === undefined;
  return {
    ...person,
    id,
    value,
    triggerId: body.trigger_id,
    ref:
      channel === undefined || message === undefined ? undefined : { team, channel, ts: message.ts, thread },
    target: channel === undefined ? undefined : { team, channel, user, thread },
    responseUrl: isForOne ? body.response_url : undefined,
    window: view && { id: view.id, type: view.type, metadata: view.private_metadata },
    approvals,
  };
}

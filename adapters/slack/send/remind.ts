import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Reminder } from "#contract/present.ts";
import { oneLine } from "#src/base/text.ts";

import { detailsButton } from "../../chat/actions.ts";
import { cached } from "../../chat/cached.ts";
import type { ChatParts } from "../../chat/parts.ts";
import { type Awaited, awaitedBy, countText, timeOf } from "../../chat/reminder.ts";
import { readId, readRef } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import { bold, fixed, words } from "../../chat/line.ts";
import type { Line } from "../../document/tree.ts";
import { buttonBlocks } from "../render/buttons.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import type { CallBudget } from "./budget.ts";
import { findMessage, type MessageSubject } from "./find.ts";

interface SendDeps {
  client: ClientOf;
  budget: Pick<CallBudget, "run">;
}

/** Reminds people in the thread of a request, in one message whose metadata names the request. */
export function createRemind({
  client: clientOf,
  budget,
  groupMembers,
  log,
}: SendDeps & Pick<ChatParts, "groupMembers" | "log">): (reminder: Reminder) => Promise<void> {
  /** Ids of user groups by handle. */
  const groupIds = cached(async (team: string) => {
    const client = await clientOf(team);
    const { usergroups = [] } = await client.usergroups.list();
    return new Map(usergroups.map(({ handle = "", id = "" }) => [handle, id]));
  });

  async function nameAwaited(team: string, one: Awaited): Promise<Line> {
    switch (one.who) {
      case "channel":
        // Named, never called: the thread is in that channel.
        return words("anyone in this channel");
      case "person":
        return person(one.actor);
      case "members": {
        const named = one.people.flatMap((actor) => [...words(" "), ...person(actor)]);
        return [...words(`the group ${one.group}${named.length > 0 ? ":" : ""}`), ...named];
      }
      case "group":
      default: {
        const ids = await groupIds(team).catch((error: unknown) => {
          log.warn(
            { error, group: one.group },
            "Slack did not say which group this is: a reminder names it only",
          );
          return new Map<string, string>();
        });
        const id = ids.get(one.group);
        return id === undefined
          ? words(`the group ${one.group}`)
          : [{ type: "mention", of: "usergroup", id }];
      }
    }
  }

  async function draw(team: string, approval: Approval): Promise<Line[]> {
    const { toolId, requestedBy, expiresAt } = approval;
    const awaited = await Promise.all(awaitedBy(approval, groupMembers).map((one) => nameAwaited(team, one)));
    const names = awaited.flatMap((line, index) => [...(index === 0 ? [] : words(", ")), ...line]);
    const count = countText(approval);
    return [
      [
        ...words("⏰ "),
        ...bold("This request still waits. "),
        ...person(requestedBy),
        ...words(" asked for "),
        ...fixed(oneLine(toolId, 100)),
        ...words(`; it expires at ${timeOf(expiresAt)}.`),
      ],
      [
        ...words(count === "" ? "" : `${count} `),
        ...(names.length === 0 ? [] : [...words("Who may decide: "), ...names]),
      ],
    ].filter((line) => line.length > 0);
  }

  return async ({ ref, approval, mayBePosted }) => {
    const { team, channel, ts, thread = ts } = readRef(ref);
    const client = await clientOf(team);
    const subject = { approval_id: approval.id } satisfies MessageSubject;
    const range = { team, channel, thread, oldest: ts };
    if (mayBePosted && (await findMessage(range, subject, { client, budget })) !== undefined) return;
    const content = {
      text: escapeText(`Reminder: ${approval.toolId} waits until ${timeOf(approval.expiresAt)}`),
      blocks: [...pack(await draw(team, approval)), ...buttonBlocks([detailsButton(approval)])],
      metadata: { event_type: "countersign_reminder", event_payload: subject },
      unfurl_links: false,
      unfurl_media: false,
    };
    await budget.run("chat.postMessage", `${team} ${channel}`, () =>
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
      client.chat.postMessage({ ...content, channel, thread_ts: thread }),
    );
  };
}

/** A mention of somebody of Slack, the bare id of anybody else. */
function person(actor: ActorId): Line {
  const user = readId(actor)?.local ?? "";
  return /^[UW][A-Z0-9]+$/.test(user) ? [{ type: "mention", of: "user", id: user }] : words(actor);
}

/** Says one plain line in a channel, as `slack:TEAM:CHANNEL`; rejects when it could not. */
export function createAnnounce({
  client: clientOf,
  budget,
}: SendDeps): (channel: string, text: string) => Promise<void> {
  return async (id, text) => {
    const place = readId(id);
    if (place === undefined) throw new Error(`expected a channel as slack:WORKSPACE:CHANNEL, got ${id}`);
    const { team, local: channel } = place;
    const client = await clientOf(team);
    await budget.run("chat.postMessage", `${team} ${channel}`, () =>
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
      client.chat.postMessage({ channel, text: escapeText(text), unfurl_links: false }),
    );
  };
}

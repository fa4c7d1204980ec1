import { type APIGuild, ComponentType, MessageFlags, type REST, Routes } from "discord.js";

import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Reminder } from "#contract/present.ts";
import { oneLine } from "#src/base/text.ts";

import { detailsButton } from "../../chat/actions.ts";
import { cached } from "../../chat/cached.ts";
import { type Awaited, awaitedBy, countText, timeOf } from "../../chat/reminder.ts";
import { DIRECT, readId, readRef } from "../ids.ts";
import type { DiscordDeps } from "../options.ts";
import { rolesOf } from "../receive/people.ts";
import { inRows } from "../render/card.ts";
import { escapeText, inlineCode } from "../render/escape.ts";
import { findOwn, nonceOf } from "./find.ts";

/** Who a reminder notifies. */
interface Mentions {
  users: Set<string>;
  roles: Set<string>;
}

/** Reminds people beside the message of a request, in one message that its nonce names. */
export function createRemind(deps: DiscordDeps): (reminder: Reminder) => Promise<void> {
  const { rest, groupMembers, options } = deps;
  const guilds = cached((guild) => rest.get(Routes.guild(guild)) as Promise<APIGuild>);

  function person(actor: ActorId, called: Mentions): string {
    const user = readId(actor)?.local;
    if (user === undefined) return escapeText(actor);
    called.users.add(user);
    return `<@${user}>`;
  }

  async function name(one: Awaited, guild: string, called: Mentions): Promise<string> {
    switch (one.who) {
      case "channel":
        // Named, never called: the message is in that channel.
        return "anyone in this channel";
      case "person":
        return person(one.actor, called);
      case "members": {
        const named = one.people.map((actor) => person(actor, called));
        return [`the group ${escapeText(one.group)}`, ...named].join(" ");
      }
      default: {
        const ids = guild === DIRECT ? [] : rolesOf(await guilds(guild), one.group, options.roles);
        if (ids.length === 0) return `the group ${escapeText(one.group)}`;
        for (const id of ids) called.roles.add(id);
        return ids.map((id) => `<@&${id}>`).join(" ");
      }
    }
  }

  async function draw(approval: Approval, called: Mentions): Promise<string> {
    const { toolId, requestedBy, expiresAt, channel } = approval;
    const { guild = DIRECT } = readId(channel) ?? {};
    const names: string[] = [];
    for (const one of awaitedBy(approval, groupMembers)) names.push(await name(one, guild, called));
    const who = names.length === 0 ? "" : `Who may decide: ${names.join(", ")}`;
    const tool = inlineCode(oneLine(toolId, 100));
    return [
      `⏰ **This request still waits.** ${person(requestedBy, called)} asked for ${tool}; it expires at ${timeOf(expiresAt)}.`,
      [countText(approval), who].filter((text) => text !== "").join(" "),
    ].join("\n");
  }

  return async ({ ref: given, approval, mayBePosted }) => {
    const { channel, message } = readRef(given);
    const { nonce, mark } = nonceOf(`reminder ${approval.id}`);
    if (mayBePosted && (await findOwn(channel, message, { nonce, mark }, deps)) !== undefined) return;
    const called: Mentions = { users: new Set(), roles: new Set() };
    const content = await draw(approval, called);
    await rest.post(Routes.channelMessages(channel), {
      body: {
        flags: MessageFlags.IsComponentsV2,
        components: [
          { type: ComponentType.TextDisplay, id: mark, content },
          ...inRows([detailsButton(approval)]).map((row) => row.component),
        ],
        allowed_mentions: { parse: [], users: [...called.users], roles: [...called.roles] },
        message_reference: { message_id: message, fail_if_not_exists: false },
        nonce,
        enforce_nonce: true,
      },
    });
  };
}

/** Says one plain line in a channel, as `discord:GUILD:CHANNEL`; rejects when it could not. */
export function createAnnounce(rest: REST): (channel: string, text: string) => Promise<void> {
  return async (id, text) => {
    const place = readId(id);
    if (place === undefined) throw new Error(`expected a channel as discord:GUILD:CHANNEL, got ${id}`);
    const body = { content: escapeText(text), allowed_mentions: { parse: [] } };
    await rest.post(Routes.channelMessages(place.local), { body });
  };
}

import {
  type APIDMChannel,
  type APIGuild,
  ComponentType,
  MessageFlags,
  type REST,
  RESTJSONErrorCodes as Code,
  Routes,
} from "discord.js";

import type { ActorId } from "#contract/actor.ts";
import type { MessagePort } from "#contract/present.ts";

import { cached } from "../../chat/cached.ts";
import { deliverNotice, type NoticeContent, type NoticePlatform } from "../../chat/notice-delivery.ts";
import type { Line } from "../../document/tree.ts";
import { DIRECT, readId, readRef } from "../ids.ts";
import type { DiscordDeps } from "../options.ts";
import { type DiscordMembership, rolesOf } from "../receive/people.ts";
import { escapeText } from "../render/escape.ts";
import { pack } from "../render/markup.ts";
import { findOwn, nonceOf } from "./find.ts";
import { discordCode, refuse } from "./refusal.ts";

export interface NotifyDeps extends DiscordDeps {
  members: Pick<DiscordMembership, "inChannel">;
}

/** Not among the numbers of the package: a person who shares no server with the bot. */
const NO_SHARED_SERVER = 50_278;

/** To whom the bot may not write: they keep direct messages closed, or are gone. */
const UNREACHABLE: readonly unknown[] = [
  Code.CannotSendMessagesToThisUser,
  Code.UnknownUser,
  NO_SHARED_SERVER,
];

/** Tells people beside the message of a request and by direct messages, each of which its nonce names. */
export function createNotify(deps: NotifyDeps): NonNullable<MessagePort["notify"]> {
  const { rest, groupMembers, options, rooms, log } = deps;
  const guilds = cached((guild) => rest.get(Routes.guild(guild)) as Promise<APIGuild>);

  return async (notice) => {
    const { channel: thread, message } = readRef(notice.ref);
    const [{ channel: home }] = notice.approvals as [(typeof notice.approvals)[number]];
    const { guild = DIRECT, local: channel = thread } = readId(home) ?? {};
    const { nonce, mark } = nonceOf(notice.id);

    /** Posts it unless an earlier process has. */
    async function send(place: string, { flow }: NoticeContent): Promise<void> {
      if (notice.mayBePosted && (await findOwn(place, message, { nonce, mark }, deps)) !== undefined) return;
      const isThere = place === thread;
      await rest.post(Routes.channelMessages(place), {
        body: {
          flags: MessageFlags.IsComponentsV2 | (notice.isSilent ? MessageFlags.SuppressNotifications : 0),
          components: pack(flow).map((content, index) => ({
            type: ComponentType.TextDisplay,
            ...(index === 0 ? { id: mark } : {}),
            content,
          })),
          allowed_mentions: { parse: [], ...calledIn(flow) },
          ...(isThere ? { message_reference: { message_id: message, fail_if_not_exists: false } } : {}),
          nonce,
          enforce_nonce: true,
        },
      });
    }

    const platform: NoticePlatform = {
      mention,
      // Who has a role is for privileged apps to know: it is called as a whole.
      async group(name) {
        if (guild === DIRECT) return undefined;
        const roles = rolesOf(await guilds(guild), name, options.roles);
        const line = roles.flatMap((id, index): Line => [
          ...(index === 0 ? [] : [{ type: "text" as const, value: " " }]),
          { type: "mention", of: "role", id },
        ]);
        return roles.length === 0 ? undefined : { mention: line };
      },
      // Where Discord does not say, a mention is the better guess.
      isHere: (actor) => deps.members.inChannel(actor, home).catch(() => true),
      nameOf: (actor) => deps.nameOf(actor),
      async link({ turnId }) {
        const ref = await deps.messageOf(turnId);
        if (ref === undefined) return undefined;
        const at = readRef(ref);
        return `https://discord.com/channels/${guild}/${at.channel}/${at.message}`;
      },
      channel: [{ type: "mention", of: "channel", id: channel }],
      async sendDirect(actor, content) {
        try {
          const body = { recipient_id: readId(actor)?.local };
          const direct = (await rest.post(Routes.userChannels(), { body })) as APIDMChannel;
          await send(direct.id, content);
          return true;
        } catch (error) {
          const code = discordCode(error);
          if (!UNREACHABLE.includes(code)) throw error;
          log.warn({ actor, code }, "Discord lets the bot not write to a person: the thread names them");
          return false;
        }
      },
      async post(content) {
        const parent = notice.way === "channel" ? await rooms.parentOf(thread, false) : undefined;
        await send(parent ?? thread, content).catch(refuse);
      },
    };
    await deliverNotice(notice, platform, groupMembers);
  };
}

/** Whom the text may notify: those whom the code named, and nobody whom data names. */
function calledIn(flow: NoticeContent["flow"]): { users: string[]; roles: string[] } {
  const nodes = flow.flatMap((item) => (Array.isArray(item) ? item : []));
  const idsOf = (of: "user" | "role"): string[] => [
    ...new Set(nodes.flatMap((node) => (node.type === "mention" && node.of === of ? [node.id] : []))),
  ];
  return { users: idsOf("user"), roles: idsOf("role") };
}

/** Undefined for people of other platforms. */
function mention(actor: ActorId): Line | undefined {
  const user = readId(actor)?.local;
  return user === undefined ? undefined : [{ type: "mention", of: "user", id: user }];
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

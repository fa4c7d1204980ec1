import { ComponentType } from "discord-api-types/v10";

import { isFields } from "../slack/json.ts";
import { may } from "./permissions.ts";
import type { Channel, Fields, Message, World } from "./types.ts";

type Mentioned = Pick<Message, "mentions" | "mentionRoles" | "mentionEveryone">;

/**
 * Who is notified by a text. `allowed` is the app's `allowed_mentions`; undefined lets everything through, as for
 * people: https://discord.com/developers/docs/resources/message#allowed-mentions-object
 */
export function mentionsOf(
  world: World,
  channel: Channel,
  author: string,
  text: string,
  allowed?: Fields,
): Mentioned {
  const parse = allowed === undefined ? ["everyone", "roles", "users"] : listOf(allowed.parse);
  const ids = (pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? "")),
  ];
  const lets = (kind: "users" | "roles", id: string): boolean =>
    parse.includes(kind) || listOf(allowed?.[kind]).includes(id);
  const guild = world.guilds.get(channel.guild ?? "");
  const everyone = may(world, author, channel, "MentionEveryone");
  return {
    mentions: ids(/<@!?(\d+)>/g).filter((id) => world.users.has(id) && lets("users", id)),
    mentionRoles: ids(/<@&(\d+)>/g).filter((id) => {
      const role = guild?.roles.get(id);
      return role !== undefined && (role.mentionable || everyone) && lets("roles", id);
    }),
    mentionEveryone: /@(everyone|here)\b/.test(text) && everyone && parse.includes("everyone"),
  };
}

/** All text that a reader of the message sees, embeds aside: only there do mentions notify. */
export function spokenText(content: string, components: readonly unknown[]): string {
  return [content, ...components.flatMap(textsIn)].join("\n");
}

function textsIn(component: unknown): string[] {
  if (!isFields(component)) return [];
  if (component.type === ComponentType.TextDisplay) return [String(component.content)];
  return listOf(component.components).flatMap(textsIn);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

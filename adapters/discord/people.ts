import { type APIGuildMember, type APIUser, type REST, Routes } from "discord.js";

import { cached } from "../chat/cached.ts";
import type { NameOf } from "../chat/names.ts";
import type { ChatLog } from "../chat/parts.ts";
import { DIRECT, readId } from "./ids.ts";

/** What people are called in a server, or everywhere; each answer is kept for a minute. */
export function createNames(rest: REST, log: Pick<ChatLog, "debug">): NameOf {
  const names = cached(async (actor) => {
    const { guild = DIRECT, local = "" } = readId(actor) ?? {};
    if (guild === DIRECT) return nameOf((await rest.get(Routes.user(local))) as APIUser);
    const { nick, user } = (await rest.get(Routes.guildMember(guild, local))) as APIGuildMember;
    return nick ?? nameOf(user);
  });
  return async (actor) => {
    if (readId(actor) === undefined) return undefined;
    try {
      return await names(actor);
    } catch (error) {
      log.debug({ error, actor }, "Discord did not say what a person is called");
      return undefined;
    }
  };
}

function nameOf({ global_name: name, username }: Pick<APIUser, "global_name" | "username">): string {
  return name ?? username;
}

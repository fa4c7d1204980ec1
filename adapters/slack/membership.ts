import type { ActorId } from "#contract/actor.ts";

import { WebClient } from "@slack/web-api";

import { clientOptions, toSlackLogger } from "./client.ts";
import { readId } from "./ids.ts";
import type { SlackOptions } from "./options.ts";

/** Who belongs where in a workspace. Rejects when Slack does not say, which counts as "no". */
export interface SlackMembership {
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  /** A user group by its handle, without the @. */
  inGroup(actor: ActorId, group: string): Promise<boolean>;
  isGuest(actor: ActorId): Promise<boolean>;
}

/** What goes wrong rejects, and whoever asked says so. */
const nothing = (): void => undefined;
const SILENT = toSlackLogger({ debug: nothing, info: nothing, warn: nothing, error: nothing });

const KEPT_MS = 60_000;

/** Asks Slack, and keeps each answer for a minute. */
export function createMembers(options: Pick<SlackOptions, "bot_token" | "api_url">): SlackMembership {
  const client = new WebClient(options.bot_token, { ...clientOptions(options), logger: SILENT });
  const members = cached(async (channel: string) => {
    const all = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await client.conversations.members({
        channel,
        limit: 999,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const member of page.members ?? []) all.add(member);
      cursor = page.response_metadata?.next_cursor;
    } while (cursor !== undefined && cursor !== "");
    return all;
  });
  const groups = cached(async () => {
    const { usergroups = [] } = await client.usergroups.list({ include_users: true });
    return new Map(usergroups.map(({ handle = "", users = [] }) => [handle, new Set(users)]));
  });
  const guests = cached(async (user: string) => {
    const { user: found } = await client.users.info({ user });
    if (found === undefined) return true;
    return (found.is_restricted ?? false) || (found.is_ultra_restricted ?? false) || isStranger(found);
  });

  return {
    async inChannel(actor, channel) {
      const person = readId(actor);
      const place = readId(channel);
      if (person === undefined || place === undefined) return false;
      return (await members(place.local)).has(person.local);
    },
    async inGroup(actor, group) {
      const person = readId(actor);
      if (person === undefined) return false;
      return (await groups("")).get(group)?.has(person.local) ?? false;
    },
    async isGuest(actor) {
      const person = readId(actor);
      return person === undefined || guests(person.local);
    },
  };
}

/** Somebody of another organisation, in a shared channel. */
function isStranger(user: object): boolean {
  return "is_stranger" in user && user.is_stranger === true;
}

/** Remembers answers for a while, and failures not at all; asks once for what many want to know. */
function cached<Answer>(ask: (key: string) => Promise<Answer>): (key: string) => Promise<Answer> {
  const answers = new Map<string, { until: number; answer: Promise<Answer> }>();
  return (key) => {
    const now = performance.now();
    const known = answers.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    for (const [old, { until }] of answers) if (until <= now) answers.delete(old);
    const answer = ask(key);
    answers.set(key, { until: now + KEPT_MS, answer });
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

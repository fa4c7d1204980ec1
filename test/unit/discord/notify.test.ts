import { REST } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { DiscordDeps } from "#adapters/discord/options.ts";
import { createMembership, createNames } from "#adapters/discord/receive/people.ts";
import { createNotify } from "#adapters/discord/send/notify.ts";
import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Notice } from "#contract/present.ts";
import { buildApproval } from "#test/builders.ts";
import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

let discord: FakeDiscord;
let ask: Message;

beforeEach(async () => {
  discord = await startFakeDiscord();
  // Leads and those on call see it; Emi does not.
  ask = discord.user("ana").mention("ops-private", "delete it");
});

afterEach(() => discord.close());

const actor = (name: string): ActorId => `discord:${discord.guild().id}:${discord.user(name).id}`;

function approval(more: Partial<Approval> = {}): Approval {
  return buildApproval({
    channel: `discord:${discord.guild().id}:${ask.channel}`,
    requestedBy: actor("ana"),
    statement: {
      verb: "Delete",
      past: "Deleted",
      object: { label: "DEMO-5", title: "Export @everyone fails" },
      rest: "permanently",
      changes: [],
      isDestructive: true,
    },
    ...more,
  });
}

async function tell(notice: Partial<Notice> & Pick<Notice, "approvals">): Promise<void> {
  const rest = new REST({ version: "10", api: discord.apiUrl }).setToken(discord.environment.DISCORD_TOKEN);
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const ref = { channel: ask.channel, message: ask.id, isAnswer: true };
  await createNotify({
    rest,
    log,
    groupMembers: () => undefined,
    options: { guilds: [], roles: {} },
    rooms: { parentOf: () => Promise.resolve(undefined) },
    me: () => ({ app: discord.app.id, bot: discord.app.id }),
    nameOf: createNames(rest, log),
    messageOf: () => Promise.resolve(ref),
    members: createMembership(rest, { guilds: [], roles: {} }),
  } as unknown as DiscordDeps & Parameters<typeof createNotify>[0])({
    id: "asked appr_1",
    kind: "asked",
    way: "mention",
    place: {},
    ref,
    isSilent: false,
    mayBePosted: false,
    ...notice,
  });
}

const inChannel = (): Message[] =>
  discord.messages(ask.channel).filter(({ author }) => author === discord.app.id);
/** As it is read: marks that escape are not seen. */
const textOf = (message: Message | undefined): string =>
  message === undefined ? "" : discord.textOf(message).replaceAll("\\", "");
const direct = (name: string): Message[] => discord.messages(discord.dm(name));

it("[card.notify] who may approve is mentioned, or told directly where that does not reach them", async () => {
  const approvers = [actor("ben"), actor("emi"), "group:leads"];
  await tell({ approvals: [approval({ approvers })] });
  const [message] = inChannel();
  expect(message?.mentions).toEqual([discord.user("ben").id]);
  const text = textOf(message);
  expect(text).toContain("Delete DEMO-5");
  expect(text).toContain("Told in a direct message: Emi Tanaka");
  expect(message?.mentionEveryone).toBe(false);
  const [dm] = direct("emi");
  expect(textOf(dm)).toMatch(/Delete DEMO-5.*channels\/.*Ana Lindqvist asked/s);
});

it("[card.notify] who lets nobody write to them is named in the thread", async () => {
  discord.world.closedDirects.add(discord.user("emi").id);
  await tell({ approvals: [approval({ approvers: [actor("emi")] })] });
  expect(direct("emi")).toEqual([]);
  const [message] = inChannel();
  expect(textOf(message)).toContain("Could not be told, so please tell them: Emi Tanaka");
});

it("[card.notify] people are asked once although a process was killed in between, and silently at night", async () => {
  const approvals = [approval({ approvers: [actor("ben"), actor("emi")] })];
  await tell({ approvals, isSilent: true });
  await tell({ approvals, isSilent: true, mayBePosted: true });
  expect([inChannel(), direct("emi")].map((messages) => messages.length)).toEqual([1, 1]);
  // @silent: https://docs.discord.com/developers/resources/message#message-object-message-flags
  for (const message of [...inChannel(), ...direct("emi")]) expect(message.flags & (1 << 12)).toBeTruthy();
});

it("[card.notify] who asked is called when it ended", async () => {
  await tell({ kind: "outcome", approvals: [approval({ state: "expired" })] });
  const [message] = inChannel();
  expect(message?.mentions).toEqual([discord.user("ana").id]);
  expect(textOf(message)).toMatch(
    /Expired: Delete DEMO-5.*Nobody decided in time. Nothing was changed. Ask again/s,
  );
});

import { afterAll, beforeAll, expect, it } from "vitest";

import { createClients, NotInstalled, type Tokens, toSlackLogger } from "#adapters/slack/install/client.ts";
import { createMembership, type SlackMembership } from "#adapters/slack/receive/people.ts";
import type { ActorId } from "#contract/actor.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import { acme, type TeamSeed } from "#test/fakes/slack/world.ts";

/** The same names as in Acme, for other people. */
const globex: TeamSeed = { ...acme, domain: "globex", name: "Globex", groups: { oncall: ["chloe"] } };

let slack: FakeSlack;
let members: SlackMembership;

beforeAll(async () => {
  slack = await startFakeSlack({
    teams: [
      acme,
      globex,
      { ...acme, domain: "north", name: "North", org: "polar" },
      { ...acme, domain: "south", name: "South", org: "polar" },
    ],
  });
  const tokens: Tokens = {
    find: ({ team }) => {
      const found = slack.world.teams.get(team ?? "");
      if (found === undefined) return Promise.reject(new NotInstalled({ team }));
      return Promise.resolve({
        token: found.botToken,
        user: found.botUserId,
        id: found.botId,
        isOrgWide: false,
      });
    },
  };
  const nothing = (): void => undefined;
  const logger = toSlackLogger({ debug: nothing, info: nothing, warn: nothing, error: nothing });
  members = createMembership(createClients({ api_url: slack.apiUrl }, tokens, logger));
});

afterAll(() => slack.stop());

function actor(name: string, domain: string): ActorId {
  return `slack:${slack.team(domain).id}:${slack.user(name, domain).id}`;
}

function channel(name: string, domain: string): string {
  return `slack:${slack.team(domain).id}:${slack.channel(name, domain).id}`;
}

it("[slack.transports] finds the members of a channel in its own workspace", async () => {
  expect(await members.inChannel(actor("ben", "acme"), channel("general", "acme"))).toBe(true);
  expect(await members.inChannel(actor("ben", "globex"), channel("general", "globex"))).toBe(true);
  expect(await members.inChannel(actor("ben", "globex"), channel("general", "acme"))).toBe(false);
  expect(await members.inChannel(actor("chloe", "acme"), channel("ops-private", "acme"))).toBe(false);
});

it("[slack.transports] finds a group in the workspace of the channel, not in the person's", async () => {
  const inOncall = (name: string, of: string, where: string): Promise<boolean> =>
    members.inGroup(actor(name, of), "oncall", channel("general", where));
  expect(await inOncall("ben", "acme", "acme")).toBe(true);
  expect(await inOncall("chloe", "globex", "globex")).toBe(true);
  expect(await inOncall("chloe", "globex", "acme")).toBe(false);
  expect(await inOncall("chloe", "acme", "globex")).toBe(false);
});

it("[slack.transports] knows guests, and rejects where Slack does not say", async () => {
  expect(await members.isGuest(actor("farid", "acme"), channel("general", "acme"))).toBe(true);
  expect(await members.isGuest(actor("ben", "acme"), channel("general", "acme"))).toBe(false);
  await expect(members.isGuest(actor("ben", "globex"), channel("general", "acme"))).rejects.toThrow(
    "user_not_found",
  );
  await expect(members.inChannel(actor("ben", "acme"), "slack:T0NOWHERE:C1")).rejects.toThrow(NotInstalled);
});

it("[slack.transports] takes people of other organisations in a shared channel for guests", async () => {
  const share = (name: string, of: string, where: string): ActorId => {
    slack.channel("engineering", where).members.add(slack.user(name, of).id);
    return actor(name, of);
  };
  const chloe = share("chloe", "globex", "acme");
  expect(await members.inChannel(chloe, channel("engineering", "acme"))).toBe(true);
  expect(await members.isGuest(chloe, channel("engineering", "acme"))).toBe(true);
  // Also where only the id of the workspace is not theirs, as Slack names it otherwise at times.
  const claimed: ActorId = `slack:${slack.team("acme").id}:${slack.user("chloe", "globex").id}`;
  expect(await members.isGuest(claimed, channel("engineering", "acme"))).toBe(true);
  // Two workspaces of one organisation share a channel.
  expect(await members.isGuest(share("emi", "north", "south"), channel("engineering", "south"))).toBe(false);
  expect(await members.isGuest(share("ben", "north", "acme"), channel("engineering", "acme"))).toBe(true);
});

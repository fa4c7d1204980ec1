import type { REST } from "discord.js";
import { expect, it } from "vitest";

import { createMembership } from "#adapters/discord/receive/people.ts";

const OWN = "200000";
const OTHER = "201000";

/** Two guilds with a role of the same name; somebody holds that of each. */
const PATHS: Record<string, object> = {
  [`/guilds/${OWN}`]: {
    id: OWN,
    roles: [
      { id: OWN, name: "@everyone" },
      { id: "90001", name: "leads" },
      { id: "90002", name: "twice" },
      { id: "90003", name: "twice" },
    ],
  },
  [`/guilds/${OTHER}`]: {
    id: OTHER,
    roles: [
      { id: OTHER, name: "@everyone" },
      { id: "91001", name: "leads" },
    ],
  },
  [`/guilds/${OWN}/members/1`]: { roles: ["90001", "90002"] },
  [`/guilds/${OTHER}/members/1`]: { roles: ["91001"] },
  [`/guilds/${OTHER}/members/2`]: { roles: ["91001"] },
};

const rest = {
  get: (path: string) =>
    path in PATHS ? Promise.resolve(PATHS[path]) : Promise.reject(new Error(`nothing at ${path}`)),
} as unknown as REST;

const channel = `discord:${OWN}:300`;

it("a role counts in the guild of the request alone, whoever made one of the same name elsewhere", async () => {
  const members = createMembership(rest, { guilds: [], roles: {} });
  expect(await members.inGroup(`discord:${OWN}:1`, "leads", channel)).toBe(true);
  expect(await members.inGroup(`discord:${OTHER}:1`, "leads", channel)).toBe(false);
  expect(await members.inGroup(`discord:${OTHER}:2`, "leads", channel)).toBe(false);
  expect(await members.inGroup(`discord:@me:1`, "leads", "discord:@me:300")).toBe(false);
});

it("a name that several roles have means none of them, and @everyone is no group", async () => {
  const members = createMembership(rest, { guilds: [], roles: {} });
  expect(await members.inGroup(`discord:${OWN}:1`, "twice", channel)).toBe(false);
  expect(await members.inGroup(`discord:${OWN}:1`, "@everyone", channel)).toBe(false);
});

it("a group that the configuration gives ids is those roles, and no role of its name", async () => {
  const named = createMembership(rest, {
    guilds: [],
    roles: { twice: ["90002"], leads: ["90009", "91001"] },
  });
  expect(await named.inGroup(`discord:${OWN}:1`, "twice", channel)).toBe(true);
  expect(await named.inGroup(`discord:${OWN}:1`, "leads", channel)).toBe(false);
});

it("nobody of a guild that is not served belongs anywhere", async () => {
  const members = createMembership(rest, { guilds: [OTHER], roles: {} });
  expect(await members.inGroup(`discord:${OWN}:1`, "leads", channel)).toBe(false);
  expect(await members.inChannel(`discord:${OWN}:1`, channel)).toBe(false);
  expect(await members.inGroup(`discord:${OTHER}:1`, "leads", `discord:${OTHER}:300`)).toBe(true);
});

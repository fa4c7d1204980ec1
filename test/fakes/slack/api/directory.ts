import { isOrgWide } from "../world.ts";
import { channelShape, groupShape, userShape } from "../shapes.ts";
import { type Fields, SlackError, type Team, type User, type World } from "../types.ts";
import { flag, page, required, text } from "./arguments.ts";
import type { Methods } from "./method.ts";

/** Who there is: the workspace, its people and its user groups. */
export const directory: Methods = {
  "auth.test": {
    run: (_, { world, team }) => ({
      url: `https://${team.domain}.slack.example.com/`,
      team: team.name,
      user: "countersign",
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
      app_id: world.app.id,
      app_name: world.app.name,
      is_enterprise_install: isOrgWide(team),
      ...(team.org === undefined ? {} : { enterprise_id: team.org.id }),
    }),
  },
  "api.test": { token: "none", run: () => ({}) },
  "apps.connections.open": { token: "app", run: (_, { ticket }) => ({ url: ticket() }) },
  "team.info": {
    scopes: ["team:read"],
    run: (_, { team }) => ({
      team: {
        id: team.id,
        name: team.name,
        domain: team.domain,
        url: `https://${team.domain}.slack.example.com/`,
      },
    }),
  },
  "users.conversations": {
    scopes: ["channels:read", "groups:read", "im:read"],
    run(args, { world, team }) {
      const user = text(args, "user") ?? team.botUserId;
      const types = (text(args, "types") ?? "public_channel").split(",").map((type) => type.trim());
      const kinds = { public: "public_channel", private: "private_channel", im: "im" } as const;
      // What the bot is not in it knows only when it is public.
      const found = [...world.channels.values()].filter(
        ({ team: owner, kind, members, archived }) =>
          owner === team.id &&
          types.includes(kinds[kind]) &&
          members.has(user) &&
          (kind === "public" || members.has(team.botUserId)) &&
          !(archived && flag(args, "exclude_archived")),
      );
      const { items, metadata } = page(found, args);
      return { channels: items.map((channel) => channelShape(world, channel)), response_metadata: metadata };
    },
  },
  "users.info": {
    scopes: ["users:read"],
    run(args, { world, team }) {
      const user = world.users.get(required(args, "user"));
      if (user === undefined || !isVisible(world, team, user)) throw new SlackError("user_not_found");
      return { user: { ...userShape(world, user), ...orgFields(world, user), is_stranger: false } };
    },
  },
  "users.list": {
    scopes: ["users:read"],
    run(args, { world, team }) {
      const all = [...world.users.values()].filter((user) => user.team === team.id);
      const { items, metadata } = page(all, args);
      return { members: items.map((user) => userShape(world, user)), response_metadata: metadata };
    },
  },
  "usergroups.list": {
    scopes: ["usergroups:read"],
    run(args, { world, team }) {
      const groups = [...world.groups.values()].filter((group) => group.team === team.id);
      const withUsers = flag(args, "include_users");
      return {
        usergroups: groups.map((g) => ({ ...groupShape(g), ...(withUsers ? { users: g.users } : {}) })),
      };
    },
  },
  "usergroups.users.list": {
    scopes: ["usergroups:read"],
    run(args, { world, team }) {
      const group = world.groups.get(required(args, "usergroup"));
      if (group === undefined || group.team !== team.id) throw new SlackError("no_such_subteam");
      return { users: group.users };
    },
  },
};

/** Its own people, and those of other workspaces in a channel that it shares with them. */
function isVisible(world: World, team: Team, user: User): boolean {
  if (user.team === team.id) return true;
  return [...world.channels.values()].some((one) => one.team === team.id && one.members.has(user.id));
}

/** `is_stranger` beside it means: in no channel that the app can see; people of shared channels are none. */
function orgFields(world: World, user: User): Fields {
  const org = world.teams.get(user.team)?.org;
  return org === undefined
    ? {}
    : { enterprise_user: { id: user.id, enterprise_id: org.id, teams: [user.team] } };
}

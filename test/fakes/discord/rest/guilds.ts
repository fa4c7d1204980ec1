import { refusal } from "../errors.ts";
import { permissionsIn } from "../permissions.ts";
import { channelShape, guildSummary, knownUser, memberShape, rolesShape } from "../shapes.ts";
import { guildOf, route } from "./route.ts";
import type { Context, Route } from "./route.ts";

/** Routes of the gateway, the app, users and guilds, as far as an app like this reads them. */
export const guildRoutes: readonly Route[] = [
  route("GET", "/gateway", ({ gatewayUrl }) => ({ url: gatewayUrl }), true),
  route("GET", "/gateway/bot", ({ gatewayUrl, concurrency }) => ({
    url: gatewayUrl,
    shards: 1,
    session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: concurrency },
  })),
  route("GET", "/users/@me", ({ world }) => knownUser(world, world.app.id)),
  route("GET", "/users/@me/guilds", ({ world }) =>
    [...world.guilds.values()]
      .filter(({ members }) => members.has(world.app.id))
      .map(({ id, name }) => ({ id, name, icon: null, owner: false, permissions: "0", features: [] })),
  ),
  route("GET", "/users/:user", ({ world, params }) => {
    if (!world.users.has(params.user ?? "")) throw refusal(10013);
    return knownUser(world, params.user ?? "");
  }),
  route("GET", "/applications/@me", application),
  route("GET", "/oauth2/applications/@me", application),
  route("GET", "/guilds/:guild", (context) => guildSummary(context.world, guildOf(context))),
  route("GET", "/guilds/:guild/roles", (context) => rolesShape(context.world, guildOf(context))),
  route("GET", "/guilds/:guild/channels", (context) => {
    const guild = guildOf(context);
    const { world } = context;
    return [...world.channels.values()]
      .filter((channel) => channel.guild === guild.id && channel.parent === undefined)
      .filter((channel) => permissionsIn(world, world.app.id, channel) !== 0n)
      .map((channel) => channelShape(world, channel));
  }),
  route("GET", "/guilds/:guild/threads/active", (context) => {
    const guild = guildOf(context);
    const { world } = context;
    const threads = [...world.channels.values()].filter(
      (c) => c.guild === guild.id && c.parent !== undefined && !c.archived,
    );
    return { threads: threads.map((thread) => channelShape(world, thread)), members: [] };
  }),
  route("GET", "/guilds/:guild/members/search", (context) => {
    const guild = guildOf(context);
    const wanted = (context.query.get("query") ?? "").toLowerCase();
    const found = [...guild.members.keys()].filter((id) => {
      const user = context.world.users.get(id);
      return [user?.name, user?.realName].some((name) => name?.toLowerCase().startsWith(wanted) === true);
    });
    const limit = Number(context.query.get("limit") ?? 1);
    return found.slice(0, limit).map((id) => member(context, id));
  }),
  route("GET", "/guilds/:guild/members/:user", (context) => member(context, context.params.user ?? "")),
];

function member(context: Context, id: string): unknown {
  const guild = guildOf(context);
  if (!guild.members.has(id)) throw refusal(10007);
  return { ...memberShape(guild, id), user: knownUser(context.world, id) };
}

function application({ world }: Context): unknown {
  const { id, name, privileged } = world.app;
  const flags = (privileged.messageContent ? 1 << 18 : 0) | (privileged.members ? 1 << 14 : 0);
  const bot = knownUser(world, id);
  return {
    id,
    name,
    description: "",
    icon: null,
    bot,
    bot_public: true,
    bot_require_code_grant: false,
    flags,
    verify_key: "",
    team: null,
  };
}

/**
 * A Discord on loopback that `discord.js` talks to unmodified: REST, gateway and people.
 *
 * ```ts
 * const discord = await startFakeDiscord();
 * // the product: rest.api = discord.apiUrl, token = discord.environment.DISCORD_TOKEN, shards given as a number
 * await discord.until(() => discord.connected());
 * const question = discord.user("ana").mention("general", "show me DEMO-1");
 * const thread = await discord.until(() => discord.threadOf(question));
 * const card = await discord.until(() => discord.messages(thread.id).find(({ components }) => components.length > 0));
 * const outcome = await discord.user("ben").click(card, "Approve"); // { ok, type, message, modal }
 * await discord.user("ana").slash("jira show", { key: "DEMO-1" }, "general");
 * await discord.user("ana").submit({ Summary: "A broken lamp" }); // the modal on her screen
 * await discord.close(); // stops, and throws what the app did wrong
 * ```
 *
 * - **People** (`people/person.ts`): `say`, `mention`, `edit`, `remove`, `react`, `startThread`, `slash`,
 *   `autocomplete`, `click`, `submit`, `closeModal`, `contextMenu`, `userMenu`. Places are channel names, ids of
 *   channels and threads, messages, or `"dm"`.
 * - **Waiting**: `until(find)` looks again at every change; nothing sleeps.
 * - **Looking**: `messages`, `message`, `threadOf`, `ephemerals`, `modal`, `commands`, `calls`, `textOf`.
 * - **Gateway** (`gateway/gateway.ts`): `drop`, `cut`, `dropSilently`, `reconnect`, `invalidate`, `refuseResume`,
 *   `overlap`, `duplicate`, `reorder`, `delay`, `replay`, `calm`.
 * - **REST**: `rateLimits`, `turnAway` (429), `fail` (5xx, or a cut before or after the effect).
 * - **World**: `addRole`, `removeRole`, `permit`, `archive`, `invite`, `expel`, `world` for everything else.
 * - **Violations**: whatever a well-made app does not do, such as a form over a limit, an unknown field, a late or
 *   second acknowledgement. A test that provokes one names it: `discord.close(/BASE_TYPE_MAX_LENGTH/)`.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { ChannelType } from "discord-api-types/v10";
import type { PermissionFlagsBits } from "discord-api-types/v10";

import { realClock } from "../slack/clock.ts";
import type { Clock } from "../slack/clock.ts";
import { createUntil } from "../slack/until.ts";
import type { Until } from "../slack/until.ts";
import { channelEvent, memberEvent } from "./events.ts";
import { createGateway } from "./gateway/gateway.ts";
import type { GatewayControls } from "./gateway/gateway.ts";
import { spokenText } from "./mentions.ts";
import { createPage } from "./page/page.ts";
import { createPerson } from "./people/person.ts";
import type { Person } from "./people/person.ts";
import { userNamed } from "./people/resolved.ts";
import type { Failure } from "./rest/failures.ts";
import { createRateLimiter } from "./rest/rate.ts";
import type { RateLimits, Turned } from "./rest/rate.ts";
import { createRest } from "./rest/server.ts";
import { guildShape } from "./shapes.ts";
import type { AppSetup, Call, Channel, Command, Guild, Message, Modal, Violation, World } from "./types.ts";
import { acme, addGuild, bits, channelNamed, createWorld, directChannel, newToken } from "./world.ts";
import type { GuildSeed } from "./world.ts";

export interface FakeDiscordOptions {
  /** Port on loopback; 0, the default, takes a free one. */
  port?: number;
  /** Guild number k belongs to shard k mod n. The first is the one that names mean. Default: Acme. */
  guilds?: GuildSeed[];
  /** Default `off`. */
  rateLimits?: RateLimits;
  /** Privileged intents that are switched on. Default: message content. */
  privileged?: Partial<AppSetup["privileged"]>;
  /** What clients are told to wait between heartbeats. Default 41,250 as Discord does. */
  heartbeatMs?: number;
  /** How many clients may identify at once; 1 makes discord.js wait five seconds between shards. Default 16. */
  concurrency?: number;
  /** Three seconds to acknowledge, fifteen minutes of a token and the windows of rate limits go by this. */
  clock?: Clock;
}

export interface FakeDiscord extends Pick<Until, "until"> {
  /** `http://127.0.0.1:PORT`: the page for people. */
  url: string;
  /** For `rest.api`. */
  apiUrl: string;
  app: AppSetup;
  /** What the product is started with. */
  environment: { DISCORD_TOKEN: string; DISCORD_API_URL: string };
  world: World;
  gateway: GatewayControls;
  guild(name?: string): Guild;
  /** By handle or id. */
  user(name: string): Person;
  /** By name or id. */
  channel(name: string): Channel;
  /** The direct conversation of a person with the bot. */
  dm(user: string): Channel;
  /** What everybody sees in a channel or thread, oldest first. */
  messages(channel: string | Channel): Message[];
  message(id: string): Message | undefined;
  /** The thread that was started from a message. */
  threadOf(message: string | Message): Channel | undefined;
  /** What only this person sees. */
  ephemerals(user: string): Message[];
  /** The modal on this person's screen. */
  modal(user: string): Modal | undefined;
  /** Registered commands, global or of a guild by name. */
  commands(guild?: string): Command[];
  /** Everything that is to be read in a message: content, text displays and embeds. */
  textOf(message: Message): string;
  calls: readonly Call[];
  violations: readonly Violation[];
  /** Answers that count towards Discord's ban: 401, 403 and 429. */
  invalidRequests(): number;
  /** This many shards, 1 without a number, are logged in now. */
  connected(shards?: number): boolean;
  rateLimits(limits: RateLimits): void;
  /** Answers the next requests of a route, as in `PATCH /channels/:id/messages/:id`, with 429. */
  turnAway(route: string, turned: Turned, times?: number): void;
  /** Lets the next requests of a route fail. */
  fail(route: string, failure: Failure): void;
  addRole(user: string, role: string): void;
  removeRole(user: string, role: string): void;
  /** Sets what a member (`user`), a role or `"bot"` may do in a channel, on top of its roles. */
  permit(who: string, channel: string, rule: { allow?: Permissions; deny?: Permissions }): void;
  archive(thread: Channel, locked?: boolean): void;
  /** The bot comes into one more guild. */
  invite(seed: GuildSeed): Guild;
  /** The bot is thrown out of a guild. */
  expel(guild: string): void;
  /** Ends it, whatever happened. */
  stop(): Promise<void>;
  /** Ends it and throws when the app did something that none of the patterns names. */
  close(...expected: RegExp[]): Promise<void>;
}

type Permissions = (keyof typeof PermissionFlagsBits)[];

export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const { clock = realClock, heartbeatMs = 41_250, concurrency = 16 } = options;
  const id = "100000000000000001";
  const privileged = { messageContent: true, members: false, presences: false, ...options.privileged };
  const world = createWorld(clock, { id, name: "Countersign", token: newToken(id), privileged });
  const guilds = (options.guilds ?? [acme]).map((seed) => addGuild(world, seed));
  const gateway = createGateway(world, heartbeatMs);
  world.emit = (event) => gateway.emit(event);

  const until = createUntil({
    get messages() {
      return world.messages.map((message) => ({
        ts: message.id,
        user: message.author,
        text: textOf(message),
      }));
    },
    get calls() {
      return world.calls.map(({ route, status, code }) => ({
        method: route,
        error: status < 400 ? undefined : `${status} ${code}`,
      }));
    },
  });
  const person = (name: string): Person =>
    createPerson({ world, gateway: gateway.controls }, userNamed(world, name));
  const limiter = createRateLimiter(options.rateLimits ?? "off", clock);
  const page = createPage(world, person);
  const rest = createRest({
    world,
    limiter,
    gatewayUrl: () => gateway.url(),
    concurrency,
    page: page.route,
  });
  world.changed = () => {
    until.check();
    page.changed();
  };
  rest.server.on("upgrade", (request, stream, head) => gateway.upgrade(request, stream, head));
  rest.server.listen(options.port ?? 0, "127.0.0.1");
  await once(rest.server, "listening");
  world.origin = `http://127.0.0.1:${(rest.server.address() as AddressInfo).port}`;

  const guildNamed = (name?: string): Guild => {
    const found =
      name === undefined ? guilds[0] : guilds.find((guild) => guild.name === name || guild.id === name);
    if (found === undefined) throw new Error(`expected a guild, got "${name ?? ""}"`);
    return found;
  };
  const roleNamed = (name: string): string => {
    const found = [...guildNamed().roles.values()].find((role) => role.name === name);
    if (found === undefined) throw new Error(`expected a role, got "${name}"`);
    return found.id;
  };
  const visible = (message: Message): boolean => !message.deleted && message.ephemeralFor === undefined;
  const stop = async (): Promise<void> => {
    until.stop();
    gateway.stop();
    page.stop();
    rest.server.closeAllConnections();
    rest.server.close();
    await once(rest.server, "close");
  };

  return {
    until: until.until,
    url: world.origin,
    apiUrl: `${world.origin}/api`,
    app: world.app,
    environment: { DISCORD_TOKEN: world.app.token, DISCORD_API_URL: `${world.origin}/api` },
    world,
    gateway: gateway.controls,
    guild: guildNamed,
    user: person,
    channel: (name) => channelNamed(world, name),
    dm: (name) => directChannel(world, userNamed(world, name)),
    messages(channel) {
      const found = typeof channel === "string" ? channelNamed(world, channel) : channel;
      return world.messages.filter((message) => message.channel === found.id && visible(message));
    },
    message: (id) => world.byId.get(id),
    threadOf: (message) => world.channels.get(typeof message === "string" ? message : message.id),
    ephemerals: (name) =>
      world.messages.filter((m) => m.ephemeralFor === userNamed(world, name).id && !m.deleted),
    modal: (name) => world.modals.get(userNamed(world, name).id),
    commands: (guild) => world.commands.get(guild === undefined ? "global" : guildNamed(guild).id) ?? [],
    textOf,
    calls: world.calls,
    violations: world.violations,
    invalidRequests: () => rest.invalidRequests(),
    connected: (shards = 1) =>
      gateway.controls.sessions.filter(({ send }) => send !== undefined).length >= shards,
    rateLimits: (limits) => limiter.set(limits),
    turnAway: (route, turned, times) => limiter.turnAway(route, turned, times),
    fail: (route, failure) => rest.fail(route, failure),
    addRole(user, role) {
      guildNamed().members.get(userNamed(world, user).id)?.add(roleNamed(role));
      memberEvent(world, guildNamed(), userNamed(world, user));
    },
    removeRole(user, role) {
      guildNamed().members.get(userNamed(world, user).id)?.delete(roleNamed(role));
      memberEvent(world, guildNamed(), userNamed(world, user));
    },
    permit(who, name, { allow = [], deny = [] }) {
      const channel = channelNamed(world, name);
      const member = [...world.users.values()].find((user) => user.name === who || user.id === who);
      const target = who === "bot" ? world.app.id : (member?.id ?? roleNamed(who));
      const type = who === "bot" || member !== undefined ? 1 : 0;
      channel.overwrites = channel.overwrites.filter((rule) => rule.id !== target);
      channel.overwrites.push({ id: target, type, allow: bits(allow), deny: bits(deny) });
      channelEvent(world, "UPDATE", channel);
      world.changed();
    },
    archive(thread, locked = false) {
      if (thread.type === ChannelType.GuildText) throw new Error("only threads are archived");
      Object.assign(thread, { archived: true, locked, archivedAt: clock.now() });
      channelEvent(world, "UPDATE", thread);
      world.changed();
    },
    invite(seed) {
      const guild = addGuild(world, seed);
      guilds.push(guild);
      world.emit({ t: "GUILD_CREATE", d: guildShape(world, guild), guild: guild.id });
      world.changed();
      return guild;
    },
    expel(name) {
      const guild = guildNamed(name);
      guild.members.delete(world.app.id);
      world.emit({ t: "GUILD_DELETE", d: { id: guild.id }, guild: guild.id });
      world.changed();
    },
    stop,
    async close(...expected) {
      await stop();
      const lines = world.violations
        .map(({ kind, where, problem }) => `${kind}: ${where}: ${problem}`)
        .filter((line) => !expected.some((pattern) => pattern.test(line)));
      if (lines.length > 0) throw new Error(`the app broke Discord's rules:\n${lines.join("\n")}`);
    },
  };
}

function textOf({ content, components, embeds }: Message): string {
  const embedded = embeds.flatMap((embed) => {
    const { title, description, fields } = embed as {
      title?: string;
      description?: string;
      fields?: { name: string; value: string }[];
    };
    return [title, description, ...(fields ?? []).flatMap(({ name, value }) => [name, value])];
  });
  return [spokenText(content, components), ...embedded]
    .filter((text) => text !== undefined && text !== "")
    .join("\n")
    .trim();
}

import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { endTokens } from "./api/oauth.ts";
import { createDispatch } from "./api/dispatch.ts";
import { realClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { createDeliveries } from "./delivery.ts";
import type { Delivery, Faults } from "./delivery.ts";
import { subscriptionOf } from "./events.ts";
import { createFakeServer } from "./http.ts";
import { createPage } from "./page/page.ts";
import { channelNamed, createPerson } from "./person.ts";
import type { Person } from "./person.ts";
import { createRateLimiter } from "./rate.ts";
import type { RateLimits } from "./rate.ts";
import { createSignedHttp } from "./signed-http.ts";
import { createSocketMode } from "./socket.ts";
import type { Connection, DisconnectReason } from "./socket.ts";
import { createStructure } from "./structure.ts";
import type {
  AppSetup,
  Call,
  Channel,
  Fields,
  Manifest,
  Message,
  Sent,
  StoredFile,
  Team,
  View,
  World,
} from "./types.ts";
import { createUntil } from "./until.ts";
import type { Until } from "./until.ts";
import { acme, addTeam, createWorld, directChannel, isOrgWide, messageAt, threadAt } from "./world.ts";
import type { TeamSeed } from "./world.ts";

export interface FakeSlackOptions {
  /** Port on loopback; 0, the default, takes a free one. */
  port?: number;
  /** Workspaces; the first is the one that `user("ana")` means. Default: Acme. */
  teams?: TeamSeed[];
  /** The app's manifest: its scopes, events, commands and shortcuts are all that the app gets. Default: everything. */
  manifest?: Manifest;
  /** Default `off`. */
  rateLimits?: RateLimits;
  /** Times of Slack that nobody wants to wait for pass this much faster: retries, rate limits, streams, response_url. */
  speed?: number;
  /** How long the app has to acknowledge. Default 3000. */
  ackMs?: number;
  clock?: Clock;
}

export interface FakeSlack extends Faults, Until {
  /** `http://127.0.0.1:PORT`: the page for people. */
  url: string;
  /** For `clientOptions.slackApiUrl`. */
  apiUrl: string;
  app: AppSetup;
  /** What the product is started with. */
  environment: {
    SLACK_BOT_TOKEN: string;
    SLACK_APP_TOKEN: string;
    SLACK_SIGNING_SECRET: string;
    SLACK_API_URL: string;
  };
  world: World;
  team(domain?: string): Team;
  /** A person of the workspace removes the app from it: its tokens are dead, and the app is told. */
  uninstall(domain?: string): void;
  /** By handle or id. */
  user(name: string, domain?: string): Person;
  /** By name or id. */
  channel(name: string, domain?: string): Channel;
  /** The direct conversation of a person with the bot. */
  dm(user: string): Channel;
  /** Visible messages of a channel, threads included, oldest first. */
  messages(channel: string): Message[];
  message(ts: string): Message | undefined;
  /** A message and its replies, oldest first. */
  thread(ts: string): Message[];
  /** What only this person sees. */
  ephemerals(user: string): Message[];
  /** The modal on top of this person's screen. */
  modal(user: string): View | undefined;
  home(user: string): View | undefined;
  /** Completed uploads. */
  files(): StoredFile[];
  /** Everything the app ever gave to be shown, with what was wrong with it. */
  sent: readonly Sent[];
  calls: readonly Call[];
  /** Everything that was sent to the app. */
  deliveries: readonly Delivery[];
  connections: readonly Connection[];
  /** Sends everything to one connection; without an index it spreads again. */
  deliverTo(index?: number): void;
  dropConnections(): void;
  /** Sends everybody a frame that Slack would not send. */
  sendFrame(frame: unknown): void;
  /** Asks all clients to connect anew. */
  disconnect(reason: DisconnectReason): void;
  /** From now on delivers signed requests to these addresses, in turn, instead of Socket Mode. */
  overHttp(...urls: string[]): void;
  overSocket(): void;
  stop(): Promise<void>;
}

/** Starts a Slack on loopback that `@slack/bolt` talks to unmodified. */
export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const { clock = realClock, speed = 1, ackMs = 3000, manifest } = options;
  const world = createWorld({ clock, speed, app: appOf(manifest) });
  const scopes = manifest?.oauth_config?.scopes;
  const granted = scopes === undefined ? undefined : [...(scopes.bot ?? []), ...(scopes.bot_optional ?? [])];
  const teams = (options.teams ?? [acme]).map((seed) =>
    addTeam(world, granted === undefined ? seed : { scopes: granted, ...seed }),
  );
  const [first] = teams;
  if (first === undefined) throw new Error("expected at least one team");

  const structure = createStructure();
  const until = createUntil(world);
  const changed = (): void => world.changed();
  const origin = (): string => world.origin;
  const socket = createSocketMode(clock, ackMs, { appId: world.app.id, origin, changed });
  const http = createSignedHttp(clock, ackMs, world.app.signingSecret);
  let transport: "socket" | "http" = "socket";
  const deliveries = createDeliveries(
    { send: (...args) => (transport === "socket" ? socket : http).send(...args) },
    clock,
    speed,
    changed,
  );
  world.emit = (team, event) => {
    if (!isInstalled(team) && !ENDINGS.has(String(event.type))) return;
    if (world.app.events?.includes(subscriptionOf(event)) === false) return;
    const eventId = world.nextId("Ev");
    void deliveries.send({ kind: "events_api", payload: envelope(world, team, event, eventId) }, eventId);
  };

  const teamOfDomain = (domain?: string): Team => {
    const team = domain === undefined ? first : teams.find((candidate) => candidate.domain === domain);
    if (team === undefined) throw new Error(`expected the domain of a team, got "${domain}"`);
    return team;
  };
  const person = (name: string, domain?: string): Person => {
    const team = teamOfDomain(domain);
    const user =
      world.users.get(name) ?? [...world.users.values()].find((u) => u.team === team.id && u.name === name);
    if (user === undefined) throw new Error(`expected a member of ${team.name}, got "${name}"`);
    return createPerson({ world, structure, deliveries }, user);
  };

  const dispatch = createDispatch(
    world,
    structure,
    createRateLimiter(options.rateLimits ?? "off", clock, speed),
    () => socket.ticket(),
  );
  const page = createPage(world, person);
  world.changed = () => {
    until.check();
    page.changed();
  };
  const server = createFakeServer({ world, structure, dispatch, page: page.route });
  server.on("upgrade", (request, stream, head) => socket.upgrade(request, stream, head));
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  world.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { duplicate, delay, reorder, repeat, replay, calm } = deliveries;
  return {
    duplicate,
    delay,
    reorder,
    repeat,
    replay,
    calm,
    until: until.until,
    settled: () => until.until(() => deliveries.all.every(({ state }) => state !== "waiting")).then(() => {}),
    url: world.origin,
    apiUrl: `${world.origin}/api/`,
    app: world.app,
    environment: {
      SLACK_BOT_TOKEN: first.botToken,
      SLACK_APP_TOKEN: world.app.appToken,
      SLACK_SIGNING_SECRET: world.app.signingSecret,
      SLACK_API_URL: `${world.origin}/api/`,
    },
    world,
    team: teamOfDomain,
    uninstall(domain) {
      const team = teamOfDomain(domain);
      endTokens(world, team, "account_inactive");
      world.emit(team, { type: "tokens_revoked", tokens: { oauth: [], bot: [team.botUserId] } });
      world.emit(team, { type: "app_uninstalled" });
      world.changed();
    },
    user: person,
    channel: (name, domain) => channelNamed(world, teamOfDomain(domain), name),
    dm: (name) => directChannel(world, person(name).user),
    messages(name) {
      const id = world.channels.has(name) ? name : channelNamed(world, first, name).id;
      return world.messages.filter((m) => m.channel === id && !m.deleted && m.ephemeralFor === undefined);
    },
    message: (ts) => messageAt(world, ts),
    thread(ts) {
      const root = messageAt(world, ts);
      return root === undefined ? [] : threadAt(world, root.channel, ts);
    },
    ephemerals: (name) => world.messages.filter((m) => m.ephemeralFor === person(name).id && !m.deleted),
    modal: (name) => world.views.get(world.modals.get(person(name).id)?.at(-1) ?? "")?.view,
    home: (name) => world.views.get(world.homes.get(person(name).id) ?? "")?.view,
    files: () => [...world.files.values()].filter(({ completed }) => completed),
    sent: world.sent,
    calls: world.calls,
    deliveries: deliveries.all,
    connections: socket.connections,
    deliverTo: (index) => socket.deliverTo(index),
    dropConnections: () => socket.drop(),
    sendFrame: (frame) => socket.raw(frame),
    disconnect: (reason) => socket.disconnect(reason),
    overHttp(...urls) {
      http.urls.splice(0, http.urls.length, ...urls);
      transport = "http";
    },
    overSocket: () => void (transport = "socket"),
    async stop() {
      until.stop();
      deliveries.stop();
      socket.stop();
      page.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sent although the app is no longer there. */
const ENDINGS: ReadonlySet<string> = new Set(["app_uninstalled", "tokens_revoked"]);

function isInstalled(team: Team): boolean {
  return team.botToken !== "" || isOrgWide(team);
}

function appOf(manifest: Manifest | undefined): AppSetup {
  return {
    id: "A0COUNTERSIGN",
    name: "Countersign",
    appToken: "xapp-1-A0COUNTERSIGN-fake",
    signingSecret: "a-signing-secret-of-the-fake",
    clientId: "1000000000.2000000000",
    clientSecret: "a-client-secret-of-the-fake",
    redirectUrls: [],
    events: manifest === undefined ? undefined : (manifest.settings?.event_subscriptions?.bot_events ?? []),
    commands:
      manifest === undefined ? undefined : (manifest.features?.slash_commands ?? []).map((c) => c.command),
    shortcuts: (manifest?.features?.shortcuts ?? []).map((s) => ({ ...s, name: s.name ?? s.callback_id })),
  };
}

function envelope(world: World, team: Team, event: Fields, eventId: string): Fields {
  return {
    token: "fake-verification-token",
    team_id: team.id,
    api_app_id: world.app.id,
    event,
    type: "event_callback",
    event_id: eventId,
    event_time: Math.floor(world.clock.now() / 1000),
    ...(team.org === undefined ? {} : { enterprise_id: team.org.id }),
    authorizations: [
      {
        enterprise_id: team.org?.id ?? null,
        team_id: team.id,
        user_id: team.botUserId,
        is_bot: true,
        is_enterprise_install: isOrgWide(team),
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
}

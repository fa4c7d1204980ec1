import type { App } from "@slack/bolt";
import type { HomeView } from "@slack/types";

import { errorForUser } from "../../chat/actions.ts";
import { cached } from "../../chat/cached.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import type { SlackContext } from "./context.ts";
import { actorOf, channelOf, conversationOf, readId } from "../ids.ts";
import { secondsAgo, toPlace } from "../ids.ts";
import { sourceOf } from "../receive/event.ts";
import { type HomeChannel, renderHome } from "../render/home.ts";
import { pack, plain, words } from "../render/rich.ts";
import type { CallBudget } from "../send/budget.ts";
import type { Click } from "./interaction.ts";

export type HomeDeps = Pick<
  SlackContext,
  "cards" | "client" | "core" | "link" | "log" | "people" | "presenter" | "prompts"
> & { budget: Pick<CallBudget, "run"> };

/** The app home of everybody who looked at it lately. */
export interface Homes {
  /** A suggestion of the home: asked in the person's direct conversation with the bot. */
  ask(click: Click): Promise<void>;
  switchPrivacy(click: Click): Promise<void>;
  stop(): void;
}

/** Somebody who opened the home. */
interface Visitor {
  team: string;
  user: string;
  /** Their direct conversation with the bot. */
  dm: string;
  at: number;
  /** What they were shown last. */
  shown?: string;
}

/** A home is drawn anew when it is opened; within this time also when something of it changes. */
const LOOKED_AT_MS = 3_600_000;
const MAX_VISITORS = 500;
const HEALTH_LOOK_MS = 5_000;

/** Shows the home to whoever opens it, and again when a request or a setting changes. */
export function handleHome(app: App, parts: HomeDeps): Homes {
  const { core, log } = parts;
  const visitors = new Map<string, Visitor>();
  const showing = new Map<string, Promise<void>>();
  const channels = createHomeChannels(parts);
  let refreshing: Promise<void> | undefined;
  let isStale = false;

  app.event("app_home_opened", async ({ event, body }) => {
    if (event.tab !== "home") return;
    const team = sourceOf(body)?.team ?? body.team_id;
    const visitor: Visitor = { team, user: event.user, dm: event.channel, at: Date.now() };
    remember(visitor);
    await show(visitor);
  });

  function remember(visitor: Visitor): void {
    const key = `${visitor.team} ${visitor.user}`;
    visitors.delete(key);
    const [oldest] = visitors.keys();
    if (visitors.size >= MAX_VISITORS && oldest !== undefined) visitors.delete(oldest);
    visitors.set(key, visitor);
  }

  /** One after the other for a person, so that an older look never replaces a newer one. */
  function show(visitor: Visitor): Promise<void> {
    const key = `${visitor.team} ${visitor.user}`;
    const next = (showing.get(key) ?? Promise.resolve()).then(() => showNow(visitor));
    showing.set(key, next);
    return next.then(() => {
      if (showing.get(key) === next) showing.delete(key);
    });
  }

  async function showNow(visitor: Visitor): Promise<void> {
    const { team, user } = visitor;
    try {
      const view = await draw(visitor);
      const shown = JSON.stringify(view);
      if (shown === visitor.shown) return;
      const client = await parts.client(team);
      await parts.budget.run("views.publish", `${team} ${user}`, () =>
        client.views.publish({ user_id: user, view }),
      );
      visitor.shown = shown;
    } catch (error) {
      log.warn({ error, user }, "the app home could not be shown");
    }
  }

  async function draw({ team, user, dm }: Visitor): Promise<HomeView> {
    const actor = actorOf(team, user);
    const [health, approvals, shownChannels] = await Promise.all([
      core.health(),
      core.approvalsFor(actor),
      channels(team, user),
    ]);
    const linked = await Promise.all(
      approvals.map(async (approval) => {
        const link = await parts.link(approval.turnId);
        return { approval, ...(link === undefined ? {} : { link }) };
      }),
    );
    const prompts = parts.prompts.map((message) => ({ title: cutText(oneLine(message), 75), message }));
    const home = renderHome({ health, prompts, approvals: linked, channels: shownChannels }, parts.cards);
    return { ...home, private_metadata: dm };
  }

  /** One look at a time for everybody; what changes meanwhile is one more look. */
  async function refreshAll(): Promise<void> {
    do {
      isStale = false;
      const since = Date.now() - LOOKED_AT_MS;
      for (const [key, { at }] of visitors) if (at < since) visitors.delete(key);
      await Promise.all([...visitors.values()].map((visitor) => show(visitor)));
    } while (isStale);
    refreshing = undefined;
  }

  function refresh(): void {
    isStale = true;
    refreshing ??= refreshAll();
  }

  const unwatch = core.onChange(refresh);
  let health: string | undefined;
  /** One look for all: whether what every home shows is another now. */
  const looks = setInterval(() => {
    if (visitors.size === 0) return;
    core.health().then(
      (now) => {
        const before = health;
        health = JSON.stringify(now);
        if (before !== undefined && before !== health) refresh();
      },
      (error: unknown) => log.warn({ error }, "the status could not be looked at"),
    );
  }, HEALTH_LOOK_MS);

  return {
    async ask({ team, actor, value, window, triggerId }) {
      const dm = window?.metadata ?? "";
      if (!/^[CDG][A-Z0-9]+$/.test(dm)) return;
      await parts.presenter.submit(
        {
          surface: "slack",
          actor,
          // The answer begins a thread, whose name is not known yet.
          conversationId: conversationOf(team, dm, `home-${triggerId}`),
          channel: channelOf(team, dm),
          message: value,
          eventId: `home:${triggerId}`,
        },
        toPlace({ team, channel: dm, since: secondsAgo(60) }),
      );
    },

    async switchPrivacy({ team, actor, value, triggerId }) {
      const [id = "", wanted] = value.split("|");
      try {
        await core.setPrivacy({ channel: channelOf(team, id), actor, summarize: wanted === "off" });
      } catch (error) {
        log.warn({ error, actor }, "the privacy of a channel was not changed");
        const client = await parts.client(team);
        const notice = { type: "modal", title: plain("Privacy"), close: plain("Close") } as const;
        await client.views.open({
          trigger_id: triggerId,
          view: { ...notice, blocks: pack([words(errorForUser(error))]) },
        });
      }
      const visitor = visitors.get(`${team} ${readId(actor)?.local ?? ""}`);
      if (visitor !== undefined) await show(visitor);
    },

    stop() {
      unwatch();
      clearInterval(looks);
      visitors.clear();
    },
  };
}

type Parts = Pick<SlackContext, "client" | "core" | "log" | "people">;

interface Named {
  id: string;
  name: string;
}

/** As many channels as a home shows, and what lets it say how many more there are. */
const MAX_LISTED = 200;

/** The channels that a person shares with the bot, with their privacy; none where Slack does not say. */
function createHomeChannels(parts: Parts): (team: string, user: string) => Promise<HomeChannel[]> {
  const conversations = cached(async (key: string): Promise<Named[]> => {
    const [team = "", user] = key.split(" ");
    const client = await parts.client(team);
    const { channels = [] } = await client.users.conversations({
      types: "public_channel,private_channel",
      exclude_archived: true,
      limit: MAX_LISTED,
      ...(user === undefined ? {} : { user }),
    });
    return channels.flatMap(({ id, name }) => (id === undefined || name === undefined ? [] : [{ id, name }]));
  });

  async function shared(team: string, user: string): Promise<Named[]> {
    try {
      const [theirs, ours] = await Promise.all([conversations(`${team} ${user}`), conversations(team)]);
      const own = new Set(ours.map(({ id }) => id));
      return theirs.filter(({ id }) => own.has(id)).toSorted((a, b) => a.name.localeCompare(b.name));
    } catch (error) {
      parts.log.warn({ error, user }, "Slack did not say which channels a person shares with the bot");
      return [];
    }
  }

  return async (team, user) => {
    const channels = await shared(team, user);
    return Promise.all(
      channels.map(async ({ id, name }) => {
        const { summarize, setBy } = await parts.core.privacy(channelOf(team, id));
        const by = setBy === undefined ? undefined : await parts.people.name(team, readId(setBy)?.local);
        return {
          id,
          name,
          privacy: !summarize,
          isFixed: !summarize && setBy === undefined,
          ...(by === undefined ? {} : { setBy: by }),
        };
      }),
    );
  };
}

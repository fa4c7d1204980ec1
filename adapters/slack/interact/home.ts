import type { App } from "@slack/bolt";
import type { HomeView } from "@slack/types";

import { oneLine } from "#src/base/text.ts";
import { HOUR_MS } from "#src/base/time.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import { errorForUser } from "../../chat/actions.ts";
import { cached, keepNewest } from "../../chat/cached.ts";
import { readInbox } from "../../chat/inbox.ts";
import { actorOf, channelOf, conversationOf, inboxPlace, readId } from "../ids.ts";
import { type HomeChannel, renderHome } from "../render/home.ts";
import { words } from "../../chat/line.ts";
import { pack, plain } from "../render/rich.ts";
import type { CallBudget } from "../send/budget.ts";
import { showWindow, type SlackContext, startTurn, wordsAt } from "./context.ts";
import type { Click } from "./interaction.ts";

/** The app home of everybody who looked at it lately. */
export interface Homes {
  /** A suggestion of the home: asked in the person's direct conversation with the bot. */
  ask(click: Click): Promise<void>;
  switchPrivacy(click: Click): Promise<void>;
  /** What homes show may have changed. */
  refresh(): void;
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

const MAX_VISITORS = 500;
const HEALTH_LOOK_MS = 5_000;

/** Slack takes at most four. */
const MAX_PROMPTS = 4;
const PROMPT_TITLE = 100;

/**
 * Shows the home when it is opened; for an hour also when a request or a setting changes. Offers things to
 * ask where somebody opens the conversation with the bot.
 */
export function handleHome(app: App, deps: SlackContext & { budget: Pick<CallBudget, "run"> }): Homes {
  const { core, log } = deps;
  const visitors = new Map<string, Visitor>();
  const showing = new Map<string, Promise<void>>();
  const channels = createHomeChannels(deps);
  let refreshing: Promise<void> | undefined;
  let isStale = false;

  app.event("app_home_opened", async ({ event, body, context }) => {
    const { tab, user, channel: dm } = event;
    const team = context.teamId ?? body.team_id;
    if (tab === "messages") return offerPrompts(team, dm, deps);
    if (tab !== "home") return undefined;
    const visitor: Visitor = { team, user, dm, at: Date.now() };
    visitors.delete(`${team} ${user}`);
    keepNewest(visitors, `${team} ${user}`, visitor, MAX_VISITORS);
    return show(visitor);
  });

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
      const client = await deps.client(team);
      await deps.budget.run("views.publish", `${team} ${user}`, () =>
        client.views.publish({ user_id: user, view }),
      );
      visitor.shown = shown;
    } catch (error) {
      log.warn({ error, user }, "the app home could not be shown");
    }
  }

  async function draw({ team, user, dm }: Visitor): Promise<HomeView> {
    const say = wordsAt(undefined, deps);
    const [health, inbox, shownChannels] = await Promise.all([
      core.health(),
      readInbox(actorOf(team, user), inboxPlace(team), { ...deps, say }),
      channels(team, user),
    ]);
    const prompts = deps.prompts.map((message) => ({ title: oneLine(message, 75), message }));
    return {
      ...renderHome({ health, prompts, inbox, channels: shownChannels, say }),
      private_metadata: dm,
    };
  }

  /** One look at a time for everybody; what changes meanwhile is one more look. */
  async function refreshAll(): Promise<void> {
    do {
      isStale = false;
      const since = Date.now() - HOUR_MS;
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
    async ask({ team, actor, value: message, window, triggerId }) {
      const channel = window?.metadata ?? "";
      if (!/^[CDG][A-Z0-9]+$/.test(channel)) return;
      // The answer begins a thread, whose name is not known yet.
      const conversationId = conversationOf(team, channel, `home-${triggerId}`);
      await startTurn({ team, channel, actor, conversationId, message, eventId: `home:${triggerId}` }, deps);
    },

    async switchPrivacy(click) {
      const { team, user, actor, value } = click;
      const [id = "", wanted] = value.split("|");
      try {
        await core.setPrivacy({ channel: channelOf(team, id), actor, summarize: wanted === "off" });
      } catch (error) {
        log.warn({ error, actor }, "the privacy of a channel was not changed");
        const say = wordsAt(undefined, deps);
        const blocks = pack([words(recordedText(errorForUser(error), say))]);
        await showWindow(
          click,
          { type: "modal", title: plain(say.home.privacy), close: plain(say.buttons.close), blocks },
          deps,
        );
      }
      const visitor = visitors.get(`${team} ${user}`);
      if (visitor !== undefined) await show(visitor);
    },

    refresh,

    stop() {
      unwatch();
      clearInterval(looks);
      visitors.clear();
    },
  };
}

async function offerPrompts(team: string, channel: string, deps: SlackContext): Promise<void> {
  const { client: clientOf, log, prompts } = deps;
  if (prompts.length === 0) return;
  try {
    const client = await clientOf(team);
    await client.assistant.threads.setSuggestedPrompts({
      channel_id: channel,
      title: wordsAt({ team, channel }, deps).home.canAsk,
      prompts: prompts
        .slice(0, MAX_PROMPTS)
        .map((message) => ({ title: oneLine(message, PROMPT_TITLE), message })),
    });
  } catch (error) {
    log.warn({ error, channel }, "suggestions could not be shown");
  }
}

interface NamedChannel {
  id: string;
  name: string;
}

/** As many channels as a home shows, and what lets it say how many more there are. */
const MAX_LISTED = 200;

/** The channels that a person shares with the bot, with their privacy; none where Slack does not say. */
function createHomeChannels({
  client: clientOf,
  core,
  log,
  people,
}: SlackContext): (team: string, user: string) => Promise<HomeChannel[]> {
  const conversations = cached(async (key: string): Promise<NamedChannel[]> => {
    const [team = "", user] = key.split(" ");
    const client = await clientOf(team);
    const { channels = [] } = await client.users.conversations({
      types: "public_channel,private_channel",
      exclude_archived: true,
      limit: MAX_LISTED,
      ...(user === undefined ? {} : { user }),
    });
    return channels.flatMap(({ id, name }) => (id === undefined || name === undefined ? [] : [{ id, name }]));
  });

  async function shared(team: string, user: string): Promise<NamedChannel[]> {
    try {
      const [theirs, ours] = await Promise.all([conversations(`${team} ${user}`), conversations(team)]);
      const own = new Set(ours.map(({ id }) => id));
      return theirs.filter(({ id }) => own.has(id)).toSorted((a, b) => a.name.localeCompare(b.name));
    } catch (error) {
      log.warn({ error, user }, "Slack did not say which channels a person shares with the bot");
      return [];
    }
  }

  return async (team, user) => {
    const channels = await shared(team, user);
    return Promise.all(
      channels.map(async ({ id, name }) => {
        const { summarize, setBy } = await core.privacy(channelOf(team, id));
        const by = setBy === undefined ? undefined : await people.name(team, readId(setBy)?.local);
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

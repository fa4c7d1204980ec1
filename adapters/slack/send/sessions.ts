import type { App } from "@slack/bolt";
import { z } from "zod";

import type { MessagePort, TurnView } from "#contract/present.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import type { SlackContext } from "../interact/context.ts";
import { actorOf, readId } from "../ids.ts";
import { readPlace, readRef } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import { sourceOf } from "../receive/event.ts";
import type { CallBudget } from "./budget.ts";
import { slackError, SlackRefusal } from "./refusal.ts";

/** https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
type Status = "processing" | "suspended" | "active";

/** A thread that the bot works in, as Slack's agent view lists it. */
interface Session {
  team: string;
  channel: string;
  thread: string;
  wanted: Status;
  said?: Status;
  isTelling: boolean;
  /** This process showed a turn of it at work, and so knows what was told. */
  isKnown: boolean;
  timer?: NodeJS.Timeout;
}

export interface SessionDeps {
  client: ClientOf;
  budget: Pick<CallBudget, "run">;
  log: Pick<ChatLog, "warn">;
}

export interface Sessions {
  /** Tells Slack whether the bot is at work in the thread; never rejects, as nothing depends on it. */
  shown(at: { team: string; channel: string; thread: string }, view: TurnView): void;
  /** The thread is at rest: somebody stopped what there was, or there was nothing. */
  rest(at: { team: string; channel: string; thread: string }): void;
  stop(): void;
}

/** A turn in a channel that ends sooner is not worth two calls; in a direct message it gives the title. */
const NOTED_AFTER_MS = 1_000;
/** In a rush the stop buttons of channels are given up: each message has one of its own. */
const MOST_WAITING = 20;
const MOST_TRIES = 5;
const TITLE = 200;
/** So many threads are remembered. */
const KEPT = 2000;

export function createSessions({ client: clientOf, budget, log }: SessionDeps): Sessions {
  const sessions = new Map<string, Session>();
  /** How many wait for room, by workspace. */
  const telling = new Map<string, number>();

  function sessionOf(at: { team: string; channel: string; thread: string }): Session {
    const key = `${at.team} ${at.channel} ${at.thread}`;
    const known = sessions.get(key);
    if (known !== undefined) return known;
    for (const [old, { isTelling, timer, wanted }] of sessions) {
      if (sessions.size < KEPT) break;
      if (!isTelling && timer === undefined && wanted !== "processing") sessions.delete(old);
    }
    const made: Session = { ...at, wanted: "active", isTelling: false, isKnown: false };
    sessions.set(key, made);
    return made;
  }

  /** One call at a time for a thread, with what is so when it begins. */
  async function tell(session: Session, view?: TurnView): Promise<void> {
    if (session.isTelling) return;
    session.isTelling = true;
    const { team } = session;
    telling.set(team, (telling.get(team) ?? 0) + 1);
    try {
      for (let failures = 0; session.said !== session.wanted && failures < MOST_TRIES;) {
        try {
          await budget.run("agents.sessions", team, () => setStatus(session, view));
        } catch (error) {
          failures += 1;
          delete session.said;
          const isBusy = error instanceof SlackRefusal && error.code === "rate_limited";
          if (isBusy && failures < MOST_TRIES) continue;
          log.warn({ error: slackError(error) ?? error }, "Slack was not told whether a session is at work");
          return;
        }
      }
    } finally {
      session.isTelling = false;
      telling.set(team, (telling.get(team) ?? 1) - 1);
    }
  }

  async function setStatus(session: Session, view: TurnView | undefined): Promise<void> {
    const { team, channel, thread, wanted } = session;
    // Somebody else may have changed it meanwhile, and nothing is gained by saying the same twice.
    if (session.said === wanted) return;
    session.said = wanted;
    const client = await clientOf(team);
    await client.agents.sessions.setStatus({
      channel_id: channel,
      thread_ts: thread,
      status: wanted,
      // Slack takes it for a new session only: it is what the first message says.
      ...(view === undefined ? {} : { title: titleOf(view) }),
    });
  }

  return {
    shown(at, view) {
      const session = sessionOf(at);
      session.wanted = statusOf(view);
      const isDirect = at.channel.startsWith("D");
      if (session.wanted === "processing") {
        session.isKnown = true;
        if (session.said === "processing" || session.timer !== undefined) return;
        session.timer = setTimeout(
          () => {
            delete session.timer;
            const isBusy = !isDirect && (telling.get(at.team) ?? 0) >= MOST_WAITING;
            if (session.wanted === "processing" && !isBusy) void tell(session, view);
          },
          isDirect ? 0 : NOTED_AFTER_MS,
        );
        return;
      }
      clearTimeout(session.timer);
      delete session.timer;
      // Of a turn that an earlier process showed nobody knows what was told.
      const isUnknown = !session.isKnown && view.elapsedMs > NOTED_AFTER_MS;
      if (isUnknown || session.said !== undefined || isDirect) void tell(session, view);
    },
    rest(at) {
      const session = sessionOf(at);
      session.wanted = "active";
      delete session.said;
      void tell(session);
    },
    stop() {
      for (const { timer } of sessions.values()) clearTimeout(timer);
      sessions.clear();
    },
  };
}

/** A port that tells Slack's agent view of every turn it shows. */
export function withSessions<Port extends MessagePort>(port: Port, sessions: Sessions): Port {
  return {
    ...port,
    async post(given, view) {
      const ref = await port.post(given, view);
      const { team, channel, thread } = readPlace(given);
      sessions.shown({ team, channel, thread: thread ?? readRef(ref).ts }, view);
      return ref;
    },
    async edit(given, view) {
      await port.edit(given, view);
      const { team, channel, ts, thread = ts } = readRef(given);
      sessions.shown({ team, channel, thread }, view);
    },
  };
}

function statusOf(view: TurnView): Status {
  if (!view.isSettled) return "processing";
  return view.approvals.some(({ state }) => state === "pending" || state === "unknown")
    ? "suspended"
    : "active";
}

function titleOf({ message, actor }: TurnView): string {
  const said = oneLine(message);
  return cutText(said === "" ? `Asked by ${readId(actor)?.local ?? "somebody"}` : said, TITLE);
}

export type StopDeps = Pick<SlackContext, "conversation" | "core"> & { sessions: Pick<Sessions, "rest"> };

/** Slack takes at most four. */
const MAX_PROMPTS = 4;
const PROMPT_TITLE = 100;

/** Offers things to ask to whoever opens the conversation with the bot. */
export function handleAgentView(
  app: App,
  { client: clientOf, log, prompts }: Pick<SlackContext, "client" | "log" | "prompts">,
): void {
  app.event("app_home_opened", async ({ event, body }) => {
    if (event.tab !== "messages" || prompts.length === 0) return;
    try {
      const client = await clientOf(sourceOf(body)?.team ?? body.team_id);
      await client.assistant.threads.setSuggestedPrompts({
        channel_id: event.channel,
        title: "You can ask me, for example",
        prompts: prompts
          .slice(0, MAX_PROMPTS)
          .map((message) => ({ title: cutText(oneLine(message), PROMPT_TITLE), message })),
      });
    } catch (error) {
      log.warn({ error, user: event.user }, "suggestions could not be shown");
    }
  });
}

const stopped = z.object({
  type: z.literal("event_callback"),
  team_id: z.string(),
  event: z.object({
    type: z.literal("agent_session_stopped"),
    channel: z.string(),
    user: z.string(),
    thread_ts: z.string(),
  }),
});

/**
 * Stops what runs in a thread of the workspace that has the app, when a person pressed Slack's own stop button. The stop is durable when it
 * resolves; rejects when it could not be recorded, so that Slack sends the event again.
 */
export async function stopSession(
  body: unknown,
  installed: string | undefined,
  parts: StopDeps,
): Promise<void> {
  const parsed = stopped.safeParse(body);
  if (!parsed.success) return;
  const { team_id: told, event } = parsed.data;
  const team = installed ?? told;
  const { channel, user, thread_ts: thread } = event;
  const turns = await parts.core.conversation(await parts.conversation(team, channel, thread));
  const running = turns.filter(({ state }) => state === "queued" || state === "running");
  const actor = actorOf(told, user);
  const stops = await Promise.all(running.map(({ id }) => parts.core.stop(id, actor)));
  // Slack leaves it to the app to say that the session is at rest; a turn that ends says so itself.
  if (!stops.some((stop) => stop.stopped)) parts.sessions.rest({ team, channel, thread });
}

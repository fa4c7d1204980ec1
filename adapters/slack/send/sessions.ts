import type { TurnView } from "#contract/present.ts";
import { oneLine } from "#src/base/text.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { readId } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import type { CallBudget } from "./budget.ts";
import { slackError, SlackRefusal } from "./refusal.ts";

/** https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
type Status = "processing" | "suspended" | "active";

interface Thread {
  team: string;
  channel: string;
  thread: string;
}

/** A thread that the bot works in, as Slack's agent view lists it. */
interface Session extends Thread {
  wanted: Status;
  said?: Status;
  isTelling: boolean;
  /** This process showed a turn of it at work, and so knows what was told. */
  isKnown: boolean;
  timer?: NodeJS.Timeout;
}

export interface Sessions {
  /** Tells Slack whether the bot is at work in the thread; never rejects, as nothing depends on it. */
  shown(at: Thread, view: TurnView): void;
  /** The thread is at rest: somebody stopped what there was, or there was nothing. */
  rest(at: Thread): void;
  stop(): void;
}

/** A turn in a channel that ends sooner is not worth two calls; in a direct message it gives the title. */
const NOTED_AFTER_MS = 1_000;
/** In a rush the stop buttons of channels are given up: each message has one of its own. */
const MOST_WAITING = 20;
const MOST_TRIES = 5;
const TITLE = 200;
/** Of more threads than this those at rest are forgotten. */
const KEPT = 2000;

export function createSessions({
  client: clientOf,
  budget,
  log,
}: {
  client: ClientOf;
  budget: Pick<CallBudget, "run">;
  log: Pick<ChatLog, "warn">;
}): Sessions {
  const sessions = new Map<string, Session>();
  /** How many wait for room, by workspace. */
  const telling = new Map<string, number>();

  function sessionOf(at: Thread): Session {
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

function statusOf(view: TurnView): Status {
  if (!view.isSettled) return "processing";
  return view.approvals.some(({ state }) => state === "pending" || state === "unknown")
    ? "suspended"
    : "active";
}

function titleOf({ message, actor }: TurnView): string {
  return oneLine(message, TITLE) || `Asked by ${readId(actor)?.local ?? "somebody"}`;
}

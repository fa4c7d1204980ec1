import { setImmediate } from "node:timers/promises";

import type { MessagePort, MessageRef, Notice, Place, TurnView } from "#contract/present.ts";

interface PlatformCall {
  kind: "post" | "edit" | "find" | "notify";
  turnId: string;
  /** Absent for `find`. */
  view?: TurnView;
  /** When it was made, in milliseconds of the process. */
  at: number;
}

/** A message on the platform: every state that it has had, the newest last. */
interface PostedMessage {
  ts: string;
  turnId: string;
  place: Place;
  views: TurnView[];
}

/** A chat platform as the presenter knows it, shared by all processes of a test. */
export interface Platform {
  port(): MessagePort;
  messages: PostedMessage[];
  /** One for each time that a message was posted that tells people of requests. */
  notices: Notice[];
  calls: PlatformCall[];
  /** Runs before the platform does what is asked; rejecting refuses it. */
  before: (call: PlatformCall) => Promise<void> | void;
  /** Runs when it is done, before the answer; rejecting loses the answer. */
  after: (call: PlatformCall) => Promise<void> | void;
  /** The most calls at once: in all, and for one message. */
  most: { all: number; message: number };
  /** The message of a turn; fails when there is none or more than one. */
  of(turnId: string): PostedMessage;
  /** What the message of the turn shows now. */
  shown(turnId: string): TurnView | undefined;
  /** Resolves as soon as `check` holds, looked at after every call. */
  until(check: () => boolean): Promise<void>;
}

export function createPlatform(): Platform {
  const watchers = new Set<() => void>();
  const busy = new Map<string, number>();
  let all = 0;

  async function answer<Result>(call: PlatformCall, work: () => Result): Promise<Result> {
    const { turnId } = call;
    all += 1;
    busy.set(turnId, (busy.get(turnId) ?? 0) + 1);
    platform.most.all = Math.max(platform.most.all, all);
    platform.most.message = Math.max(platform.most.message, busy.get(turnId) ?? 0);
    platform.calls.push(call);
    tell();
    try {
      // As over a network, no answer comes at once.
      await setImmediate();
      await platform.before(call);
      const result = work();
      tell();
      await platform.after(call);
      return result;
    } finally {
      all -= 1;
      busy.set(turnId, (busy.get(turnId) ?? 1) - 1);
      tell();
    }
  }

  function tell(): void {
    for (const watcher of watchers) watcher();
  }

  const platform: Platform = {
    messages: [],
    notices: [],
    calls: [],
    before: () => undefined,
    after: () => undefined,
    most: { all: 0, message: 0 },

    port: () => ({
      surface: "slack",
      statusDelayMs: () => 0,
      post: (place, view) =>
        answer({ kind: "post", turnId: view.turnId, view, at: performance.now() }, () => {
          const ts = String(platform.messages.length + 1);
          platform.messages.push({ ts, turnId: view.turnId, place, views: [view] });
          return { ts } satisfies MessageRef;
        }),
      edit: (ref, view) =>
        answer({ kind: "edit", turnId: view.turnId, view, at: performance.now() }, () => {
          const message = platform.messages.find((one) => one.ts === ref.ts);
          if (message === undefined) throw new Error(`there is no message ${JSON.stringify(ref)}`);
          message.views.push(view);
        }),
      notify: (notice) =>
        answer({ kind: "notify", turnId: notice.approvals[0]?.turnId ?? "", at: performance.now() }, () => {
          if (notice.mayBePosted && platform.notices.some(({ id }) => id === notice.id)) return;
          platform.notices.push(notice);
        }),
      find: (_, turnId) =>
        answer({ kind: "find", turnId, at: performance.now() }, () => {
          const message = platform.messages.find((one) => one.turnId === turnId);
          return message === undefined ? undefined : { ts: message.ts };
        }),
    }),

    of(turnId) {
      const found = platform.messages.filter((message) => message.turnId === turnId);
      const [only] = found;
      if (only === undefined || found.length > 1) throw new Error(`${turnId} has ${found.length} messages`);
      return only;
    },

    shown: (turnId) => platform.messages.find((message) => message.turnId === turnId)?.views.at(-1),

    until: (check) =>
      new Promise((resolve) => {
        const watcher = (): void => {
          if (!check()) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
      }),
  };
  return platform;
}

/** The calls that made or changed messages of a turn, in order. */
export function shownPhases(platform: Platform, turnId: string): string[] {
  return platform.calls
    .filter((call) => call.turnId === turnId && call.view !== undefined)
    .map((call) => `${call.kind} ${call.view?.phase}`);
}

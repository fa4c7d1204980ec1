import type { Clock } from "./clock.ts";
import type { Fields } from "./types.ts";

export type DeliveryKind = "events_api" | "interactive" | "slash_commands";

export interface Outgoing {
  kind: DeliveryKind;
  payload: Fields;
}

/** What became of one attempt. `reason` is Slack's word for a failure. */
export type Outcome =
  | { ok: true; response: Fields | string | undefined }
  | { ok: false; reason: string; noRetry?: boolean };

/** Socket Mode or HTTP. */
export interface Transport {
  /** `retry` counts from 0. Must not reject. */
  send(outgoing: Outgoing, retry: number, reason: string | undefined): Promise<Outcome>;
}

export interface Attempt {
  at: number;
  outcome: Outcome;
}

/** One payload on its way, with all attempts to bring it. */
export interface Delivery extends Outgoing {
  /** Slack's event id; undefined for clicks and commands. */
  eventId: string | undefined;
  attempts: Attempt[];
  state: "waiting" | "acknowledged" | "given up";
}

export interface Faults {
  /** Each event from now on arrives this many times, with the same event id. Once is usual. */
  duplicate: (times: number) => void;
  /** Everything from now on arrives this much later. */
  delay: (ms: number) => void;
  /** Holds this many payloads back and lets them go in opposite order, over and over. 0 ends it and lets go. */
  reorder: (count: number) => void;
  /** Sends an event once more, as it was. Resolves with what the app answered. */
  replay: (eventId: string) => Promise<Outcome>;
  /** Sends any payload once more, as it was: a person who saw no answer presses again. */
  repeat: (delivery: Delivery) => Promise<Outcome>;
  /** No faults any more; what was held back goes. */
  calm: () => void;
}

export interface Deliveries extends Faults {
  all: Delivery[];
  /** Resolves when the payload is acknowledged or given up for good. */
  send: (outgoing: Outgoing, eventId?: string) => Promise<Outcome>;
  stop: () => void;
}

/** Slack tries again at once, after a minute and after five: https://docs.slack.dev/apis/events-api/#retries */
const RETRY_AFTER_MS = [0, 60_000, 300_000];

export function createDeliveries(
  transport: Transport,
  clock: Clock,
  speed: number,
  changed: () => void,
): Deliveries {
  const all: Delivery[] = [];
  const timers = new Set<() => void>();
  let stopped = false;
  let times = 1;
  let delayMs = 0;
  let batch = 0;
  let held: (() => void)[] = [];

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (ms === 0) return resolve();
      const cancel = clock.after(ms, () => {
        timers.delete(cancel);
        resolve();
      });
      timers.add(cancel);
    });

  const release = (): void => {
    const waiting = held.toReversed();
    held = [];
    for (const go of waiting) go();
  };

  const turn = (): Promise<void> | undefined => {
    if (batch === 0) return undefined;
    return new Promise((resolve) => {
      held.push(resolve);
      // Later, when the last one waits like the others and does not fall behind them.
      if (held.length >= batch) setImmediate(release);
    });
  };

  const attempt = async (delivery: Delivery, retry: number, reason?: string): Promise<Outcome> => {
    const outcome = await transport.send(delivery, retry, reason);
    delivery.attempts.push({ at: clock.now(), outcome });
    if (outcome.ok) delivery.state = "acknowledged";
    // Whoever waits finds the timer of the next attempt set.
    setImmediate(changed);
    return outcome;
  };

  const bring = async (delivery: Delivery): Promise<Outcome> => {
    await turn();
    await pause(delayMs);
    let outcome = await attempt(delivery, 0);
    // Only events are tried again: a person who pressed a button sees the failure and presses again.
    const retries = delivery.kind === "events_api" ? RETRY_AFTER_MS : [];
    for (const [index, after] of retries.entries()) {
      if (outcome.ok || outcome.noRetry === true || stopped) break;
      await pause(after / speed);
      outcome = await attempt(delivery, index + 1, outcome.reason);
    }
    if (!outcome.ok) delivery.state = "given up";
    changed();
    return outcome;
  };

  return {
    all,
    async send(outgoing, eventId) {
      const delivery: Delivery = { ...outgoing, eventId, attempts: [], state: "waiting" };
      all.push(delivery);
      const copies = outgoing.kind === "events_api" ? times : 1;
      const outcomes = await Promise.all(Array.from({ length: copies }, () => bring(delivery)));
      return outcomes[0] ?? { ok: false, reason: "duplicate(0) swallows events" };
    },
    duplicate: (count) => void (times = count),
    delay: (ms) => void (delayMs = ms),
    reorder(count) {
      batch = count;
      if (held.length >= count) release();
    },
    async replay(eventId) {
      const delivery = all.find((candidate) => candidate.eventId === eventId);
      if (delivery === undefined)
        throw new Error(`expected the id of an event that was sent, got "${eventId}"`);
      return attempt(delivery, 0);
    },
    repeat: (delivery) => attempt(delivery, 0),
    calm() {
      times = 1;
      delayMs = 0;
      batch = 0;
      release();
    },
    stop() {
      stopped = true;
      for (const cancel of timers) cancel();
    },
  };
}

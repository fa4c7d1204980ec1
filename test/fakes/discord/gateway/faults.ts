import type { Clock } from "../../slack/clock.ts";
import type { GatewayEvent } from "../types.ts";

export interface Faults {
  /** Each event from now on is dispatched this many times, with the same content. Once is usual. */
  duplicate: (times: number) => void;
  /** Every event from now on comes this much later. */
  delay: (ms: number) => void;
  /** Holds this many events back and lets them go in opposite order, over and over. 0 ends it and lets go. */
  reorder: (count: number) => void;
  /** No faults any more; what was held back goes. */
  calm: () => void;
}

export interface FaultyLine extends Faults {
  send: (event: GatewayEvent) => void;
  stop: () => void;
}

/** The way of events to the clients, in which tests put faults. */
export function createFaults(clock: Clock, bring: (event: GatewayEvent) => void): FaultyLine {
  let times = 1;
  let delayMs = 0;
  let batch = 0;
  let held: GatewayEvent[] = [];
  const timers = new Set<() => void>();

  const later = (event: GatewayEvent): void => {
    const go = (): void => {
      for (let i = 0; i < times; i += 1) bring(event);
    };
    if (delayMs === 0) return go();
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      go();
    });
    timers.add(cancel);
  };
  const release = (): void => {
    const waiting = held.toReversed();
    held = [];
    waiting.forEach(later);
  };
  return {
    send(event) {
      if (batch === 0) return later(event);
      held.push(event);
      if (held.length >= batch) release();
    },
    duplicate: (count) => void (times = count),
    delay: (ms) => void (delayMs = ms),
    reorder(count) {
      batch = count;
      if (held.length >= count) release();
    },
    calm() {
      times = 1;
      delayMs = 0;
      batch = 0;
      release();
    },
    stop() {
      for (const cancel of timers) cancel();
    },
  };
}

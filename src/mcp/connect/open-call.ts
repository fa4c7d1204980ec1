import { AsyncLocalStorage } from "node:async_hooks";

import type { CallRequest } from "#contract/tool.ts";

/** A call under way on a connection, as far as what the server asks meanwhile needs it. */
export interface OpenCall {
  toolId: string;
  clock: CallClock;
  /** Aborts when the call ends, however it does. */
  readonly signal: AbortSignal;
  ask: CallRequest["ask"];
  sample: CallRequest["sample"];
}

/**
 * Which call a request of the server belongs to. The protocol does not say: over Streamable HTTP the
 * request comes on the stream of the call, and on the 2026-07-28 revision in its answer; both are
 * handled in the asynchronous context of the call. Over a pipe it can only be the one call under way.
 */
export interface OpenCalls {
  during<Result>(call: Omit<OpenCall, "signal">, work: () => Promise<Result>): Promise<Result>;
  /** Undefined when no call is under way, or several and nothing tells which. */
  current(): OpenCall | undefined;
  /** Ends all that are under way, and those that begin later at once. */
  end(): void;
}

export function createOpenCalls(): OpenCalls {
  const context = new AsyncLocalStorage<Open>();
  const open = new Set<Open>();
  let ended = false;
  return {
    async during(call, work) {
      const made = new Open(call);
      open.add(made);
      if (ended) call.clock.end();
      try {
        return await context.run(made, work);
      } finally {
        open.delete(made);
        made.end();
      }
    },
    current() {
      const own = context.getStore();
      // A stream may outlive its call: what comes on it then belongs to nobody.
      if (own !== undefined) return open.has(own) ? own : undefined;
      return open.size === 1 ? [...open][0] : undefined;
    },
    end() {
      ended = true;
      for (const { clock } of open) clock.end();
    },
  };
}

/** Hardly any call is asked something: the signal of its end is made for those that are. */
class Open implements OpenCall {
  readonly toolId: string;
  readonly clock: CallClock;
  readonly ask: CallRequest["ask"];
  readonly sample: CallRequest["sample"];
  #over: AbortController | undefined;
  #hasEnded = false;

  constructor({ toolId, clock, ask, sample }: Omit<OpenCall, "signal">) {
    this.toolId = toolId;
    this.clock = clock;
    this.ask = ask;
    this.sample = sample;
  }

  get signal(): AbortSignal {
    this.#over ??= new AbortController();
    if (this.#hasEnded) this.end();
    return this.#over.signal;
  }

  end(): void {
    this.#hasEnded = true;
    this.#over?.abort("the call has ended");
  }
}

/** Why a call ran out of time. */
export interface OutOfTime {
  limit: "idle" | "total";
  ms: number;
}

/** What ends one call before its answer: its time limits, and whatever else ends it. */
export interface CallClock {
  /** Aborts when the call is to end. */
  readonly signal: AbortSignal;
  /** Which limit ended it; undefined when something else did, or nothing yet. */
  outOfTime(): OutOfTime | undefined;
  /** Ends the call when this signal aborts as well. */
  heed(signal: AbortSignal): void;
  /** Ends the call now, which is no running out of time. */
  end(): void;
  /**
   * The server asks something in the middle of the call. False where it has asked too much: then the call is
   * ended, and nobody is asked.
   */
  admitQuestion(): boolean;
  /** Whether that ended it. */
  askedTooMuch(): boolean;
  /** The server gave a sign of life. */
  touch(): void;
  /** Whether it gave one, so that the call has reached it. */
  wasTouched(): boolean;
  /**
   * A person is waited for: neither limit counts until the returned function is called. Several may
   * be waited for at once.
   */
  hold(): () => void;
  /** The call has ended. */
  stop(): void;
}

/** Questions to people and to the model in one call. */
export const mostQuestions = 20;

export function startClock({ idleMs, totalMs }: { idleMs: number; totalMs: number }): CallClock {
  const over = new AbortController();
  // Not AbortSignal.any: most of these signals live long, and each call would add to what they hold.
  const heeded: AbortSignal[] = [];
  let ending: OutOfTime | undefined;
  /** Milliseconds of the whole time that had not passed when it last began to count. */
  let left = totalMs;
  let runningSince = performance.now();
  let lastSign = runningSince;
  let wasTouched = false;
  let held = 0;
  let questions = 0;
  let timer: NodeJS.Timeout | undefined;

  function abort(): void {
    if (over.signal.aborted) return;
    unset();
    over.abort(new Error(ending === undefined ? "the call was stopped" : "the call is out of time"));
  }

  function unset(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function run(): void {
    runningSince = performance.now();
    lastSign = runningSince;
    timer = setTimeout(look, Math.max(Math.min(idleMs, left), 1));
  }

  /** One timer for both limits, set once: a sign of life only makes it look again later. */
  function look(): void {
    const now = performance.now();
    const idleLeft = lastSign + idleMs - now;
    const totalLeft = runningSince + left - now;
    const next = Math.min(idleLeft, totalLeft);
    // Timers count whole milliseconds and may be early by a part of one.
    if (next > 1) {
      timer = setTimeout(look, next);
      return;
    }
    ending = idleLeft <= totalLeft ? { limit: "idle", ms: idleMs } : { limit: "total", ms: totalMs };
    abort();
  }

  run();
  return {
    signal: over.signal,
    outOfTime: () => ending,
    heed(signal) {
      if (signal.aborted) return abort();
      heeded.push(signal);
      return signal.addEventListener("abort", abort, { once: true });
    },
    end: abort,
    admitQuestion() {
      questions += 1;
      if (questions > mostQuestions) abort();
      return questions <= mostQuestions;
    },
    askedTooMuch: () => questions > mostQuestions,
    touch() {
      wasTouched = true;
      lastSign = performance.now();
    },
    wasTouched: () => wasTouched,
    hold() {
      if (held === 0 && timer !== undefined) {
        left -= performance.now() - runningSince;
        unset();
      }
      held += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        if (held === 0 && !over.signal.aborted) run();
      };
    },
    stop() {
      // A hold that ends afterwards must not start it again.
      held += 1;
      unset();
      for (const signal of heeded) signal.removeEventListener("abort", abort);
      heeded.length = 0;
    },
  };
}

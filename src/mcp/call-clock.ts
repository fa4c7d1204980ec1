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

import { AsyncLocalStorage } from "node:async_hooks";

import type { CallRequest } from "#contract/tool.ts";

import type { CallClock } from "./call-clock.ts";

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

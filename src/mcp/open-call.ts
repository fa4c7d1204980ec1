import { AsyncLocalStorage } from "node:async_hooks";

import type { CallRequest } from "#contract/tool.ts";

import type { CallClock } from "./call-clock.ts";

/** A call under way on a connection, as far as what the server asks meanwhile needs it. */
export interface OpenCall {
  toolId: string;
  clock: CallClock;
  /** Aborts when the call ends, however it does. */
  signal: AbortSignal;
  ask: CallRequest["ask"];
  sample: CallRequest["sample"];
}

/**
 * Which call a request of the server belongs to. The protocol does not say: over Streamable HTTP the
 * request comes on the stream of the call, and on the 2026-07-28 revision in its answer; both are
 * handled in the asynchronous context of the call. Over a pipe it can only be the one call under way.
 */
export interface OpenCalls {
  during<Result>(call: OpenCall, work: () => Promise<Result>): Promise<Result>;
  /** Undefined when no call is under way, or several and nothing tells which. */
  current(): OpenCall | undefined;
}

export function createOpenCalls(): OpenCalls {
  const context = new AsyncLocalStorage<OpenCall>();
  const open = new Set<OpenCall>();
  return {
    async during(call, work) {
      open.add(call);
      try {
        return await context.run(call, work);
      } finally {
        open.delete(call);
      }
    },
    current() {
      const own = context.getStore();
      // A stream may outlive its call: what comes on it then belongs to nobody.
      if (own !== undefined) return open.has(own) ? own : undefined;
      return open.size === 1 ? [...open][0] : undefined;
    },
  };
}

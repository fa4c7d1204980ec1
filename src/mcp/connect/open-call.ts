import { AsyncLocalStorage } from "node:async_hooks";

import type { CallRequest, Tool } from "#contract/tool.ts";

import { compileGlob } from "../../base/tool-names.ts";
import type { McpServerConfig } from "../config.ts";
import { mostQuestions } from "../limits.ts";

/** A call under way on a connection, as far as what the server asks meanwhile needs it. */
export interface OpenCall {
  toolId: string;
  trace?: string | undefined;
  clock: CallClock;
  /** Aborts when the call ends, however it does. */
  readonly signal: AbortSignal;
  ask: CallRequest["ask"];
  sample: CallRequest["sample"];
  onProgress?: CallRequest["onProgress"];
}

/**
 * Tells which call a request of the server belongs to; the protocol does not. Over Streamable HTTP it comes on
 * the stream of the call, on the 2026-07-28 revision in its answer: both are handled in the asynchronous context
 * of the call. Over a pipe it can only be the one call under way.
 */
export class OpenCalls {
  readonly #context = new AsyncLocalStorage<Open>();
  readonly #open = new Set<Open>();
  #ended = false;

  async during<Result>(call: Omit<OpenCall, "signal">, work: () => Promise<Result>): Promise<Result> {
    const made: Open = { call };
    this.#open.add(made);
    if (this.#ended) call.clock.end();
    try {
      return await this.#context.run(made, work);
    } finally {
      this.#open.delete(made);
      made.over?.abort("the call has ended");
    }
  }

  /** Returns undefined when no call is under way, or several and nothing tells which. */
  current(): OpenCall | undefined {
    const own = this.#context.getStore() ?? (this.#open.size === 1 ? [...this.#open][0] : undefined);
    // A stream may outlive its call: what comes on it then belongs to nobody.
    if (own === undefined || !this.#open.has(own)) return undefined;
    own.over ??= new AbortController();
    return { ...own.call, signal: own.over.signal };
  }

  /**
   * The server gives a sign of life: of the call in whose context this is asked for, else of all that are under way.
   * Returns what notes it, now and later.
   */
  hearing(): () => void {
    const own = this.#context.getStore();
    if (own !== undefined) return () => own.call.clock.touch();
    return () => {
      for (const { call } of this.#open) call.clock.touch({ isOwn: false });
    };
  }

  /** The trace context of the call in whose context this is asked for. */
  trace(): string | undefined {
    return this.#context.getStore()?.call.trace;
  }

  /** Ends all that are under way, and those that begin later at once. */
  end(): void {
    this.#ended = true;
    for (const { call } of this.#open) call.clock.end();
  }
}

/** Hardly any call is asked something: the signal of its end is made for those that are. */
interface Open {
  call: Omit<OpenCall, "signal">;
  over?: AbortController;
}

/** A call that gives signs of life may last this many times its time limit. */
const patience = 20;

/** The longest duration of a tool's calls, in milliseconds, see McpServerConfig. */
export function totalsOf(
  configured: McpServerConfig["total_timeout_ms"],
  timeoutMs: number,
): (tool: Pick<Tool, "id" | "name">) => number {
  const usual = timeoutMs * patience;
  if (typeof configured !== "object") return () => configured ?? usual;
  const { default: others = usual, ...rules } = configured;
  const compiled = Object.entries(rules).map(([glob, ms]) => ({ fits: compileGlob(glob), ms }));
  return ({ id, name }) => compiled.find(({ fits }) => fits(name) || fits(id))?.ms ?? others;
}

/** How many times its limit a start may take in all, whatever the server writes meanwhile. */
const startPatience = 10;

/** For a launched server that is starting: `ms` is its longest silence. */
export function startClock(ms: number): CallClock {
  return new CallClock({ idleMs: ms, totalMs: ms * startPatience });
}

/** What ends one call before its answer: its time limits in milliseconds, and whatever else ends it. */
export class CallClock {
  readonly #idleMs: number;
  readonly #totalMs: number;
  readonly #over = new AbortController();
  // Not AbortSignal.any: most of these signals live long, and each call would add to what they hold.
  readonly #heeded: AbortSignal[] = [];
  #exceeded: { limit: "idle" | "total"; ms: number } | undefined;
  /** Milliseconds of the whole time that had not passed when it last began to count. */
  #left: number;
  #runningSince = 0;
  #lastSign = 0;
  #wasTouched = false;
  #held = 0;
  #questions = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `idleMs`: the longest silence, `totalMs`: the longest duration. */
  constructor({ idleMs, totalMs }: { idleMs: number; totalMs: number }) {
    this.#idleMs = idleMs;
    this.#totalMs = totalMs;
    this.#left = totalMs;
    this.#run();
  }

  /** Aborts when the call is to end. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Which limit ended the call; undefined when something else did, or nothing yet. */
  outOfTime(): { limit: "idle" | "total"; ms: number } | undefined {
    return this.#exceeded;
  }

  /** Ends the call when this signal aborts as well. */
  heed(signal: AbortSignal): void {
    if (signal.aborted) return this.end();
    this.#heeded.push(signal);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.end();

  /** Ends the call now, which is no running out of time. */
  end(): void {
    if (this.signal.aborted) return;
    this.#unset();
    this.#over.abort(
      new Error(this.#exceeded === undefined ? "the call was stopped" : "the call is out of time"),
    );
  }

  /** The server asks something in the middle of the call. Returns false, and ends the call, where it has asked too much. */
  admitQuestion(): boolean {
    this.#questions += 1;
    if (this.askedTooMuch()) this.end();
    return !this.askedTooMuch();
  }

  askedTooMuch(): boolean {
    return this.#questions > mostQuestions;
  }

  /** The server gave a sign of life; where that is not `isOwn`, it need not have heard of the call. */
  touch({ isOwn } = { isOwn: true }): void {
    this.#wasTouched ||= isOwn;
    this.#lastSign = performance.now();
  }

  /** Whether the server gave one, so that the call has reached it. */
  wasTouched(): boolean {
    return this.#wasTouched;
  }

  /**
   * A person is waited for: neither limit counts until the returned function is called. Several may
   * be waited for at once.
   */
  hold(): () => void {
    if (this.#held === 0 && this.#timer !== undefined) {
      this.#left -= performance.now() - this.#runningSince;
      this.#unset();
    }
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      if (this.#held === 0 && !this.signal.aborted) this.#run();
    };
  }

  /** The call has ended. */
  stop(): void {
    // A hold that ends afterwards must not start it again.
    this.#held += 1;
    this.#unset();
    for (const signal of this.#heeded) signal.removeEventListener("abort", this.#onAbort);
    this.#heeded.length = 0;
  }

  #run(): void {
    this.#runningSince = performance.now();
    this.#lastSign = this.#runningSince;
    this.#wakeIn(Math.max(Math.min(this.#idleMs, this.#left), 1));
  }

  #wakeIn(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #unset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer for both limits, set once: a sign of life only makes it look again later. */
  #look(): void {
    const now = performance.now();
    const idleLeft = this.#lastSign + this.#idleMs - now;
    const totalLeft = this.#runningSince + this.#left - now;
    const next = Math.min(idleLeft, totalLeft);
    // Timers count whole milliseconds and may be early by a part of one.
    if (next > 1) return this.#wakeIn(next);
    const isIdle = idleLeft <= totalLeft;
    this.#exceeded = isIdle ? { limit: "idle", ms: this.#idleMs } : { limit: "total", ms: this.#totalMs };
    return this.end();
  }
}

import type { ServerStatus, Tool } from "#contract/tool.ts";

import { codeOf, messageOf } from "../../base/errors.ts";
import { backOff } from "../../base/time.ts";
import { toConnectError } from "../errors.ts";
import type { McpLog } from "../ports.ts";

/** Whether a server is there and what it offers; looks again by itself, sooner or later. */
export interface Discovery {
  status: () => ServerStatus;
  /** As listed at the last successful look, also while the server is down. */
  tools: () => Tool[];
  /** Looks now; resolves when that look has ended, whatever came of it. */
  look: () => Promise<void>;
  /** Looks soon, because the list may have changed. */
  changed(): void;
  /** Looks at once, because somebody's call failed; not while the circuit is open. */
  doubt(): void;
  /** The server or its connection ended by itself. */
  lost(why: string): void;
  /** A call brought a result. */
  worked(): void;
  /** Looks no more; resolves when a look under way has ended. */
  stop(): Promise<void>;
}

export interface DiscoveryOptions {
  server: string;
  log: McpLog;
  /** What it is until the first look has ended. */
  begin: "starting" | "connecting";
  /** Longest time of a look, in milliseconds, where its error does not say it. */
  limitMs: number;
  retry: { minMs: number; maxMs: number };
  /** Rejects when the server is not there, with `not_connected` where it waits for an account. */
  list: () => Promise<Tool[]>;
  /** After each look that found the server. */
  onUp: () => void;
  /** The tools or the status changed; must not throw. */
  onChange: () => void;
}

/** Losses that lie further apart than this do not add up to a longer back-off. */
const soundMs = 60_000;
/** Changes are looked at after this silence, no more often than `changeMs`, and at least each `stormMs`. */
const listChangedMs = 100;
const changeMs = 2_000;
const stormMs = 10_000;
/** Not all servers tell of changes: each is listed anew after this time. */
const refreshMs = 5 * 60_000;
/** Failures in a row that open the circuit. */
const breakerFailures = 5;

export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { server, log } = options;
  let tools: Tool[] = [];
  let state: Pick<ServerStatus, "status" | "error" | "note"> = { status: options.begin };
  let failures = 0;
  let lostAt = 0;
  let looking: Promise<void> | undefined;
  let isTrying = false;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = 0;
  let changeTimer: NodeJS.Timeout | undefined;
  /** The first and the last change that no look has been made for, and the last look that was. */
  let firstChangeAt = 0;
  let changedAt = 0;
  let changeSeenAt = 0;

  function look(): Promise<void> {
    if (stopped) return Promise.resolve();
    clearTimeout(timer);
    timer = undefined;
    // What is to be seen may have come too late for the look under way.
    again = looking !== undefined;
    looking ??= lookOnce().finally(() => {
      looking = undefined;
      if (again) schedule(listChangedMs);
    });
    return looking;
  }

  async function lookOnce(): Promise<void> {
    isTrying = true;
    try {
      tools = await options.list().finally(() => (isTrying = false));
    } catch (error) {
      if (stopped) return;
      if (codeOf(error) === "not_connected") waitsFor(messageOf(error));
      else isDown(error);
      return;
    }
    if (stopped) return;
    if (state.status !== "up") log.info({ server, tools: tools.length }, "server is up");
    if (Date.now() - lostAt > soundMs) failures = 0;
    setState({ status: "up" });
    schedule(refreshMs);
    options.onUp();
  }

  function isDown(reason: unknown): void {
    const { message: error } = toConnectError(reason, {
      server,
      timeoutMs: options.limitMs,
      cancelled: false,
    });
    failures += 1;
    retryLater(error, "server is down");
    setState({ status: "retrying", error });
  }

  function retryLater(error: string, message: string): void {
    const delayMs = backOff(failures, options.retry);
    log.warn({ server, error, retryInMs: Math.round(delayMs) }, message);
    schedule(delayMs);
  }

  /** Looked at again as often as one that is down: an account may be connected at another replica. */
  function waitsFor(note: string): void {
    failures = 0;
    if (state.status !== "waiting") log.info({ server, for: note }, "server waits for an account");
    schedule(options.retry.maxMs);
    setState({ status: "waiting", note });
  }

  function setState(next: typeof state): void {
    state = next;
    options.onChange();
  }

  /** Plans the next look; the sooner of two plans counts. */
  function schedule(delayMs: number): void {
    const at = Date.now() + delayMs;
    if (stopped || (timer !== undefined && timerAt <= at)) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void look(), delayMs);
  }

  /** However many changes come, one look waits for them to end, and not for long. */
  function changed(): void {
    changedAt = Date.now();
    if (stopped || changeTimer !== undefined) return;
    firstChangeAt = changedAt;
    changeTimer = setTimeout(lookAtChange, listChangedMs);
  }

  function lookAtChange(): void {
    const now = Date.now();
    const quietAt = Math.min(changedAt + listChangedMs, firstChangeAt + stormMs);
    const due = Math.max(quietAt, changeSeenAt + changeMs);
    changeTimer = undefined;
    if (due > now) changeTimer = setTimeout(lookAtChange, due - now);
    else {
      changeSeenAt = now;
      void look();
    }
  }

  /** See ServerStatus.circuit. */
  function circuit(): Pick<ServerStatus, "circuit"> | undefined {
    if (state.status !== "retrying" || failures < breakerFailures) return undefined;
    if (isTrying) return { circuit: { state: "half_open", failures } };
    return { circuit: { state: "open", failures, ...(timer && { retryAt: timerAt }) } };
  }

  return {
    status: () => ({ name: server, tools: tools.length, ...state, ...circuit() }),
    tools: () => tools,
    look,
    changed,
    doubt() {
      // It has failed so often that trying is a burden of its own.
      if (circuit() === undefined) schedule(0);
    },
    lost(why) {
      if (stopped) return;
      failures = Date.now() - lostAt > soundMs ? 1 : failures + 1;
      lostAt = Date.now();
      // Soon, and later if that happens again and again.
      retryLater(why, "server connection lost");
    },
    worked() {
      failures = 0;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(changeTimer);
      await looking;
      setState({ status: "stopped" });
    },
  };
}

import DataLoader from "dataloader";
import pLimit from "p-limit";

import type { MessagePort, Presenter } from "#contract/present.ts";
import type { Turn, TurnRequest } from "#contract/turn.ts";

import { messageOf } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import type { Redactor } from "../base/redact.ts";
import { HOUR_MS, sleep } from "../base/time.ts";
import { readAuditHead } from "../ledger/audit.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import type { TurnSignals } from "../turn/events.ts";
import { createLiveMessage, type LiveMessage, type LiveMessageDeps, type Pace } from "./live-message.ts";
import { Messages, type MessageRecord, PAGE } from "./messages.ts";
import { createNotices, type NoticeSettings } from "./notices.ts";
import {
  approvalsDigest,
  askedBefore,
  readNewestSeqs,
  readSnapshot,
  type Snapshot,
  toolsIn,
} from "./snapshot.ts";
import { toView } from "./view.ts";

export interface PresenterOptions {
  db: Db;
  kind: StoreKind;
  /**
   * Accepts a message as Core.submit does and wakes the queue; `also` writes in the same transaction,
   * see Inbox.accept.
   */
  accept: (
    request: TurnRequest,
    also: (tx: Tx, turnId: string) => Promise<void>,
  ) => Promise<{ turnId: string; duplicate: boolean }>;
  port: MessagePort;
  signals: Pick<TurnSignals, "watch" | "pollMs">;
  now: () => number;
  redactor: Redactor;
  /** Names this process in leases; no other process, and none before it, has the same. */
  worker: string;
  leaseMs: number;
  failPoint: FailPoint;
  log: { info: (data: object, message: string) => void; warn: (data: object, message: string) => void };
  /** How people of a channel are told of approvals; mentioned in the thread without it. */
  notices?: (channel: string) => NoticeSettings;
  /** See NoticesOptions. */
  gatherMs?: number;
  pace?: Partial<Pace>;
  /** How often decisions that were made elsewhere are looked for, in milliseconds. */
  pollMs?: number;
  /** How often leases are prolonged and those of dead processes looked for, in milliseconds. */
  sweepMs?: number;
  /** See LiveMessageDeps. */
  onCoalesced?: (events: number) => void;
}

const PACE: Pace = {
  minEditMs: 1_000,
  refreshMs: 15_000,
  retry: { minMs: 500, maxMs: 30_000 },
  giveUpMs: 24 * HOUR_MS,
};

/** Calls at once for messages that are taken up; new turns do not wait for them. */
const PARALLEL_TAKEN_UP = 8;

/** On Postgres questions for news of many turns are gathered for so long into one. */
const GATHER_MS = 20;

/** How often it is looked whether people are to be told of something. */
const NOTICE_MS = 2_000;

/** See Presenter. One for each surface and process; any number of processes share the messages of a database. */
export function createPresenter(options: PresenterOptions): Presenter {
  const { db, kind, port, now, log, leaseMs } = options;
  const { pollMs = 250, sweepMs = leaseMs / 3 } = options;
  const messages = new Messages({ ...options, surface: port.surface });
  const live = new Map<string, LiveMessage>();
  /** Turns whose message another process held when there was news of them. */
  const contended = new Set<string>();
  /** The tools of turns that have settled, until their message is let go. */
  const touched = new Map<string, ReadonlySet<string>>();
  const takenUp = pLimit(PARALLEL_TAKEN_UP);
  const over = new AbortController();
  const loops: Promise<void>[] = [];
  const batchScheduleFn = (run: () => void): void => void setTimeout(run, GATHER_MS);
  const loadNewest = (of: "all" | "answers"): DataLoader<string, number> =>
    new DataLoader(
      async (turnIds) => {
        const seqs = await readNewestSeqs(db, turnIds, of);
        return turnIds.map((turnId) => seqs.get(turnId) ?? 0);
      },
      { cache: false, maxBatchSize: 500, ...(kind === "postgres" ? { batchScheduleFn } : {}) },
    );
  const newest = { all: loadNewest("all"), answers: loadNewest("answers") };
  const deps: LiveMessageDeps = {
    port,
    messages,
    async read(turnId, before) {
      const snapshot = await readSnapshot(options, turnId, before);
      if (snapshot.view.isSettled) touched.set(turnId, toolsIn(snapshot.view));
      return snapshot;
    },
    newest: (turnId, of) => newest[of].load(turnId),
    signals: options.signals,
    now,
    failPoint: options.failPoint,
    onCoalesced: options.onCoalesced ?? (() => {}),
    log,
    pace: { ...PACE, ...options.pace },
  };

  function begin(record: MessageRecord, first?: Snapshot): LiveMessage {
    const { turnId } = record;
    const message = createLiveMessage(deps, {
      record,
      leasedUntil: now() + leaseMs,
      ...(first === undefined ? {} : { first }),
      gate: first === undefined ? (call) => takenUp(call) : (call) => call(),
    });
    live.set(turnId, message);
    void message.ended.then((hasNews) => {
      live.delete(turnId);
      const tools = touched.get(turnId);
      touched.delete(turnId);
      if (tools !== undefined) void endQuestions(turnId, tools);
      // Told of while the message was let go; what cannot be compared now the next sweep compares.
      if (hasNews && !over.signal.aborted) void repair([turnId]).catch(() => contended.add(turnId));
    });
    return message;
  }

  /** Takes up messages that nobody holds; the others are looked at again later. */
  async function takeUp(turnIds: readonly string[], fromAnybody = false): Promise<LiveMessage[]> {
    const free = turnIds.filter((turnId) => !live.has(turnId));
    if (over.signal.aborted) return [];
    const records = await messages.claim(free, fromAnybody);
    for (const turnId of free) contended.add(turnId);
    for (const { turnId } of records) contended.delete(turnId);
    return records.map((record) => begin(record));
  }

  /** Wakes those that are shown here now; returns the others. */
  function wakeLive(turnIds: readonly string[]): string[] {
    return turnIds.filter((turnId) => {
      contended.delete(turnId);
      live.get(turnId)?.wake();
      return !live.has(turnId);
    });
  }

  /** Takes up those of the messages that do not show their turn as it is. */
  async function repair(turnIds: readonly string[]): Promise<LiveMessage[]> {
    return takeUp(await messages.outdated(wakeLive(turnIds)));
  }

  /** What earlier turns asked for may be answered by this one: their messages show no button for it any more. */
  async function endQuestions(turnId: string, tools: ReadonlySet<string>): Promise<void> {
    if (over.signal.aborted) return;
    try {
      const asked = await askedBefore(db, turnId, tools);
      for (const id of asked) live.get(id)?.wake();
      await takeUp(asked);
    } catch (error) {
      const about = { turn: turnId, error: messageOf(error) };
      log.warn(about, "the button of a question that was answered may still be there");
    }
  }

  async function inPages(
    turnIds: readonly string[],
    work: (page: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    for (let at = 0; at < turnIds.length; at += PAGE) await work(turnIds.slice(at, at + PAGE));
  }

  /** Whatever happens to a request is in the audit chain, in the order of the commits. */
  async function followLedger(from: number): Promise<void> {
    let seen = from;
    await repeat(pollMs, "decisions could not be looked for", async () => {
      const { seq } = await readAuditHead(db);
      if (seq <= seen) return;
      // Not compared first: a message that is taken up reads the request itself, and most have news.
      await inPages(await messages.toldOf(seen, seq), (page) => takeUp(wakeLive(page)));
      seen = seq;
    });
  }

  async function keepLeases(): Promise<void> {
    await repeat(sweepMs, "leases could not be prolonged", async () => {
      const held = [...live];
      const until = now() + leaseMs;
      const renewed = await messages.renew(held.map(([turnId]) => turnId));
      for (const [turnId, message] of held) {
        if (renewed.has(turnId)) message.renewed(until);
        // Another process has taken it, and what that one shows is newer; or it was let go meanwhile.
        else message.end();
      }
    });
  }

  /** A page at a time, so that a long list neither floods the platform nor keeps the store busy. */
  async function recover(): Promise<void> {
    // The embedded store has one process: whoever else held a message is gone.
    let isAlone = kind === "sqlite";
    let checked: string | undefined = "";
    await repeat(sweepMs, "unfinished messages could not be taken up", async () => {
      let count = 0;
      for (;;) {
        const turnIds = await messages.abandoned(isAlone);
        const taken = await takeUp(turnIds, isAlone);
        count += taken.length;
        await Promise.all(taken.map((message) => message.tried));
        if (turnIds.length < PAGE || over.signal.aborted) break;
      }
      isAlone = false;
      // Once: cards that were decided, expired or replaced while no process was there.
      while (checked !== undefined && !over.signal.aborted) {
        const turnIds: string[] = await messages.settledAfter(checked);
        const taken = await repair(turnIds);
        count += taken.length;
        await Promise.all(taken.map((message) => message.tried));
        checked = turnIds.at(-1);
      }
      if (count > 0) log.info({ surface: port.surface, messages: count }, "unfinished messages taken up");
      await inPages([...contended], repair);
    });
  }

  /** Does the work now and then every `ms`; what fails is tried again the next time. */
  async function repeat(ms: number, failure: string, work: () => Promise<void>): Promise<void> {
    while (!over.signal.aborted) {
      try {
        await work();
      } catch (error) {
        log.warn({ surface: port.surface, error: messageOf(error) }, `${failure}, will be tried again`);
      }
      await sleep(ms, over.signal);
    }
  }

  const notices = createNotices({
    ...options,
    settings: options.notices ?? (() => ({ notify: "mention" })),
  });

  async function tellPeople(): Promise<void> {
    // The embedded store has one process: whoever else was about to tell something is gone.
    let isAlone = kind === "sqlite";
    await repeat(Math.min(sweepMs, NOTICE_MS), "people could not be told of approvals", async () => {
      await notices.look(isAlone);
      isAlone = false;
    });
    await notices.settled();
  }

  return {
    async submit(request, place) {
      const accepted = await options.accept(request, (tx, turnId) =>
        messages.insert(tx, turnId, place, over.signal.aborted),
      );
      if (!accepted.duplicate && !over.signal.aborted) {
        begin({ turnId: accepted.turnId, place }, firstSnapshot(accepted.turnId, request, now()));
        if (request.call !== undefined) void endQuestions(accepted.turnId, new Set([request.call.tool]));
      }
      return accepted;
    },

    async start() {
      // Read before anything is compared, so that no decision falls between the two.
      const { seq } = await readAuditHead(db);
      loops.push(followLedger(seq), keepLeases(), recover(), tellPeople());
    },

    async stop() {
      over.abort();
      for (const message of live.values()) message.end();
      await Promise.all([...loops, ...[...live.values()].map((message) => message.ended)]);
      await messages.handOver();
    },
  };
}

/** What there is to show of a message that was just accepted. */
function firstSnapshot(turnId: string, request: TurnRequest, at: number): Snapshot {
  const { surface, actor, conversationId, channel, message } = request;
  const asked = { id: turnId, surface, actor, conversationId, channel, message };
  const turn: Turn = { ...asked, state: "queued", createdAt: at, updatedAt: at };
  const view = toView({ turn, events: [], approvals: [], now: at });
  return { view, seq: 0, events: [], approvals: approvalsDigest([]), isFinal: false };
}

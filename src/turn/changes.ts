import { sql } from "kysely";

import type { Core } from "#contract/core.ts";
import type { Change } from "#contract/conversation.ts";

import { isObject, parseJson } from "../base/json.ts";
import { sleep } from "../base/time.ts";
import { readAuditHead } from "../ledger/audit.ts";
import type { Db } from "../store/schema.ts";

/** Tells of changes that are no events of a turn, on whichever replica they were made. */
export interface Changes {
  /** See Core.onChange. */
  onChange(listener: () => void): () => void;
  /** See Core.changes. */
  follow: Core["changes"];
  /** Something was recorded in this process: looks at once. */
  wake(): void;
  close(): Promise<void>;
}

export interface ChangesOptions {
  db: Db;
  /** How often the audit chain is looked at while somebody listens, in milliseconds. */
  pollMs: number;
  /** What else is told when it becomes another. Resolves to a digest of it; must not reject. */
  health: () => Promise<string>;
  log: { warn: (data: object, message: string) => void };
}

/** Entries that are read at once; whoever is further behind is told to look at everything. */
const MOST = 500;
/** Between two looks, so that a burst is told as one. */
const REST_MS = 40;

interface Entry {
  seq: number;
  kind: string;
  change: Change | undefined;
}

/** Whatever changes is in the audit chain, in the order of the commits: one look serves all who listen. */
export function createChanges({ db, pollMs, health, log }: ChangesOptions): Changes {
  const listeners = new Set<() => void>();
  const followers = new Set<() => void>();
  /** The newest entries that a look found, oldest first. */
  let recent: Entry[] = [];
  /** Entries after this one are in `recent`, up to `seen`. */
  let kept = 0;
  let seen: number | undefined;
  let state = "";
  let ended = new AbortController();
  let looking: Promise<void> = Promise.resolve();
  let rest = new AbortController();
  const closed = new AbortController();

  async function look(): Promise<void> {
    try {
      const { seq } = await readAuditHead(db);
      const from = seen ?? seq;
      const isFirst = seen === undefined;
      if (isFirst) kept = seq;
      const entries = seq > from ? await readEntries(db, from, seq) : [];
      seen = seq;
      if (entries.length === MOST) kept = (entries[0]?.seq ?? seq) - 1;
      recent = [...recent, ...entries].slice(-MOST);
      if (recent.length === MOST) kept = Math.max(kept, (recent[0]?.seq ?? seq) - 1);
      if (entries.some(({ kind }) => isForListeners(kind))) for (const listener of listeners) listener();
      // Before the first look somebody may have read less than there is by now.
      if (isFirst || seq > from) for (const wake of followers) wake();
    } catch (error) {
      log.warn({ error }, "changes could not be looked for, will be tried again");
    }
  }

  async function lookAtHealth(): Promise<void> {
    const before = state;
    state = await health();
    if (before !== state) for (const wake of followers) wake();
  }

  async function lookOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      rest = new AbortController();
      await look();
      if (followers.size > 0) await lookAtHealth();
      await sleep(REST_MS, signal);
      await sleep(pollMs, AbortSignal.any([signal, rest.signal]));
    }
    // What happens while nobody looks is read from the store by whoever comes next.
    seen = undefined;
    recent = [];
  }

  /** Looks as long as somebody is in one of the sets. */
  function join(set: Set<() => void>, one: () => void): () => void {
    set.add(one);
    if (listeners.size + followers.size === 1) {
      const { signal } = (ended = new AbortController());
      looking = looking.then(() => lookOn(signal));
    }
    return () => {
      if (set.delete(one) && listeners.size + followers.size === 0) ended.abort();
    };
  }

  async function entriesAfter(at: number): Promise<Entry[]> {
    if (seen !== undefined && at >= kept && at <= seen) return recent.filter(({ seq }) => seq > at);
    const { seq } = await readAuditHead(db);
    return seq > at ? readEntries(db, at, seq) : [];
  }

  return {
    onChange: (listener) => join(listeners, listener),
    async *follow({ after, signal }) {
      let at = after;
      let known = state;
      let news = Promise.withResolvers<void>();
      const wake = (): void => news.resolve();
      const leave = join(followers, wake);
      signal.addEventListener("abort", wake, { once: true });
      try {
        while (!signal.aborted && !closed.signal.aborted) {
          const entries = await entriesAfter(at);
          // Of more than are read at once the oldest are missing.
          const isComplete = entries.length < MOST || entries[0]?.seq === at + 1;
          at = entries.at(-1)?.seq ?? at;
          const changes = merged(entries);
          const isHealthNew = known !== state;
          known = state;
          if (changes.length > 0 || !isComplete || isHealthNew)
            yield { seq: at, changes, isComplete, isHealthNew };
          await news.promise;
          news = Promise.withResolvers<void>();
        }
      } finally {
        signal.removeEventListener("abort", wake);
        leave();
      }
    },
    // With a reason, as making the usual one costs more than all the rest.
    wake: () => rest.abort("news"),
    async close() {
      closed.abort();
      listeners.clear();
      for (const wake of followers) wake();
      followers.clear();
      ended.abort();
      await looking;
    },
  };
}

function isForListeners(kind: string): boolean {
  return kind.startsWith("approval.") || kind === "privacy.set";
}

/** The newest entries of a span, oldest first, with the conversations they belong to. */
async function readEntries(db: Db, after: number, upTo: number): Promise<Entry[]> {
  const rows = await db
    .selectFrom("audit")
    .leftJoin("turns", "turns.id", "audit.turn_id")
    .leftJoin("approvals", "approvals.id", "audit.approval_id")
    .select([
      "audit.seq",
      "audit.kind",
      "audit.approval_id",
      "turns.id as turn_id",
      "turns.conversation_id",
      "approvals.conversation_id as approval_conversation",
      sql<string | null>`case when audit.kind like 'conversation.%' then audit.data end`.as("data"),
    ])
    .where("audit.seq", ">", after)
    .where("audit.seq", "<=", upTo)
    .orderBy("audit.seq", "desc")
    .limit(MOST)
    .execute();
  return rows.toReversed().map((row) => {
    const { seq, kind, turn_id: turnId, approval_id: approvalId, data } = row;
    const whole = data === null ? undefined : wholeConversation(kind, data);
    const conversationId = row.conversation_id ?? row.approval_conversation;
    const change: Change | undefined =
      whole ??
      (conversationId === null
        ? undefined
        : {
            kind: kind.startsWith("grant.") ? "grants" : "turn",
            conversationId,
            ...(turnId === null ? {} : { turnId }),
            ...(approvalId === null ? {} : { approvalId }),
          });
    return { seq, kind, change };
  });
}

/** A conversation that was renamed or deleted, as the entry's own data names it. */
function wholeConversation(kind: string, data: string): Change | undefined {
  const entry = parseJson(data);
  const told = isObject(entry) ? entry["redacted"] : undefined;
  if (!isObject(told) || typeof told["conversation"] !== "string") return undefined;
  const { conversation, people } = told;
  return {
    kind: kind === "conversation.deleted" ? "deleted" : "renamed",
    conversationId: conversation,
    ...(Array.isArray(people) ? { people: people.map(String) } : {}),
  };
}

function merged(entries: readonly Entry[]): Change[] {
  const all = new Map<string, Change>();
  for (const { change } of entries) {
    if (change === undefined) continue;
    const { kind, conversationId, turnId = "", approvalId } = change;
    const key = JSON.stringify([kind, conversationId, turnId]);
    // A request of the turn lets its approvers know as well.
    const known = all.get(key)?.approvalId;
    all.set(key, approvalId === undefined && known !== undefined ? { ...change, approvalId: known } : change);
  }
  return [...all.values()];
}

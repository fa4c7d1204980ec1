import pLimit from "p-limit";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Approval } from "#contract/approval.ts";
import type { MessagePort, MessageRef, NoticeKind, NotifyWay, Place } from "#contract/present.ts";

import { messageOf } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { type QuietHours, quietUntil } from "../base/quiet-hours.ts";
import type { Redactor } from "../base/redact.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../base/time.ts";
import { maskApproval, withVotes } from "../ledger/rows.ts";
import type { Db } from "../store/schema.ts";
import { toRefusal } from "./live-message.ts";

/** How people of a channel are told. */
export interface NoticeSettings {
  notify: NotifyWay | "none";
  quietHours?: QuietHours;
}

export interface NoticesOptions {
  db: Db;
  port: MessagePort;
  redactor: Redactor;
  settings: (channel: string) => NoticeSettings;
  worker: string;
  leaseMs: number;
  now: () => number;
  failPoint: FailPoint;
  log: { warn: (data: object, message: string) => void };
  /** How long a thread has to be quiet before what happened in it is told, in milliseconds. */
  gatherMs?: number;
}

export interface Notices {
  /**
   * Begins to tell what is due; what people are told together is one job. `fromAnybody`: other holders are known
   * to be gone.
   */
  look(fromAnybody: boolean): Promise<void>;
  /** Resolves when nothing is being told. */
  settled(): Promise<void>;
}

/** What is due of one conversation and kind, or what a worker that is gone was about to tell. */
interface Job {
  first: string;
  ids: string[];
  kind: NoticeKind;
  channel: string;
  place: Place;
  ref: MessageRef;
  way: NotifyWay;
  isSilent: boolean;
  /** Another worker was about to post it. */
  mayBePosted: boolean;
}

/** How many rows one look takes: more than a flood of one thread. */
const PAGE = 300;
/** Calls at once, one for a channel: what is told never keeps answers waiting. */
const PARALLEL = 8;
/** A platform's rate limit may hold a notice back for longer than one lease, and it is not renewed. */
const LEASES = 12;
/** After a refusal without a time. */
const RETRY_MS = 5_000;
const GIVE_UP_MS = DAY_MS;
/** Many requests of a thread are told together; nobody waits longer than this for those that still come. */
const GATHER_MS = 2 * SECOND_MS;
const GATHER_MOST_MS = 30 * SECOND_MS;
/** Who asked so lately sees the card of what they decide alone. */
const WATCHED_MS = MINUTE_MS;

/**
 * Tells people what the ledger noted, each thing once: claimed by one worker under a lease, and asked for again
 * when that worker is gone.
 */
export function createNotices(options: NoticesOptions): Notices {
  const { db, port, now, log } = options;
  const { gatherMs = GATHER_MS } = options;
  const limit = pLimit(PARALLEL);
  /** By the first of what is told, until it is. */
  const running = new Map<string, Promise<void>>();
  /** The last of each channel. */
  const lines = new Map<string, Promise<void>>();

  /** One after the other in a channel. */
  function begin(job: Job, fromAnybody: boolean): void {
    const { first, channel } = job;
    if (running.has(first)) return;
    const before = lines.get(channel) ?? Promise.resolve();
    const work = before
      .then(() => limit(() => run(options, job, fromAnybody)))
      .catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, "a notice could not be looked at, will be tried again"),
      )
      .finally(() => {
        running.delete(first);
        if (lines.get(channel) === work) lines.delete(channel);
      });
    running.set(first, work);
    lines.set(channel, work);
  }

  async function look(fromAnybody: boolean): Promise<void> {
    if (port.notify === undefined) return;
    const at = now();
    const rows = await readDue(options, fromAnybody);
    const groups = Map.groupBy(rows, ({ group_id, conversation_id, kind }) =>
      group_id === null ? `${kind} ${conversation_id}` : `group ${group_id}`,
    );
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      if (first.group_id === null) await tell(group, at, fromAnybody);
      else begin({ ...jobOf(group, first.group_id), mayBePosted: true }, fromAnybody);
    }
  }

  /** What waits of one thread. */
  async function tell(group: readonly DueRow[], at: number, fromAnybody: boolean): Promise<void> {
    const oldest = Math.min(...group.map((row) => row.due_at));
    const newest = Math.max(...group.map((row) => row.due_at));
    const shown = group.filter((row) => row.ref !== null);
    const mayComeMore = newest > at - gatherMs || shown.length < group.length;
    const [first] = shown;
    if (first === undefined || (mayComeMore && oldest > at - Math.max(gatherMs, GATHER_MOST_MS))) return;
    const { notify, quietHours } = options.settings(first.channel);
    const idle = shown.filter((row) => isIdle(row, notify));
    await end(db, ids(idle), "moot");
    const until = quietHours === undefined ? undefined : quietUntil(quietHours, at);
    const told = shown.filter((row) => !idle.includes(row));
    const urgent =
      until === undefined ? told : told.filter((row) => row.kind !== "outcome" && row.expires_at <= until);
    if (until !== undefined) {
      await db
        .updateTable("notices")
        .set({ due_at: until })
        .where("id", "in", [...ids(told.filter((row) => !urgent.includes(row))), ""])
        .where("state", "=", "waiting")
        .execute();
    }
    const [leader] = urgent;
    if (leader === undefined) return;
    begin({ ...jobOf(urgent, leader.id), isSilent: until !== undefined }, fromAnybody);
  }

  function jobOf(group: readonly DueRow[], first: string): Job {
    const [{ kind, channel, place, ref }] = group as [DueRow];
    const { notify } = options.settings(channel);
    return {
      first,
      ids: ids(group),
      kind: kind as NoticeKind,
      channel,
      place: JSON.parse(place) as Place,
      ref: JSON.parse(ref ?? "null") as MessageRef,
      // Reminders have a setting of their own.
      way: notify === "none" ? "mention" : notify,
      isSilent: false,
      mayBePosted: false,
    };
  }

  return {
    look,
    async settled() {
      await Promise.all(running.values());
    },
  };
}

type DueRow = Awaited<ReturnType<typeof readDue>>[number];

function ids(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** What waits, and the first of each group that a worker which is gone was about to tell, oldest first. */
async function readDue(options: NoticesOptions, fromAnybody: boolean) {
  const { db, port, now } = options;
  return db
    .selectFrom("notices")
    .innerJoin("messages", "messages.turn_id", "notices.turn_id")
    .innerJoin("approvals", "approvals.id", "notices.approval_id")
    .innerJoin("turns", "turns.id", "notices.turn_id")
    .select(["notices.id", "notices.kind", "notices.conversation_id", "notices.due_at", "notices.group_id"])
    .select(["messages.place", "messages.ref", "approvals.channel", "approvals.expires_at"])
    .select(["approvals.approvers", "approvals.requested_by", "approvals.created_at"])
    .select(["turns.created_at as said_at", "turns.stopped_by"])
    .where("messages.surface", "=", port.surface)
    .where((eb) =>
      eb.or([
        eb.and([eb("notices.state", "=", "waiting"), eb("notices.due_at", "<=", now())]),
        eb.and([eb("messages.ref", "is not", null), isAbandoned(options, fromAnybody)]),
      ]),
    )
    .orderBy("notices.due_at")
    .orderBy("notices.id")
    .limit(PAGE)
    .execute();
}

/** The first of a group that a worker which is gone was about to tell. */
function isAbandoned({ worker, now }: NoticesOptions, fromAnybody: boolean): RawBuilder<SqlBool> {
  const isLate = sql<SqlBool>`notices.lease_until <= ${now()}`;
  const isHeldElsewhere = fromAnybody ? sql<SqlBool>`notices.lease_owner <> ${worker}` : sql.lit(false);
  return sql<SqlBool>`notices.state = 'showing' and notices.group_id = notices.id and (${isLate} or ${isHeldElsewhere})`;
}

/** Nobody is to be told: by the settings, as nobody is named, or as they see it already. */
function isIdle(row: DueRow, notify: NoticeSettings["notify"]): boolean {
  const { kind, approvers, requested_by, stopped_by, created_at, said_at } = row;
  if (kind === "reminder") return false;
  if (notify === "none") return true;
  if (kind === "outcome") return stopped_by === requested_by;
  const all = JSON.parse(approvers) as string[];
  if (notify !== "channel" && all.every((one) => one === "channel")) return true;
  const isOwn = all.every((one) => one === "requester" || one === requested_by);
  return isOwn && created_at - said_at <= WATCHED_MS;
}

async function run(options: NoticesOptions, job: Job, fromAnybody: boolean): Promise<void> {
  const { db, port, now, failPoint, log } = options;
  if (!(await claim(options, job, fromAnybody))) return;
  const { first: id, kind, way, place, ref, isSilent, mayBePosted } = job;
  const rows = await db
    .selectFrom("notices")
    .select(["id", "approval_id", "outcome", "created_at"])
    .where("group_id", "=", id)
    .execute();
  const close = (state: string): Promise<unknown> => end(db, ids(rows), state);
  try {
    const approvals = await readTold(options, rows);
    // Decided meanwhile, or settled: there is nothing to tell any more.
    if (approvals.length === 0) return void (await close("moot"));
    await port.notify?.({ id, kind, way, place, ref, approvals, isSilent, mayBePosted });
    failPoint("notice.posted");
    await close("shown");
  } catch (error) {
    const { kind: refusal, retryAfterMs } = toRefusal(error);
    const isOld = rows.every(({ created_at }) => created_at < now() - GIVE_UP_MS);
    // Without a time it is a failure; with one the platform is busy, which is no news.
    if (retryAfterMs === undefined)
      log.warn({ notice: id, error: messageOf(error) }, "people could not be told of an approval");
    if (refusal !== "later" || isOld) return void (await close("undeliverable"));
    const at = now() + (retryAfterMs ?? RETRY_MS);
    // With a time nothing was posted: it waits as it did.
    const isFree = retryAfterMs !== undefined && !mayBePosted;
    await db
      .updateTable("notices")
      .set(isFree ? { state: "waiting", group_id: null, due_at: at, lease_owner: null } : { lease_until: at })
      .where(isFree ? "group_id" : "id", "=", id)
      .where("state", "=", "showing")
      .execute();
  }
}

/**
 * Of several workers that saw it due, one gets it: whoever takes the first row; the others of the group follow it in
 * the same transaction.
 */
async function claim(options: NoticesOptions, job: Job, fromAnybody: boolean): Promise<boolean> {
  const { db, worker, leaseMs, now } = options;
  const lease = { lease_owner: worker, lease_until: now() + leaseMs * LEASES };
  return db.transaction().execute(async (tx) => {
    const taken = await tx
      .updateTable("notices")
      .set({ state: "showing", group_id: job.first, ...lease })
      .where("id", "=", job.first)
      .where((eb) => eb.or([eb("state", "=", "waiting"), isAbandoned(options, fromAnybody)]))
      .executeTakeFirst();
    if (taken.numUpdatedRows === 0n) return false;
    await tx
      .updateTable("notices")
      .set({ state: "showing", group_id: job.first })
      .where("id", "in", job.ids)
      .where("state", "=", "waiting")
      .execute();
    return true;
  });
}

/** Each as it is to be told, oldest first: what waits still, and what ended as was noted. */
async function readTold(
  { db, redactor, now }: NoticesOptions,
  rows: readonly { approval_id: string; outcome: string | null }[],
): Promise<Approval[]> {
  const outcomes = new Map(rows.map((row) => [row.approval_id, row.outcome]));
  const found = await db
    .selectFrom("approvals")
    .selectAll()
    .where("id", "in", [...outcomes.keys()])
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const approvals = (await withVotes(db, found)).map((approval) => maskApproval(approval, redactor));
  return approvals.filter(({ id, state, expiresAt, replacedBy }) => {
    const outcome = outcomes.get(id) ?? undefined;
    if (outcome === undefined) return state === "pending" && expiresAt > now();
    // What took its place is asked about, and will end.
    return state === outcome && replacedBy === undefined;
  });
}

async function end(db: Db, which: readonly string[], state: string): Promise<void> {
  if (which.length === 0) return;
  await db
    .updateTable("notices")
    .set({ state, lease_owner: null, lease_until: null })
    .where("id", "in", which)
    .execute();
}

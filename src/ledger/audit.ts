import type { AuditHead, AuditVerdict } from "#contract/audit.ts";
import type { JsonObject } from "#contract/json.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { canonicalJson, digest, digestOfText, isObject, parseJson, toWellFormed } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { DAY_MS, MINUTE_MS } from "../base/time.ts";
import { postBuilt } from "../store/built.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Row, Tx } from "../store/schema.ts";

/** The `prev` of the first entry. */
export const AUDIT_GENESIS: string = "0".repeat(64);

export interface AuditEntry {
  kind: string;
  turnId?: string;
  approvalId?: string;
  actor?: string;
  /** Kept in redacted form beside its digest. */
  data?: JsonObject;
}

/** An entry with its text; only its place in the chain is missing. */
export interface PreparedEntry extends Omit<AuditEntry, "data"> {
  text: string;
}

export interface AuditOptions {
  kind: StoreKind;
  redactor: Redactor;
  now: () => number;
}

/** Throws where the data has no canonical form, such as with lists nested deeper than any recursion goes. */
export function prepareEntry({ data, ...entry }: AuditEntry, redactor: Redactor): PreparedEntry {
  const whole = toWellFormed(data ?? {});
  const text = canonicalJson(whole);
  const masked = redactor.json(whole);
  // The canonical form of `{digest, redacted}`, with the data in canonical form once.
  const redacted = masked === whole ? text : canonicalJson(masked);
  return { ...entry, text: `{"digest":"${digestOfText(text)}","redacted":${redacted}}` };
}

/**
 * Appends entries to the hash chain, in the transaction that records the state they tell of; resolves to where it
 * ends then, for its only writer, which passes it as `known`. Postgres gives entries their place itself and holds
 * the chain until the transaction ends, so that replicas extend it one after the other (see migrations.ts).
 */
export async function appendAudit(
  tx: Tx,
  entries: readonly PreparedEntry[],
  { kind, now }: Pick<AuditOptions, "kind" | "now">,
  known?: AuditHead,
): Promise<AuditHead | undefined> {
  if (entries.length === 0) return known;
  const isPlaced = kind === "sqlite";
  let { seq, hash: prev } = isPlaced ? (known ?? (await readAuditHead(tx))) : unplaced;
  const rows = entries.map((entry): Row<"audit"> => {
    const { turnId = null, approvalId = null, actor = null, kind: what, text: data } = entry;
    const row = { seq, at: now(), kind: what, turn_id: turnId, approval_id: approvalId, actor, data, prev };
    if (!isPlaced) return { ...row, hash: "" };
    seq += 1;
    prev = hashAuditRow({ ...row, seq });
    return { ...row, seq, hash: prev };
  });
  await postBuilt(tx, "add audit", rows, (db, all) => db.insertInto("audit").values(all));
  return isPlaced ? { seq, hash: prev } : undefined;
}

const unplaced: AuditHead = { seq: 0, hash: "" };

/** The hash of an entry: `sha256` (hex) over the canonical JSON of all its other columns. */
export function hashAuditRow(row: Omit<Row<"audit">, "hash">): string {
  const { seq, at, kind, turn_id, approval_id, actor, data, prev } = row;
  return digest({ seq, at, kind, turn_id, approval_id, actor, data, prev });
}

/** Rows are read in pages, so that memory stays the same however long the chain is. */
const PAGE = 2_000;

/** Every entry in order. Rejects with `audit_unreadable` at one whose values no reader can take. */
export async function* readAudit(db: Db): AsyncGenerator<Row<"audit">> {
  // Sequence numbers are part of what is verified: a page begins after the last row read, not at a count.
  let after = Number.MIN_SAFE_INTEGER;
  for (let size = PAGE; ;) {
    let rows: Row<"audit">[];
    try {
      const later = db.selectFrom("audit").selectAll().where("seq", ">", after);
      rows = await later.orderBy("seq").limit(size).execute();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // One such value spoils its whole page: what comes before it is read one by one.
      if (size === 1) throw new CountersignError("audit_unreadable", messageOf(error), { cause: error });
      size = 1;
      continue;
    }
    for (const row of rows) {
      after = row.seq;
      yield row;
    }
    if (rows.length < size) return;
  }
}

/** A number beyond 2^53, or pages of SQLite's file that do not fit together; not a store that is away. */
function isUnreadable(error: unknown): boolean {
  return codeOf(error) === "ERR_OUT_OF_RANGE" || codeOf(error) === "store_damaged";
}

export async function readAuditHead(db: Db): Promise<AuditHead> {
  const row = await db
    .selectFrom("audit")
    .select(["seq", "hash"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? { seq: 0, hash: AUDIT_GENESIS };
}

/**
 * Recomputes the chain from its first entry and names the first that does not fit. With a recorded
 * head, entries that were cut off after it, or a chain that was written anew, are found as well.
 */
export async function verifyAudit(db: Db, recorded?: AuditHead): Promise<AuditVerdict> {
  let head: AuditHead = { seq: 0, hash: AUDIT_GENESIS };
  let isSeen = recorded === undefined || recorded.seq === 0;
  const forgotten = createForgotten();
  let first = 1;
  const broken = (seq: number, why: string): AuditVerdict => {
    return { ok: false, entries: head.seq, broken: { seq, why } };
  };
  const entries = readAudit(db);
  for (;;) {
    const next = await entries.next().catch((error: unknown) => {
      if (codeOf(error) !== "audit_unreadable") throw error;
      return messageOf(error);
    });
    const seq = head.seq + 1;
    if (typeof next === "string") return broken(seq, `entry ${seq} cannot be read: ${next}`);
    if (next.done === true) break;
    const row = next.value;
    const cut: AuditHead = { seq: row.seq - 1, hash: row.prev };
    // Retention deletes the beginning, maybe while this reads, and an entry says so, which is verified in its turn.
    if (row.seq > seq && (await isPruned(db, cut))) {
      first = row.seq;
      head = cut;
      if (recorded?.seq === cut.seq && recorded.hash === cut.hash) isSeen = true;
    }
    const misfit = misfitOf(row, head);
    if (misfit !== undefined && !forgotten.mayBe(row, misfit)) return broken(misfit.seq, misfit.why);
    if (misfit === undefined) forgotten.read(row);
    head = { seq: row.seq, hash: row.hash };
    if (recorded !== undefined && recorded.seq === row.seq) {
      if (recorded.hash !== row.hash)
        return broken(row.seq, `entry ${row.seq} is not the one that was recorded as head`);
      isSeen = true;
    }
  }
  const changed = forgotten.left();
  if (changed !== undefined) return broken(changed.seq, changed.why);
  if (!isSeen && recorded !== undefined && recorded.seq < first)
    return broken(
      recorded.seq,
      `the recorded head ${recorded.seq} is older than what is kept, which begins at entry ${first}`,
    );
  if (!isSeen) {
    const why = `the chain ends at entry ${head.seq}, before the recorded head ${recorded?.seq}`;
    return broken(head.seq + 1, why);
  }
  const count = forgotten.count();
  return { ok: true, entries: head.seq - first + 1, head, ...(count === 0 ? {} : { forgotten: count }) };
}

/** The kind of an entry that says that the chain begins behind an entry, with its hash: see prune-audit.ts. */
export const PRUNED = "audit.pruned";

/** Whether the chain begins behind this entry, and says so. */
async function isPruned(db: Db, cut: AuditHead): Promise<boolean> {
  const first = await db.selectFrom("audit").select("seq").orderBy("seq").limit(1).executeTakeFirst();
  if (first?.seq !== cut.seq + 1) return false;
  const told = await db.selectFrom("audit").select("data").where("kind", "=", PRUNED).execute();
  return told.some(({ data }) => {
    const kept = parseJson(data);
    const said = isObject(kept) ? kept["redacted"] : undefined;
    return isObject(said) && said["through"] === cut.seq && said["hash"] === cut.hash;
  });
}

/**
 * Whether the last `count` entries continue each other, as a quick look at every start: what was
 * changed among them is found, what lies before them is not. Resolves to what is wrong.
 */
export async function verifyAuditTail(db: Db, count: number): Promise<string | undefined> {
  let rows: Row<"audit">[];
  try {
    rows = await db.selectFrom("audit").selectAll().orderBy("seq", "desc").limit(count).execute();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return `its last ${count} entries cannot be read`;
  }
  const [oldest] = rows.slice(-1);
  let before: AuditHead | undefined = oldest && { seq: oldest.seq - 1, hash: oldest.prev };
  const forgotten = createForgotten();
  for (const row of rows.toReversed()) {
    const misfit = before && misfitOf(row, before);
    if (misfit !== undefined && !forgotten.mayBe(row, misfit)) return misfit.why;
    if (misfit === undefined) forgotten.read(row);
    before = { seq: row.seq, hash: row.hash };
  }
  return forgotten.left()?.why;
}

interface Misfit {
  seq: number;
  why: string;
  /** It stands in its place, and says something else than its hash. */
  isChanged?: true;
}

/** Why an entry does not continue the one before it. */
function misfitOf(row: Row<"audit">, before: AuditHead): Misfit | undefined {
  const seq = before.seq + 1;
  if (row.seq !== seq) return { seq, why: `entry ${seq} is missing: the next one is ${row.seq}` };
  if (row.prev !== before.hash) return { seq, why: `entry ${seq} does not continue entry ${before.seq}` };
  if (hashAuditRow(row) !== row.hash)
    return { seq, why: `entry ${seq} was changed: its hash does not fit`, isChanged: true };
  return undefined;
}

/** The kind of an entry that says which earlier ones were forgotten, and what is left of each: see forget-audit.ts. */
export const FORGOTTEN = "audit.forgotten";

/** What is left of a forgotten entry, as the entry that tells of it names it. */
export function markOf(row: Row<"audit">): string {
  return digest({ ...row }).slice(0, 32);
}

/** Entries that say less than their hash: a later entry of the chain has to say so, about what stands there now. */
function createForgotten(): {
  mayBe(row: Row<"audit">, misfit: Misfit): boolean;
  read(row: Row<"audit">): void;
  left(): Misfit | undefined;
  count(): number;
} {
  const waiting = new Map<number, Misfit & { mark: string }>();
  let count = 0;
  return {
    mayBe(row, misfit) {
      const data = parseJson(row.data);
      if (misfit.isChanged !== true || !isLeft(data)) return false;
      waiting.set(row.seq, { ...misfit, mark: markOf(row) });
      count += 1;
      return true;
    },
    read(row) {
      if (row.kind !== FORGOTTEN) return;
      const data = parseJson(row.data);
      const said = isObject(data) && isObject(data["redacted"]) ? data["redacted"]["entries"] : undefined;
      for (const one of Array.isArray(said) ? said : []) {
        const [seq, mark] = Array.isArray(one) ? one : [];
        if (typeof seq === "number" && waiting.get(seq)?.mark === mark) waiting.delete(seq);
      }
    },
    left: () => waiting.values().next().value,
    count: () => count,
  };
}

/** Nothing can be said in the place of what was forgotten. */
function isLeft(data: unknown): boolean {
  return (
    isObject(data) &&
    data["forgotten"] === true &&
    Object.entries(data).every(
      ([name, value]) =>
        name === "forgotten" ||
        (name === "digest" && typeof value === "string" && /^[0-9a-f]{64}$/.test(value)),
    )
  );
}

export interface AnchorOptions {
  db: Db;
  now: () => number;
  /** Says the head where the store's owner cannot rewrite it; rejects when it could not. */
  tell: (head: AuditHead) => Promise<void>;
  onFailure: (error: unknown) => void;
}

const LOOK_EVERY_MS = 10 * MINUTE_MS;
/** Older days are of no use. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Tells the head of the audit chain once a day (UTC), whichever replica comes first: `audit verify
 * --head` then finds entries that were cut off or a chain that was written anew. A day on which the
 * process dies while telling is left out; the next day's head covers it.
 */
export function createAnchor(options: AnchorOptions): { start(): void; stop(): void; look(): Promise<void> } {
  const { db, now } = options;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const head = await readAuditHead(db);
    // A chain without entries has nothing to hold on to.
    if (head.seq === 0) return;
    const key = `audit-head:${new Date(now()).toISOString().slice(0, 10)}`;
    const claimed = await db
      .insertInto("kv")
      .values({ key, value: "", expires_at: now() + KEPT_MS })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .executeTakeFirst();
    if (claimed.numInsertedOrUpdatedRows !== 1n) return;
    try {
      await options.tell(head);
    } catch (error) {
      await db.deleteFrom("kv").where("key", "=", key).execute();
      throw error;
    }
  }

  const attempt = (): void => void look().catch(options.onFailure);
  return {
    look,
    start() {
      attempt();
      timer = setInterval(attempt, LOOK_EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}

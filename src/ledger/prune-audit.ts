import type { Db } from "../store/schema.ts";
import { PRUNED, readAuditHead } from "./audit.ts";
import type { Transact } from "./transact.ts";

/** Entries of one transaction. */
const BATCH = 1_000;
/** Each time adds an entry, so that fewer are not worth it. */
const LEAST = 10;

/**
 * Deletes the beginning of the audit chain, as far as it is older than `before`, some at a time; resolves to how
 * many entries. The newest always stays. An entry says where the chain begins now, and with which hash: without it
 * the first entries would count as missing.
 */
export async function pruneAudit(db: Db, transact: Transact, before: number): Promise<number> {
  const first = await db.selectFrom("audit").select("seq").orderBy("seq").limit(1).executeTakeFirst();
  const head = await readAuditHead(db);
  if (first === undefined) return 0;
  const rows = await db
    .selectFrom("audit")
    .select(["seq", "at", "hash"])
    .where("seq", "<", Math.min(head.seq, first.seq + BATCH))
    .orderBy("seq")
    .execute();
  const young = rows.findIndex(({ at }) => at >= before);
  const old = young === -1 ? rows : rows.slice(0, young);
  const last = old.at(-1);
  if (last === undefined || old.length < LEAST) return 0;
  await transact(async (tx, note) => {
    await tx.deleteFrom("audit").where("seq", "<=", last.seq).execute();
    note({ kind: PRUNED, data: { through: last.seq, hash: last.hash } });
  });
  return old.length;
}

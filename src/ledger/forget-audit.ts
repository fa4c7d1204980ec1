import { canonicalJson, isObject, parseJson } from "../base/json.ts";
import type { Db, Row } from "../store/schema.ts";
import { FORGOTTEN, markOf, readAudit } from "./audit.ts";
import type { Transact } from "./transact.ts";

/** Few enough that nobody waits long for the chain. */
const BATCH = 200;

export interface ForgetEntries {
  /** Whether an entry tells of the person. */
  isAbout: (row: Row<"audit">) => boolean;
  /** Whether its actor is the person. */
  isActor: (actor: string) => boolean;
  /** Who stands in the person's place. */
  pseudonym: string;
}

/**
 * Takes out of the audit chain what it says of a person: of each entry its place, time, kind, hash and the digest of
 * its data are left, and the word `forgotten`. The chain stays whole: each batch ends with an entry that names them,
 * with a digest of what is left of each, without which they would count as changed. May be run again after it was
 * interrupted. Resolves to how many entries were forgotten.
 */
export async function forgetEntries(db: Db, transact: Transact, which: ForgetEntries): Promise<number> {
  let forgotten = 0;
  let batch: Row<"audit">[] = [];

  async function write(): Promise<void> {
    const rows = batch;
    batch = [];
    if (rows.length === 0) return;
    await transact(async (tx, note) => {
      for (const { seq, data, actor } of rows)
        await tx.updateTable("audit").set({ data, actor }).where("seq", "=", seq).execute();
      note({ kind: FORGOTTEN, data: { entries: rows.map((row) => [row.seq, markOf(row)]) } });
    });
    forgotten += rows.length;
  }

  for await (const row of readAudit(db)) {
    const left = leftOf(row, which);
    if (left === undefined) continue;
    batch.push(left);
    if (batch.length >= BATCH) await write();
  }
  await write();
  return forgotten;
}

/** What shall be left of an entry; undefined where it stays, or is forgotten already. */
function leftOf(row: Row<"audit">, { isAbout, isActor, pseudonym }: ForgetEntries): Row<"audit"> | undefined {
  if (row.kind === FORGOTTEN) return undefined;
  const isTheirs = row.actor !== null && isActor(row.actor);
  if (!isTheirs && !isAbout(row)) return undefined;
  const kept = parseJson(row.data);
  if (isObject(kept) && kept["forgotten"] === true && !isTheirs) return undefined;
  const digest = isObject(kept) ? kept["digest"] : undefined;
  const data = canonicalJson({ ...(typeof digest === "string" ? { digest } : {}), forgotten: true });
  return { ...row, data, actor: isTheirs ? pseudonym : row.actor };
}

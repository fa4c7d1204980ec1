import { type RawBuilder, sql } from "kysely";

import { createRedactor } from "#src/base/redact.ts";
import type { AuditEntry } from "#src/ledger/audit.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import type { Store } from "#src/store/open.ts";
import type { Db, Row as TableRow } from "#src/store/schema.ts";

export function transactOf({ db, kind, now }: Pick<Store, "db" | "kind" | "now">): Transact {
  return createTransact(db, { kind, now, redactor: createRedactor([]) });
}

/** Appends entries of many forms, several to a transaction. */
export async function appendEntries(store: Store, count: number): Promise<void> {
  const transact = transactOf(store);
  for (let number = 0; number < count;) {
    const size = Math.min(1 + (number % 5), count - number);
    const entries = Array.from({ length: size }, (_, index) => entryOf(number + index));
    await transact(async (_, note) => {
      for (const entry of entries) note(entry);
    });
    number += size;
  }
}

function entryOf(number: number): AuditEntry {
  return {
    kind: number % 3 === 0 ? "approval.vote" : "call.done",
    ...(number % 4 === 0 ? {} : { turnId: `turn_${number}` }),
    ...(number % 3 === 0 ? { approvalId: `appr_${number}`, actor: "http:ana" } : {}),
    ...(number % 7 === 0
      ? {}
      : { data: { number, title: "Grüße \u{1f511} \uFFFD", list: [null, true, 1.5] } }),
  };
}

export type Row = TableRow<"audit">;

export function readRows(db: Db): Promise<Row[]> {
  return db.selectFrom("audit").selectAll().orderBy("seq").execute();
}

/** The chain as it was. */
export async function restore(db: Db, rows: readonly Row[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom("audit").execute();
    for (let at = 0; at < rows.length; at += 100) {
      await tx
        .insertInto("audit")
        .values(rows.slice(at, at + 100))
        .execute();
    }
  });
}

export function run(db: Db, statement: RawBuilder<unknown>): Promise<unknown> {
  return statement.execute(db);
}

/** Bytes written into a text column as they are, valid UTF-8 or not. */
export function rawText(bytes: Uint8Array): RawBuilder<string> {
  return sql<string>`cast(${sql.raw(`x'${Buffer.from(bytes).toString("hex")}'`)} as text)`;
}

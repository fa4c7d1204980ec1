import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { appendAudit, type AuditEntry, prepareEntry } from "#src/ledger/audit.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { writeCounterConfig } from "#test/chaos/config.ts";

import { peakMemoryOf } from "./memory.ts";
import type { Places } from "./places.ts";
import { round, type Row, timeAll } from "./table.ts";

const APPENDS = 1_000;
const ENTRIES = Number(process.env.BENCH_AUDIT_ENTRIES ?? 1_000_000);
const BATCH = 1_000;

/** Appending one entry a commit, and verifying the whole chain with the command that operators use. */
export async function benchAudit(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["embedded", "postgres"] as const) {
    const { store, folder, url } = await places.store(kind);
    const options = { kind: store.kind, redactor: createRedactor([]), now: store.now };
    const transact = createTransact(store.db, options);
    const entries = Array.from({ length: APPENDS }, (_, at) => makeEntry(at));
    const figures = await timeAll(entries, 1, (entry) => transact(async (_, note) => note(entry)));
    rows.push({ what: `${kind}, append`, figures });

    const config = await writeCounterConfig({ folder, owner: "bench", databaseUrl: url });
    const verify = async (count: number): Promise<void> => {
      const { ms, peakMb } = await peakMemoryOf(["audit", "verify"], { config, dataDir: folder });
      const rate = Math.round((count / ms) * 1_000);
      rows.push({
        what: `${kind}, verify`,
        figures: { count, "per s": rate, s: round(ms / 1_000), "peak MB": round(peakMb) },
      });
    };
    await verify(APPENDS);
    // Postgres keeps the same chain with the same code; a tenth of it shows the rate.
    const total = kind === "embedded" ? ENTRIES : ENTRIES / 10;
    for (let count = APPENDS; count < total; count += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, at) =>
        prepareEntry(makeEntry(count + at), options.redactor),
      );
      await store.db.transaction().execute((tx) => appendAudit(tx, batch, options));
    }
    await verify(total);
  }
  return rows;
}

function makeEntry(at: number): AuditEntry {
  return {
    kind: "approval.vote",
    turnId: newId("turn"),
    approvalId: newId("appr"),
    actor: "slack:T1:U1",
    data: { decision: "approve", reason: `because of ${at}` },
  };
}

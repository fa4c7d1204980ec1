import { CountersignError } from "../base/errors.ts";
import { type AuditHead, readAudit, readAuditHead, verifyAudit } from "../ledger/verify.ts";
import { openEmbeddedStoreForReading } from "../store/open.ts";
import type { Db } from "../store/schema.ts";
import type { CommandCall, OptionValues } from "./command-line.ts";
import { print, printJson, printJsonLine } from "./output.ts";
import { readSettings } from "./read-settings.ts";

/** Verifies while the product may be running: it only reads. Exit code 1 for a broken chain. */
export async function verify({ options }: CommandCall): Promise<number> {
  const recorded = typeof options.head === "string" ? parseHead(options.head) : undefined;
  const verdict = await reading(options, (db) => verifyAudit(db, recorded));
  if (options.json === true) printJson(verdict);
  else if (verdict.ok)
    print(`The chain is whole: ${verdict.entries} entries, head ${verdict.head.seq}:${verdict.head.hash}`);
  else
    print(
      `The chain is broken at entry ${verdict.broken.seq}: ${verdict.broken.why}. ${verdict.entries} entries before it are whole.`,
    );
  return verdict.ok ? 0 : 1;
}

export async function exportLines({ options }: CommandCall): Promise<number> {
  await reading(options, async (db) => {
    for await (const row of readAudit(db)) {
      await printJsonLine({ ...row, data: parsed(row.data) });
    }
  });
  return 0;
}

export async function head({ options }: CommandCall): Promise<number> {
  const found = await reading(options, readAuditHead);
  if (options.json === true) printJson(found);
  else print(`${found.seq}:${found.hash}`);
  return 0;
}

async function reading<Result>(options: OptionValues, work: (db: Db) => Promise<Result>): Promise<Result> {
  const settings = await readSettings(options);
  const { url } = settings.store;
  const store =
    url === ""
      ? openEmbeddedStoreForReading(settings.data_dir)
      : await (await import("../store/open-postgres.ts")).openPostgresStoreForReading(url);
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

/** What was tampered with is exported as it stands. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new CountersignError(
      "wrong_use",
      `--head: expected SEQ:HASH as "audit head" prints it, got ${text}`,
    );
  }
  return { seq: Number(seq), hash };
}

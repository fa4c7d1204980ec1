import { CountersignError } from "#src/base/errors.ts";
import { type AuditHead, readAudit, readAuditHead, verifyAudit } from "#src/ledger/audit.ts";
import { durationMs } from "#src/base/time.ts";
import { openEmbeddedStoreForReading } from "#src/store/open.ts";
import type { Db } from "#src/store/schema.ts";
import { forgetMemories } from "#src/turn/memory.ts";

import type { CommandCall, OptionValues } from "../command-line.ts";
import { print, printJson, printJsonLine } from "../output.ts";
import { readSettings } from "../settings.ts";

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
      : await (await import("#src/store/open-postgres.ts")).openPostgresStoreForReading(url);
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

/** Drops what was remembered, also while the product runs: one statement, which its own writes wait for. */
export async function forget({ options }: CommandCall): Promise<number> {
  const { conversation, "older-than": age, all } = options;
  if (typeof conversation !== "string" && typeof age !== "string" && all !== true) {
    const message = "memory forget: expected --conversation ID, --older-than TIME or --all, got none of them";
    throw new CountersignError("wrong_use", message);
  }
  const ms = typeof age === "string" ? durationMs(age) : undefined;
  if (typeof age === "string" && ms === undefined)
    throw new CountersignError("wrong_use", `--older-than: expected a time such as 24h or 30d, got ${age}`);
  const settings = await readSettings(options);
  const store =
    settings.store.url === ""
      ? openEmbeddedStoreForReading(settings.data_dir, { mayWrite: true })
      : await (await import("#src/store/open-postgres.ts")).openPostgresStoreForReading(settings.store.url);
  try {
    const forgotten = await forgetMemories(store.db, {
      ...(typeof conversation === "string" ? { conversationId: conversation } : {}),
      ...(ms === undefined ? {} : { before: Date.now() - ms }),
    });
    if (options.json === true) printJson({ forgotten });
    else print(`Forgot ${forgotten} passages.`);
    return 0;
  } finally {
    await store.close();
  }
}

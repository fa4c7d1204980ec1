import type { AuditHead } from "#contract/audit.ts";
import { CountersignError } from "#src/base/errors.ts";
import { parseJson } from "#src/base/json.ts";
import { createRedactor } from "#src/base/redact.ts";
import { count } from "#src/base/text.ts";
import { durationMs } from "#src/base/time.ts";
import { readAudit, readAuditHead, verifyAudit } from "#src/ledger/audit.ts";
import { readRated } from "#src/turn/feedback.ts";
import { forgetMemories } from "#src/turn/memory.ts";

import type { CommandCall } from "../command-line.ts";
import { answer, printJsonLine } from "../output.ts";
import { readSettings, secretsOf } from "../settings.ts";
import { withStore } from "../storage.ts";

/** Verifies while the product may be running: it only reads. Exit code 1 for a broken chain. */
export async function verify({ options, flags }: CommandCall): Promise<number> {
  const recorded = options.head === undefined ? undefined : parseHead(options.head);
  const settings = await readSettings(options);
  const verdict = await withStore(settings, (db) => verifyAudit(db, recorded));
  answer(flags, verdict, () =>
    verdict.ok
      ? `The chain is whole: ${verdict.entries} entries, head ${verdict.head.seq}:${verdict.head.hash}${verdict.forgotten === undefined ? "" : `; ${count(verdict.forgotten, "entry", "entries")} of people who were forgotten, as their digests`}`
      : `The chain is broken at entry ${verdict.broken.seq}: ${verdict.broken.why}. ${verdict.entries} entries before it are whole.`,
  );
  return verdict.ok ? 0 : 1;
}

export async function exportLines({ options }: CommandCall): Promise<number> {
  await withStore(await readSettings(options), async (db) => {
    for await (const row of readAudit(db)) {
      // What was tampered with is exported as it stands.
      await printJsonLine({ ...row, data: parseJson(row.data) ?? row.data });
    }
  });
  return 0;
}

/** What people rated, as cases of `npm run eval:plan`. */
export async function exportFeedback({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const redactor = createRedactor(secretsOf(settings, process.env));
  await withStore(settings, async (db) => {
    for await (const rated of readRated(db, redactor)) await printJsonLine(rated);
  });
  return 0;
}

export async function head({ options, flags }: CommandCall): Promise<number> {
  const found = await withStore(await readSettings(options), readAuditHead);
  answer(flags, found, () => `${found.seq}:${found.hash}`);
  return 0;
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  const message = `--head: expected SEQ:HASH as "audit head" prints it, got ${text}`;
  throw new CountersignError("wrong_use", message);
}

/** Drops what was remembered, also while the product runs: one statement, which its own writes wait for. */
export async function forget({ options, flags }: CommandCall): Promise<number> {
  const { conversation, "older-than": age } = options;
  if (conversation === undefined && age === undefined && flags.all !== true) {
    const message = "expected --conversation ID, --older-than TIME or --all, got none of them";
    throw new CountersignError("wrong_use", message);
  }
  const ms = age === undefined ? undefined : durationMs(age);
  if (age !== undefined && ms === undefined)
    throw new CountersignError("wrong_use", `--older-than: expected a time such as 24h or 30d, got ${age}`);
  const which = {
    ...(conversation === undefined ? {} : { conversationId: conversation }),
    ...(ms === undefined ? {} : { before: Date.now() - ms }),
  };
  const settings = await readSettings(options);
  const forgotten = await withStore(settings, (db) => forgetMemories(db, which), { mayWrite: true });
  answer(flags, { forgotten }, () => `Forgot ${forgotten} passages.`);
  return 0;
}

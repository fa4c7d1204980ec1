import { join, resolve } from "node:path";

import type { AuditVerdict } from "#contract/audit.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { count } from "#src/base/text.ts";
import { verifyAudit } from "#src/ledger/audit.ts";
import type { Settings } from "#src/settings/load.ts";
import { backUpStore, backupFile, restoreStore, STORE_FILE } from "#src/store/backup.ts";
import { openEmbeddedStoreForReading, openFileForReading } from "#src/store/open.ts";
import { changeKeyFile, keysText, readKeys } from "#src/store/key-file.ts";
import { countSealed } from "#src/store/sealed.ts";

import type { CommandCall } from "../command-line.ts";
import { answer, complain } from "../output.ts";
import { readSettings } from "../settings.ts";
import { readSealer, secretKeys } from "../storage.ts";

const log = { warn: (_: object, message: string): void => complain(message) };

/** Copies the store while the product may be running. Exit code 1 where the copy's audit chain is broken. */
export async function backUp({ options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  requireEmbedded(settings, "back it up");
  const { data_dir: folder } = settings;
  const file = options.to === undefined ? backupFile(folder, "backup-", new Date()) : resolve(options.to);
  await openEmbeddedStoreForReading(folder).close();
  const keys = [...secretKeys(settings, log), ...settings.old_secret_keys];
  const withKey = flags["with-key"] === true && keys.length > 0;
  await backUpStore(folder, file, withKey ? { secretKey: keysText(keys) } : {});
  const found = await lookAt(file, settings);
  answer(flags, { file, ...found, secret_key: withKey }, () =>
    [
      `Backed up ${contentOf(found)} to ${file}`,
      auditText(found.audit),
      withKey
        ? "It holds the secret key: whoever has the file can read the tokens in it."
        : found.sealed > 0
          ? `It does not hold the secret key, without which its ${count(found.sealed, "sealed token")} cannot be read: keep that elsewhere, or use --with-key.`
          : "It does not hold the secret key.",
    ].join("\n"),
  );
  return found.audit.ok ? 0 : 1;
}

/** Puts a backup in the place of the store, which no product may hold. */
export async function restore({ args, options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  requireEmbedded(settings, "restore it");
  const { data_dir: folder } = settings;
  const file = resolve(args[0] ?? "");
  const { before, schema } = await restoreStore(folder, file, {
    async check(staged) {
      const { audit } = await lookAt(staged, settings);
      if (audit.ok || flags["broken-audit"] === true) return;
      throw new CountersignError(
        "backup_damaged",
        `The audit record in ${file} was changed: ${audit.broken.why}. Nothing was restored; take another backup, or this one as it is with --broken-audit.`,
      );
    },
    onKey: (text) => changeKeyFile(folder, (keys) => [...keys, ...readKeys(text, file)]),
    failPoint: createFailPoint(process.env),
  });
  const found = await lookAt(join(folder, STORE_FILE), settings);
  answer(flags, { file, schema, ...found, ...(before === undefined ? {} : { before }) }, () =>
    [
      `Restored ${contentOf(found)} from ${file}`,
      auditText(found.audit),
      ...(before === undefined ? [] : [`The store that was here is kept as ${before}`]),
      ...(found.unreadable === 0
        ? []
        : [
            `${count(found.unreadable, "sealed token")} cannot be read with the secret key here: bring back the one of the backup, or connect these accounts again.`,
          ]),
      ...(found.waiting === 0
        ? []
        : [
            `${count(found.waiting, "approval")} of it ${found.waiting === 1 ? "waits or was" : "wait or were"} approved and not yet executed. What happened after the backup is not known to it: look at them first (approvals list).`,
          ]),
    ].join("\n"),
  );
  return 0;
}

interface Found {
  turns: number;
  /** Requests that wait for a decision, or are approved and not executed. */
  waiting: number;
  sealed: number;
  /** Of the sealed ones; those that no key at hand opens. */
  unreadable: number;
  audit: AuditVerdict;
}

async function lookAt(file: string, settings: Settings): Promise<Found> {
  const { db, close } = openFileForReading(file);
  try {
    const { turns } = await db
      .selectFrom("turns")
      .select((eb) => eb.fn.countAll<number>().as("turns"))
      .executeTakeFirstOrThrow();
    const { waiting } = await db
      .selectFrom("approvals")
      .select((eb) => eb.fn.countAll<number>().as("waiting"))
      .where("state", "in", ["pending", "approved"])
      .executeTakeFirstOrThrow();
    const secrets = await countSealed(db, readSealer(settings, log));
    return { turns, waiting, ...secrets, audit: await verifyAudit(db) };
  } finally {
    await close();
  }
}

function contentOf({ turns, audit }: Found): string {
  return `${count(turns, "turn")} and ${count(audit.entries, "audit entry", "audit entries")}`;
}

function auditText(audit: AuditVerdict): string {
  return audit.ok
    ? `The audit chain is whole, its head ${audit.head.seq}:${audit.head.hash}`
    : `The audit chain is broken at entry ${audit.broken.seq}, in the store as in the copy: ${audit.broken.why}.`;
}

function requireEmbedded({ store }: Settings, what: string): void {
  if (store.url === "") return;
  throw new CountersignError(
    "not_embedded",
    `The store is the Postgres database of store.url: ${what} with its own means, pg_dump and pg_restore (docs/operations.md, Backup).`,
  );
}

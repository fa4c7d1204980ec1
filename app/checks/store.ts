import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { sql } from "kysely";

import { codeOf, messageOf } from "#src/base/errors.ts";
import { verifyAudit } from "#src/ledger/audit.ts";
import type { Settings } from "#src/settings/load.ts";
import { lockDataFolder } from "#src/store/folder-lock.ts";
import { migrations, type StoreKind } from "#src/store/migrations.ts";
import { quickCheck } from "#src/store/quick-check.ts";
import type { Db } from "#src/store/schema.ts";
import { countSealed } from "#src/store/sealed.ts";

import { isOpenToOthers } from "../env-file.ts";
import { openStoreBeside, readSealer } from "../storage.ts";
import { failed, type Finding, look, note, ok, sentence, sizeText, skipped } from "./finding.ts";
import type { Machine } from "./machine.ts";

const LEAST_FREE_BYTES = 500e6;
const RESTORE =
  "Stop the product, then type: npm run -s countersign -- restore BACKUP (docs/operations.md#backup).";
const OTHER_FOLDER = "or set COUNTERSIGN_DATA to another folder.";

/** `isRunning`: another process holds the data folder. */
export async function checkStore(
  settings: Settings,
  machine: Machine,
): Promise<{ findings: Finding[]; isRunning: boolean }> {
  if (settings.store.url !== "") return { findings: await checkPostgres(settings), isRunning: false };
  const { data_dir: folder } = settings;
  let isRunning = false;
  try {
    lockDataFolder(folder).release();
  } catch (error) {
    isRunning = codeOf(error) === "data_folder_in_use";
    if (!isRunning) {
      const message = `The data folder ${folder} cannot be written: ${messageOf(error).split(": ").at(1) ?? ""}`;
      return {
        findings: [
          failed(
            "store.folder",
            sentence(message),
            `Make ${folder} a folder that this user may write, ${OTHER_FOLDER}`,
          ),
        ],
        isRunning,
      };
    }
  }
  const findings = [
    ...(await look("store.folder", `Look at the disk of ${folder}, ${OTHER_FOLDER}`, () =>
      checkFolder(folder, machine),
    )),
    ...(await checkFile(settings)),
  ];
  return { findings, isRunning };
}

async function checkFolder(folder: string, machine: Machine): Promise<Finding[]> {
  const probe = join(folder, `.probe-${process.pid}`);
  const handle = await open(probe, "w", 0o600);
  try {
    await handle.writeFile("countersign doctor\n");
    await handle.sync();
  } finally {
    await handle.close();
    await rm(probe, { force: true });
  }
  const { freeBytes, isMemory } = await machine.disk(folder);
  return [
    ok("store.folder", `The data folder ${folder} can be written.`),
    isOpenToOthers(folder)
      ? failed("store.rights", `Others on this machine can look into ${folder}.`, `Type: chmod 700 ${folder}`)
      : ok("store.rights", "The data folder is for its owner alone."),
    isMemory
      ? failed(
          "store.durable",
          `${folder} is in memory: everything in it is gone when the machine restarts.`,
          "Set COUNTERSIGN_DATA to a folder on a disk.",
        )
      : ok("store.durable", "What is written there outlives a restart."),
    freeBytes < LEAST_FREE_BYTES
      ? failed(
          "store.space",
          `Only ${sizeText(freeBytes)} are free on the disk of ${folder}.`,
          `Free some space there, ${OTHER_FOLDER}`,
        )
      : ok("store.space", `${sizeText(freeBytes)} are free there.`),
  ];
}

async function checkFile(settings: Settings): Promise<Finding[]> {
  const file = join(settings.data_dir, "countersign.db");
  if (!existsSync(file))
    return [skipped("store.database", "There is no store yet: the first start makes it.")];
  return look("store.database", RESTORE, async () => {
    const damage = readDamage(file);
    if (damage.length > 0)
      return [failed("store.database", sentence(`The store is damaged: ${damage.join("; ")}`), RESTORE)];
    return [ok("store.database", "The store is whole."), ...(await checkRows(settings, "sqlite"))];
  });
}

function readDamage(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return quickCheck(db).damage;
  } finally {
    db.close();
  }
}

/** What stands in the store: its form, the audit record, and whether its secrets open. */
async function checkRows(settings: Settings, kind: StoreKind): Promise<Finding[]> {
  const store = await openStoreBeside(settings);
  try {
    const schema = await checkSchema(store.db, kind);
    // Of another version it is not known what stands where.
    if (schema.status !== "ok") return [schema];
    const verdict = await verifyAudit(store.db);
    const audit = verdict.ok
      ? ok("store.audit", `The audit record is whole (${verdict.entries} entries).`)
      : failed(
          "store.audit",
          `The audit record was changed: ${verdict.broken.why}.`,
          "Type: npm run -s countersign -- audit verify; find out who can write the store, and restore a backup.",
        );
    const sealer = readSealer(settings, { warn: () => undefined });
    const { unreadable } = await countSealed(store.db, sealer);
    const key =
      unreadable === 0
        ? ok("store.key", "Stored secrets can be read.")
        : failed(
            "store.key",
            `${unreadable} stored secrets were written with another key and cannot be read.`,
            "Set COUNTERSIGN_SECRET_KEY_OLD to the key they were written with, or bring back secret.key of the data folder.",
          );
    return [schema, audit, key];
  } finally {
    await store.close();
  }
}

async function checkSchema(db: Db, kind: StoreKind): Promise<Finding> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const known = Object.keys(migrations(kind));
  const newer = rows.find(({ name }) => !known.includes(name));
  if (newer !== undefined) {
    return failed(
      "store.schema",
      `The store was written by a newer Countersign (${newer.name}).`,
      "Start the newer version again (git pull && npm ci), or restore a backup that this one wrote.",
    );
  }
  const missing = known.length - rows.length;
  return missing === 0
    ? ok("store.schema", "The store has the form of this version.")
    : note(
        "store.schema",
        "The store is of an earlier version: the next start makes a backup and brings it up to date.",
      );
}

async function checkPostgres(settings: Settings): Promise<Finding[]> {
  return look("store.database", "Start the database, or set DATABASE_URL to where it is.", async () => {
    const { openPostgresStoreForReading } = await import("#src/store/open-postgres.ts");
    const { db, close } = await openPostgresStoreForReading(settings.store.url);
    try {
      const { rows } = await sql<{ fsync: string; commit: string; standby: boolean }>`
        select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
          pg_is_in_recovery() as standby`.execute(db);
      const { fsync, commit, standby } = rows[0] ?? { fsync: "on", commit: "on", standby: false };
      const durable =
        fsync === "on" && commit !== "off"
          ? ok("store.durable", "What the database acknowledges is on its disk.")
          : failed(
              "store.durable",
              `The database acknowledges what is not on its disk yet (${fsync === "on" ? "synchronous_commit = off" : "fsync = off"}).`,
              "Type in psql: ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET synchronous_commit = on; and restart it.",
            );
      const writable = standby
        ? failed(
            "store.folder",
            "The database is a standby, which takes no writes.",
            "Set DATABASE_URL to the primary.",
          )
        : ok("store.folder", "The database takes writes.");
      return [
        ok("store.database", "The database answers."),
        writable,
        durable,
        ...(await checkRows(settings, "postgres")),
      ];
    } finally {
      await close();
    }
  });
}

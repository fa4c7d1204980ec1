import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { finished } from "node:stream/promises";

import { sql } from "kysely";

import { CountersignError } from "#src/base/errors.ts";
import { personText } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { count, oneLine } from "#src/base/text.ts";
import { createTransact } from "#src/ledger/transact.ts";
import type { Db } from "#src/store/schema.ts";
import { forgetPerson, readPersonal, requireOver } from "#src/turn/personal-data.ts";

import type { CommandCall } from "../command-line.ts";
import { answer, complain, printJsonLine, toJson } from "../output.ts";
import {
  connectionsOf,
  findPerson,
  forgetAccess,
  type FoundPerson,
  listPeople,
  PSEUDONYM,
} from "../personal-data.ts";
import { readSettings, secretsOf } from "../settings.ts";
import { readSealer, withStore } from "../storage.ts";

const log = { warn: (_: object, message: string): void => complain(message) };

/** Whom the store and the configuration know. */
export async function list({ options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const people = await withStore(settings, (db) => listPeople(settings, db));
  answer(
    flags,
    people.map(({ name, keys }) => ({ name: name ?? null, ids: keys })),
    () =>
      people.length === 0
        ? "Nobody has said anything yet."
        : people.map((one) => `${called(one)}: ${one.keys.join(", ")}`).join("\n"),
  );
  return 0;
}

/** What is kept of one person, a line of JSON for each record; nothing is changed. */
export async function exportPerson({ args, options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const redactor = createRedactor(secretsOf(settings, process.env));
  await withStore(settings, async (db) => {
    const person = await findPerson(settings, db, args[0] ?? "");
    const { told } = await connectionsOf(db, readSealer(settings, log), person);
    if (options.to === undefined) {
      for (const one of told) await printJsonLine(one);
      for await (const one of readPersonal(db, person, redactor)) await printJsonLine(one);
      return;
    }
    const file = createWriteStream(resolve(options.to), { flags: "wx", mode: 0o600 });
    const over = finished(file);
    over.catch(() => undefined);
    const write = async (value: unknown): Promise<void> => {
      if (!file.write(`${toJson(value)}\n`)) await Promise.race([once(file, "drain"), over]);
    };
    for (const one of told) await write(one);
    for await (const one of readPersonal(db, person, redactor)) await write(one);
    file.end();
    await over;
    complain(`What is kept of ${called(person)} is in ${resolve(options.to)}`);
  });
  return 0;
}

/** Deletes what is kept of one person, while the product may be running. */
export async function forgetOne({ args, options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const wanted = args[0] ?? "";
  return withStore(
    settings,
    async (db) => {
      const person = await findPerson(settings, db, wanted);
      const { actors } = person;
      if (flags.yes !== true && !(await isConfirmed(db, person, wanted))) {
        complain("Nothing was deleted.");
        return 1;
      }
      const kind = settings.store.url === "" ? ("sqlite" as const) : ("postgres" as const);
      // So that nothing of it is left in pages that are free now.
      if (kind === "sqlite") await sql`pragma secure_delete = on`.execute(db);
      const redactor = createRedactor(secretsOf(settings, process.env));
      const transact = createTransact(db, { kind, redactor, now: Date.now });
      const newPseudonym = (): string => `${PSEUDONYM}${randomBytes(6).toString("hex")}`;
      await requireOver(db, actors);
      const access = await forgetAccess(db, readSealer(settings, log), person);
      const forgotten = await forgetPerson({ db, kind, transact, now: Date.now, newPseudonym }, person);
      // Nor in the log beside it, unless somebody reads the store as it was before for longer than we wait.
      const isHeld = kind === "sqlite" && !(await isLogEmptied(db));
      const { turns, entries, pseudonym } = forgotten;
      answer(
        flags,
        {
          ids: person.keys,
          turns,
          audit_entries: entries,
          pseudonym,
          connections: access.deleted,
          log_emptied: !isHeld,
        },
        () =>
          [
            `Forgot ${called(person)}: ${count(turns, "turn")} with all that belongs to them, ${count(access.deleted, "connected account")}. In ${count(entries, "audit entry", "audit entries")} a digest is left; where they decided for others stands ${pseudonym}.`,
            ...(person.isConfigured
              ? [
                  `The configuration still names them (people, http.tokens or policy): take them out of ${settings.file}.`,
                ]
              : []),
            ...(isHeld
              ? [
                  "Something reads the store as it was before, such as a long export: until that ends, and something is written after it, texts stay in countersign.db-wal.",
                ]
              : []),
            ...(access.unreadable === 0
              ? []
              : [
                  `${count(access.unreadable, "connected account")} cannot be read without its key, and may be theirs.`,
                ]),
            `Not ours to delete: ${elsewhere(actors)}messages of others that name them, what was written to Jira and other servers, tokens until they are revoked there, logs, and backups from before.`,
          ].join("\n"),
      );
      return 0;
    },
    { mayWrite: true },
  );
}

/** Takes the write-ahead log over into the database; false where readers keep it (https://sqlite.org/pragma.html#pragma_wal_checkpoint). */
async function isLogEmptied(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows.every(({ busy }) => busy === 0);
}

/** Asks for the name once more on a terminal. */
async function isConfirmed(db: Db, person: FoundPerson, wanted: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CountersignError("wrong_use", "expected --yes, as there is no terminal to ask on");
  const { turns } = await db
    .selectFrom("turns")
    .select((eb) => eb.fn.countAll<number>().as("turns"))
    .where("actor", "in", [...person.actors, ""])
    .executeTakeFirstOrThrow();
  complain(
    `This deletes ${count(turns, "turn")} of ${called(person)} (${person.keys.join(", ")}), their accounts and identities. It cannot be undone.`,
  );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await lines.question(`Type ${oneLine(wanted, 200)} to go on: `);
  lines.close();
  return typed.trim() === wanted.trim();
}

function called({ name, keys: [id = ""] }: FoundPerson): string {
  return name ?? personText(id, {});
}

function elsewhere(actors: readonly string[]): string {
  const platforms = [
    ...(actors.some((one) => one.startsWith("slack:")) ? ["Slack"] : []),
    ...(actors.some((one) => one.startsWith("discord:")) ? ["Discord"] : []),
  ];
  return platforms.length === 0
    ? ""
    : `what ${platforms.join(" and ")} hold${platforms.length === 1 ? "s" : ""} of the conversations, `;
}

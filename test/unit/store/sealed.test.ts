import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createKeyv } from "#src/store/keyv.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { makeKeyFile, readKeyFile } from "#src/store/key-file.ts";
import { createSealedKeyv, createSealer, reseal } from "#src/store/sealed.ts";

interface Account {
  token: string;
  scopes: string[];
}

const TOKEN = "xoxb-the-token-that-must-not-be-found-anywhere";
const account: Account = { token: TOKEN, scopes: ["chat:write"] };

let folder: string;
let store: Store;
const key = newKey();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealed-"));
  store = await openEmbeddedStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function newKey(): KeyObject {
  return createSecretKey(randomBytes(32));
}

async function valueAt(row: string): Promise<string> {
  const found = await store.db.selectFrom("kv").select("value").where("key", "=", row).executeTakeFirst();
  if (found === undefined) throw new Error(`expected the row ${row}`);
  return found.value;
}

async function write(row: string, value: string): Promise<void> {
  await store.db.updateTable("kv").set({ value }).where("key", "=", row).execute();
}

describe("sealed state", () => {
  it("gives back what was put in, also to the next process with the same key", async () => {
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    const again = createSealedKeyv<Account>(store.db, "accounts", createSealer(key));
    expect(await again.get("T1")).toEqual(account);
    expect(await again.get("T2")).toBeUndefined();
    const all: unknown[] = [];
    for await (const [name, value] of again.iterator()) all.push([name, value]);
    expect(all).toEqual([["T1", account]]);
    await again.delete("T1");
    expect(await again.get("T1")).toBeUndefined();
  });

  it("leaves no byte of a token in any file of the data folder", async () => {
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    await createKeyv<string>(store.db, "plain").set("T1", "a-plain-value-that-is-found");
    const holding = (needle: string): string[] =>
      files.filter((file) => readFileSync(join(folder, file)).includes(needle));
    const files = await readdir(folder);
    expect(files).toContain("countersign.db-wal");
    expect(holding("a-plain-value-that-is-found")).not.toEqual([]);
    for (const needle of [TOKEN, Buffer.from(TOKEN).toString("base64").slice(0, 40), TOKEN.slice(8, 24)]) {
      expect(holding(needle)).toEqual([]);
    }
  });

  it("seals the same value differently each time", async () => {
    const state = createSealedKeyv<Account>(store.db, "accounts", createSealer(key));
    await state.set("T1", account);
    const first = await valueAt("sealed.accounts::T1");
    await state.set("T1", account);
    expect(await valueAt("sealed.accounts::T1")).not.toBe(first);
  });

  it("does not open a text of which any character was changed", () => {
    const sealer = createSealer(key);
    const sealed = sealer.seal("row", JSON.stringify(account));
    fc.assert(
      fc.property(
        fc.nat(sealed.length - 1),
        fc.constantFrom("A", "z", "0", "9", "-", "_", "."),
        (at, character) => {
          fc.pre(sealed[at] !== character);
          const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
          // The last character of base64 has bits that stand for nothing.
          fc.pre(at !== sealed.length - 1);
          expect(() => sealer.open("row", changed)).toThrow(
            expect.objectContaining({ code: expect.stringMatching(/^sealed_(tampered|key_unknown)$/) }),
          );
        },
      ),
      { numRuns: 300 },
    );
    for (const cut of ["", "s1", sealed.slice(0, -4), sealed.slice(0, 40), TOKEN]) {
      expect(() => sealer.open("row", cut)).toThrow(expect.objectContaining({ code: "sealed_tampered" }));
    }
  });

  it("says which row was tampered with in the database", async () => {
    const state = createSealedKeyv<Account>(store.db, "accounts", createSealer(key));
    await state.set("T1", account);
    const sealed = await valueAt("sealed.accounts::T1");
    const middle = sealed.length - 20;
    const other = sealed[middle] === "A" ? "B" : "A";
    await write("sealed.accounts::T1", sealed.slice(0, middle) + other + sealed.slice(middle + 1));
    await expect(state.get("T1")).rejects.toMatchObject({
      code: "sealed_tampered",
      details: { row: "sealed.accounts::T1" },
    });
    await write("sealed.accounts::T1", JSON.stringify({ value: account }));
    await expect(state.get("T1")).rejects.toMatchObject({ code: "sealed_tampered" });
  });

  it("does not open in another row or namespace", async () => {
    const sealer = createSealer(key);
    const state = createSealedKeyv<Account>(store.db, "accounts", sealer);
    const others = createSealedKeyv<Account>(store.db, "others", sealer);
    await state.set("T1", account);
    await state.set("T2", { ...account, token: "xoxb-2" });
    await others.set("T1", { ...account, token: "xoxb-3" });
    const [first, second] = [await valueAt("sealed.accounts::T1"), await valueAt("sealed.accounts::T2")];
    await write("sealed.accounts::T1", second);
    await write("sealed.accounts::T2", first);
    await write("sealed.others::T1", first);
    for (const read of [() => state.get("T1"), () => state.get("T2"), () => others.get("T1")]) {
      await expect(read()).rejects.toMatchObject({ code: "sealed_tampered" });
    }
    await write("sealed.accounts::T1", first);
    expect(await state.get("T1")).toEqual(account);
  });

  it("keeps apart from plain state of the same name", async () => {
    const plain = createKeyv<string>(store.db, "accounts");
    await plain.set("T1", "plain");
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    expect(await plain.get("T1")).toBe("plain");
    await plain.clear();
    expect(await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).get("T1")).toEqual(
      account,
    );
  });

  it("forgets what has expired", async () => {
    const state = createSealedKeyv<Account>(store.db, "accounts", createSealer(key));
    await state.set("T1", account, 60_000);
    expect(await state.get("T1")).toEqual(account);
    await store.db
      .updateTable("kv")
      .set({ expires_at: 1 })
      .where("key", "=", "sealed.accounts::T1")
      .execute();
    expect(await state.get("T1")).toBeUndefined();
  });
});

describe("keys", () => {
  it("names the key that is missing, and what to do", async () => {
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    const other = createSealer(newKey());
    const error: unknown = await createSealedKeyv<Account>(store.db, "accounts", other)
      .get("T1")
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "sealed_key_unknown",
      details: { found: createSealer(key).keyId, known: [other.keyId] },
    });
    expect(String(error)).toContain("COUNTERSIGN_SECRET_KEY_OLD");
  });

  it("are rotated: the old one still opens, and can be given up once everything is sealed anew", async () => {
    const next = newKey();
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    const both = createSealer(next, [key]);
    const state = createSealedKeyv<Account>(store.db, "accounts", both);
    expect(await state.get("T1")).toEqual(account);
    await createKeyv<string>(store.db, "plain").set("T1", "plain");

    expect(await reseal(store.db, both)).toEqual({ sealed: 1, unreadable: 0 });
    expect(await reseal(store.db, both)).toEqual({ sealed: 0, unreadable: 0 });
    expect(await createSealedKeyv<Account>(store.db, "accounts", createSealer(next)).get("T1")).toEqual(
      account,
    );
    await expect(
      createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).get("T1"),
    ).rejects.toMatchObject({ code: "sealed_key_unknown" });
    expect(await createKeyv<string>(store.db, "plain").get("T1")).toBe("plain");
  });

  it("leave what they cannot open as it is", async () => {
    await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).set("T1", account);
    expect(await reseal(store.db, createSealer(newKey()))).toEqual({ sealed: 0, unreadable: 1 });
    expect(await createSealedKeyv<Account>(store.db, "accounts", createSealer(key)).get("T1")).toEqual(
      account,
    );
  });
});

describe("the key file", () => {
  const quiet = { warn: () => undefined };

  it("is made for its owner alone, and read back", () => {
    expect(readKeyFile(folder, quiet)).toEqual([]);
    const made = makeKeyFile(folder);
    expect(statSync(join(folder, "secret.key")).mode & 0o777).toBe(0o600);
    expect(readKeyFile(folder, quiet).map((one) => one.equals(made))).toEqual([true]);
    expect(existsSync(join(folder, "secret.key.new"))).toBe(false);
  });

  it("is narrowed where others can read it, and that is told", () => {
    makeKeyFile(folder);
    const file = join(folder, "secret.key");
    const told: string[] = [];
    writeFileSync(`${file}.open`, readFileSync(file), { mode: 0o644 });
    renameSync(`${file}.open`, file);
    readKeyFile(folder, { warn: (_, message) => void told.push(message) });
    expect(told.join()).toContain("others could read");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is not replaced when it cannot be used", () => {
    writeFileSync(join(folder, "secret.key"), "c2hvcnQ=\n");
    expect(() => readKeyFile(folder, quiet)).toThrow(
      expect.objectContaining({ code: "secret_key_unreadable" }),
    );
  });
});

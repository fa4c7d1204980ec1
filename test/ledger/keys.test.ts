import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { FailPointName } from "#src/base/fail-point.ts";
import { makeKeyFile, readKeyFile } from "#src/store/key-file.ts";
import { openEmbeddedStore, openEmbeddedStoreForReading } from "#src/store/open.ts";
import { finishFolderKeys, rotateGivenKey } from "#src/store/rotate-keys.ts";
import {
  changeSealed,
  createSealedKeyv,
  createSealer,
  keyIdOf,
  requireKey,
  sealedBy,
} from "#src/store/sealed.ts";
import { projectRoot } from "#test/e2e/support.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const failPoint = (): void => undefined;
const quiet = { warn: () => undefined };

function newKey(): KeyObject {
  return createSecretKey(randomBytes(32));
}

describe.each(storeKinds)("the key of sealed state on %s", (kind) => {
  it("[ops.keys] is rotated while a process with the old one reads and writes, which gets the new one and loses nothing", async () => {
    const { first, second } = await stores.open(kind);
    const [old, next] = [newKey(), newKey()];
    const running = createSealer(old);
    const state = createSealedKeyv<number>(first.db, "accounts", running);
    for (let at = 0; at < 20; at += 1) await state.set(`kept-${at}`, at);
    const over = new AbortController();
    let written = 0;
    const write = async (who: number): Promise<void> => {
      for (let at = 0; !over.signal.aborted; at += 1) {
        await first.db.transaction().execute(async (tx) => {
          await createSealedKeyv<number>(tx, "accounts", running).set(`new-${who}-${at}`, at);
          await createSealedKeyv<number>(tx, "accounts", running).set(`kept-${at % 20}`, at % 20);
        });
        const changed = { db: first.db, namespace: "accounts", sealer: running };
        await changeSealed<number>(changed, `kept-${(at + who) % 20}`, (before) => before);
        written += 1;
        // node:sqlite never yields.
        await nextRound();
      }
    };
    const writing = Promise.all([write(0), write(1), write(2)]);
    await expect.poll(() => written).toBeGreaterThan(5);
    const where = { db: second.db, kind, failPoint };
    const rotated = await rotateGivenKey(where, { next, old: [old], handoverMs: 60_000 });
    expect(rotated).toMatchObject({ keyId: keyIdOf(next), unreadable: 0 });
    expect(rotated.sealed).toBeGreaterThan(0);
    const then = written;
    await expect.poll(() => written).toBeGreaterThan(then + 5);
    over.abort();
    await writing;
    expect([...(await sealedBy(second.db)).keys()]).toEqual([keyIdOf(next)]);
    expect(running.keyId).toBe(keyIdOf(next));
    const alone = createSealedKeyv<number>(second.db, "accounts", createSealer(next));
    let values = 0;
    for await (const _ of alone.iterator()) values += 1;
    expect(values).toBeGreaterThan(20 + then);
    for (let at = 0; at < 20; at += 1) expect(await alone.get(`kept-${at}`)).toBe(at);
  });

  it("[ops.keys] is handed to who starts with the old one, for a while; then they are told to take the new one", async () => {
    const { first } = await stores.open(kind);
    const { db } = first;
    const [old, next, newest] = [newKey(), newKey(), newKey()];
    await createSealedKeyv<string>(db, "accounts", createSealer(old)).set("T1", "kept");
    const where = { db, kind, failPoint };
    await rotateGivenKey(where, { next, old: [old], handoverMs: 60_000 });
    await rotateGivenKey(where, { next: newest, old: [next], handoverMs: 60_000 });
    const late = createSealer(old);
    await requireKey(db, late);
    expect(late.keyId).toBe(keyIdOf(newest));
    const state = createSealedKeyv<string>(db, "accounts", late);
    expect(await state.get("T1")).toBe("kept");
    await state.set("T2", "by the newest");
    const reader = createSealedKeyv<string>(db, "accounts", createSealer(old));
    expect(await reader.get("T2")).toBe("by the newest");

    await db.updateTable("kv").set({ expires_at: 1 }).where("key", "like", "keys.handover:%").execute();
    await expect(requireKey(db, createSealer(old))).rejects.toMatchObject({ code: "sealed_key_retired" });
    const later = createSealedKeyv<string>(db, "accounts", createSealer(old));
    await expect(later.set("T3", "by nobody")).rejects.toMatchObject({ code: "sealed_key_retired" });
    await expect(later.get("T1")).rejects.toMatchObject({ code: "sealed_key_unknown" });
    // Who runs since then is ahead of its environment, and stays there.
    await state.set("T3", "still");
    await expect(
      rotateGivenKey(where, { next: old, old: [newest], handoverMs: 60_000 }),
    ).rejects.toMatchObject({ code: "sealed_key_retired" });
    expect(await state.get("T1")).toBe("kept");
  });
});

describe("countersign keys rotate", () => {
  it("[ops.keys] that is killed anywhere goes on with the next one, or with the next start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-keys-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const config = join(folder, "countersign.json");
    writeFileSync(config, JSON.stringify({ servers: [] }));
    const store = await openEmbeddedStore(folder);
    const made = makeKeyFile(folder);
    await createSealedKeyv<string>(store.db, "accounts", createSealer(made)).set("T1", "kept");
    await store.close();

    async function rotate(at: FailPointName | ""): Promise<unknown> {
      const child = spawn(process.execPath, ["countersign.js", "keys", "rotate", "--config", config], {
        cwd: projectRoot,
        env: { ...process.env, COUNTERSIGN_DATA: folder, COUNTERSIGN_FAIL_POINT: at },
        stdio: ["ignore", "ignore", "inherit"],
      });
      return (await once(child, "close"))[at === "" ? 0 : 1];
    }
    async function kept(): Promise<{ keys: number; sealedBy: string[]; value: string | undefined }> {
      const keys = readKeyFile(folder, quiet);
      const { db, close } = openEmbeddedStoreForReading(folder);
      const [own, ...others] = keys;
      if (own === undefined) throw new Error("expected a key");
      const value = await createSealedKeyv<string>(db, "accounts", createSealer(own, others)).get("T1");
      const ids = [...(await sealedBy(db)).keys()];
      await close();
      return { keys: keys.length, sealedBy: ids, value };
    }

    const before = keyIdOf(made);
    expect(await rotate("rotate.made")).toBe("SIGKILL");
    expect(await kept()).toEqual({ keys: 2, sealedBy: [before], value: "kept" });
    expect(await rotate("rotate.retired")).toBe("SIGKILL");
    expect(await kept()).toEqual({ keys: 3, sealedBy: [before], value: "kept" });
    expect(await rotate("rotate.sealed")).toBe("SIGKILL");
    expect(await kept()).toMatchObject({ keys: 4, value: "kept" });
    expect(await rotate("")).toBe(0);
    const [only] = readKeyFile(folder, quiet);
    expect(await kept()).toEqual({ keys: 1, sealedBy: only && [keyIdOf(only)], value: "kept" });

    expect(await rotate("rotate.retired")).toBe("SIGKILL");
    const again = await openEmbeddedStore(folder);
    const [own, ...others] = readKeyFile(folder, quiet);
    if (own === undefined) throw new Error("expected a key");
    await finishFolderKeys(folder, { db: again.db, kind: "sqlite", failPoint }, createSealer(own, others));
    await again.close();
    expect(await kept()).toEqual({ keys: 1, sealedBy: [keyIdOf(own)], value: "kept" });
    expect((await readdir(folder)).filter((name) => name.endsWith(".new"))).toEqual([]);
    expect(readFileSync(join(folder, "secret.key"), "utf8").split("\n")).toHaveLength(2);
  });
});

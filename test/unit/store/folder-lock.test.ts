import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { lockDataFolder } from "#src/store/folder-lock.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = fileURLToPath(new URL("../../../src/store/folder-lock.ts", import.meta.url));

/** Another process that takes the folder and holds it until it is killed. */
async function holder(): Promise<{ pid: number; kill: () => Promise<void> }> {
  const script = `import { lockDataFolder } from ${JSON.stringify(file)};
    // Kept, as the lock goes with its handle when that is collected.
    globalThis.held = lockDataFolder(${JSON.stringify(folder)});
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("the lock of a data folder", () => {
  it("makes the folder, only for its owner, and writes down who holds it", async () => {
    const inner = join(folder, "a", "b");
    const lock = lockDataFolder(inner);
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(inner, "lock.pid"), "utf8")).toBe(`${process.pid}\n`);
    lock.release();
  });

  it("refuses a second holder and names the first", async () => {
    const other = await holder();
    try {
      expect(() => lockDataFolder(folder)).toThrowError(
        expect.objectContaining({
          code: "data_folder_in_use",
          message: expect.stringContaining(`process ${other.pid}`),
        }),
      );
      // The refused one leaves the holder's mark.
      expect(await readFile(join(folder, "lock.pid"), "utf8")).toBe(`${other.pid}\n`);
    } finally {
      await other.kill();
    }
  });

  it("goes with its process, also after kill -9", async () => {
    const other = await holder();
    await other.kill();
    const lock = lockDataFolder(folder);
    expect(await readFile(join(folder, "lock.pid"), "utf8")).toBe(`${process.pid}\n`);
    lock.release();
  });

  it("can be taken again after it was released", () => {
    lockDataFolder(folder).release();
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrowError(
      expect.objectContaining({ code: "data_folder_in_use" }),
    );
    lock.release();
  });

  it("refuses a file where the folder should be", async () => {
    const path = join(folder, "file");
    await writeFile(path, "");
    expect(() => lockDataFolder(path)).toThrowError(
      expect.objectContaining({ code: "data_folder_unwritable", message: expect.stringContaining(path) }),
    );
  });
});

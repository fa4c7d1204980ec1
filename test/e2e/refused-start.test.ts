import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, vi } from "vitest";

import {
  askFor,
  cleanUp,
  follow,
  isReady,
  jiraOnly,
  launchProduct,
  readTurn,
  refusalOf,
  request,
  say,
  startHosted,
  startProduct,
  startRefused,
  temporaryFolder,
  type WireError,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Mounts a small file system of its own; undefined where this machine does not allow that. */
async function mountTmpfs(options: string): Promise<string | undefined> {
  const folder = await temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "countersign-test", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  // Lazily, as a process that is about to end may still hold a file of it.
  cleanUp(async () => void execFileSync("umount", ["-l", folder], { stdio: "ignore" }));
  return folder;
}

/** Where no server is needed: what is refused, is refused without one. */
const bare = { model: { provider: "builtin" }, servers: [] };

const noMount = "this machine does not allow mounting, so a file system cannot be made full or read-only";

describe("start is refused", () => {
  it("[mcp.config] for a configuration with a typo, naming the file, the place and the nearest key", async () => {
    const { code, stderr } = await startRefused({ config: "polcy:\n  default: ask\n" });
    expect(code).toBe(1);
    expect(stderr).toContain("countersign.yaml:1:1");
    expect(stderr).toContain("polcy");
    expect(stderr).toMatch(/did you mean.*policy/i);
    expect(stderr).toContain("[config_invalid]");
    expect(stderr).not.toContain("    at ");
  });

  it("[mcp.config] for a server without a way to reach it", async () => {
    const refusal = await refusalOf({ config: { servers: [{ name: "jira" }] } });
    expect(refusal).toMatch(/servers\[0\]/);
    expect(refusal).toMatch(/command/);
  });

  it("for a configuration that is not there", async () => {
    const { code, stderr } = await startRefused({ args: ["start", "--config", "config/nowhere.yaml"] });
    expect(code).toBe(1);
    expect(stderr).toContain("config/nowhere.yaml");
  });

  it("for a port in use, naming it, and leaves the data folder free", async () => {
    const holder = createServer();
    holder.listen(0, "127.0.0.1");
    await once(holder, "listening");
    cleanUp(async () => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const dataDir = await temporaryFolder();
    const { code, stderr } = await startRefused({ config: bare, dataDir, env: { PORT: String(port) } });
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
    expect(stderr).toContain("PORT");
    expect(stderr).not.toContain("    at ");
    const product = await startHosted({ config: bare, dataDir });
    expect(await product.stop()).toBe(0);
  });

  it("[ops.scale] [ops.rate-limits] for a second process on one data folder, naming the one that holds it; what a killed one counted counts on", async () => {
    const config = { ...bare, limits: { per_person: { turns: "1/d" } } };
    const first = await startProduct({ config });
    const refusal = await refusalOf({ config: bare, dataDir: first.dataDir });
    expect(refusal).toContain("[data_folder_in_use]");
    expect(refusal).toContain(`process ${first.pid}`);
    expect(refusal).toContain(first.dataDir);
    expect((await say(first, "hello")).status).toBe(200);

    // The lock goes with its process, also where that was killed.
    await first.kill();
    const third = await startHosted({ config, dataDir: first.dataDir });
    const { body } = await say(third, "hello");
    expect(body.reply).toContain("You have used all that one person may: 1 request a day.");
  });

  it("for a data folder that cannot be written", async ({ skip }) => {
    const folder = (await mountTmpfs("size=1m,ro")) ?? skip(noMount);
    for (const dataDir of [folder, join(folder, "below")]) {
      const refusal = await refusalOf({ config: bare, dataDir });
      expect(refusal).toContain("[data_folder_unwritable]");
      expect(refusal).toContain(dataDir);
      expect(refusal).toContain("COUNTERSIGN_DATA");
    }
  });

  it("for a data folder that is a file", async () => {
    const dataDir = join(await temporaryFolder(), "data");
    await writeFile(dataDir, "I am a file\n");
    const refusal = await refusalOf({ config: bare, dataDir });
    expect(refusal).toContain("[data_folder_unwritable]");
    expect(await readFile(dataDir, "utf8")).toBe("I am a file\n");
  });

  it("for a database that is none, and it is left as it was", async () => {
    const dataDir = await temporaryFolder();
    const file = join(dataDir, "countersign.db");
    await writeFile(file, "this is a diary, not a database\n".repeat(200));
    await chmod(file, 0o600);
    const refusal = await refusalOf({ config: bare, dataDir });
    expect(refusal).toMatch(/\[store_\w+\]/);
    expect(refusal).toMatch(/not a database/);
    expect(await readFile(file, "utf8")).toContain("this is a diary");
  });
});

describe("a store with flipped bits", () => {
  it("[audit.verify] says in health what was found, and is refused where turns cannot be read", async () => {
    const dataDir = await temporaryFolder();
    const file = join(dataDir, "countersign.db");
    const first = await startHosted({ config: bare, dataDir });
    expect((await say(first, "hello")).status).toBe(200);
    expect(await request(first, "GET", "/health")).toMatchObject({ body: { status: "ok" } });
    expect(await first.stop()).toBe(0);

    const db = new DatabaseSync(file);
    db.exec("update audit set at = at + 1 where seq = (select max(seq) from audit)");
    const turns = db.prepare("select rootpage from sqlite_schema where name = 'turns'").get();
    db.close();
    const second = await startHosted({ config: bare, dataDir });
    expect(await request(second, "GET", "/health")).toMatchObject({
      status: 200,
      body: {
        status: "degraded",
        store: {
          ok: true,
          damage: [expect.stringMatching(/^audit: entry \d+ was changed: its hash does not fit$/)],
        },
      },
    });
    expect(await second.stop()).toBe(0);

    const bytes = await readFile(file);
    const at = (Number(turns?.rootpage) - 1) * 4_096;
    // The first five bytes of its first page: forty bits.
    for (const [place, byte] of bytes.subarray(at, at + 5).entries()) bytes[at + place] = byte ^ 0xff;
    await writeFile(file, bytes);
    const refusal = await refusalOf({ config: bare, dataDir });
    expect(refusal).toMatch(/the table turns cannot be read.*restore a backup.*\[store_damaged\]/);
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });
});

describe("a full disk", () => {
  it("[turn.recover] is answered with 503, loses nothing that was acknowledged, and is got over", async ({
    skip,
  }) => {
    const dataDir = (await mountTmpfs("size=3m")) ?? skip(noMount);
    const product = await startProduct({ config: jiraOnly(), dataDir });
    const first = await say(product, "/jira DEMO-1", { session_id: "before" });
    expect(first.body.tool_result?.ok).toBe(true);
    const { pending } = await askFor(product, "create an issue in DEMO titled 'Full'", {
      session_id: "waits",
    });

    const balloon = join(dataDir, "balloon");
    await fill(balloon);
    // Pages that the database has already may take a few more turns.
    const acknowledged: string[] = [];
    let refused: { status: number; body: unknown } | undefined;
    // The long ones first, the short ones take what is left: after them there is room for nothing.
    for (const length of [4_000, 1]) {
      refused = undefined;
      for (let n = 0; refused === undefined && n < 60; n += 1) {
        const answer = await request<{ turn_id?: string } & Partial<WireError>>(
          product,
          "POST",
          "/agent/turn",
          { session_id: `full-${length}-${n}`, message: `/jira DEMO-1 ${"x".repeat(length)}` },
        );
        const turnId = answer.body.turn_id ?? detailsOf(answer.body);
        if (turnId !== undefined) acknowledged.push(turnId);
        else refused = answer;
      }
    }
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: "store_full", message: expect.stringContaining("Free some space") } },
    });
    const health = await request(product, "GET", "/health");
    expect([200, 503]).toContain(health.status);
    // Whatever else people do is told the same, and does nothing. What is small may still find room.
    const told = { status: 503, body: { error: { code: "store_full" } } };
    const long = "y".repeat(2_000);
    const at = `/approvals/${pending.approval_id}`;
    for (const [path, body] of [
      [`${at}/decision`, { decision: "approve", reason: long }],
      [`${at}/decision`, { decision: "deny", reason: long }],
      [`${at}/edit`, { args: { project: "DEMO", summary: "Other", description: long } }],
    ] as const) {
      expect(await request(product, "POST", path, body)).toMatchObject(told);
    }
    expect(await request(product, "GET", at)).toMatchObject({ body: { state: "pending" } });

    await writeFile(balloon, "");
    expect(await request(product, "POST", `${at}/decision`, { decision: "approve" })).toMatchObject({
      status: 200,
    });
    const after = await say(product, "/jira DEMO-2", { session_id: "after" });
    expect(after).toMatchObject({
      status: 200,
      body: { tool_result: { ok: true, data: { key: "DEMO-2" } } },
    });
    for (const turnId of acknowledged) {
      await follow(product, turnId);
      expect(["done", "failed"]).toContain((await readTurn(product, turnId)).state);
    }
    expect((await readTurn(product, String(first.body.turn_id))).state).toBe("done");
    expect(await product.stop()).toBe(0);

    // And what is on disk is whole.
    const again = await startHosted({ config: jiraOnly(), dataDir });
    expect((await readTurn(again, String(after.body.turn_id))).state).toBe("done");
  });

  it("at start is refused with a clear error", async ({ skip }) => {
    const dataDir = (await mountTmpfs("size=64k")) ?? skip(noMount);
    await fill(join(dataDir, "balloon"));
    const refusal = await refusalOf({ config: bare, dataDir });
    expect(refusal).toMatch(/\[(store_full|data_folder_unwritable)\]/);
    expect(refusal).toMatch(/space/);
  });
});

/** Writes until the file system is full. */
async function fill(file: string): Promise<void> {
  for (const size of [1 << 16, 1 << 12, 1 << 9]) {
    for (;;) {
      try {
        await writeFile(file, Buffer.alloc(size), { flag: "a" });
      } catch {
        break;
      }
    }
  }
}

function detailsOf(body: Partial<WireError>): string | undefined {
  const details = body.error?.details as { turn_id?: string } | undefined;
  return details?.turn_id;
}

describe("a store that is taken away", () => {
  it("[turn.recover] is noticed before the acknowledgement, told in health, and got over", async () => {
    const dataDir = join(await temporaryFolder(), "data");
    const first = await startProduct({ config: bare, dataDir });
    expect((await say(first, "hello")).status).toBe(200);
    const told = { status: 503, body: { error: { code: "store_lost" } } };
    const lost = { status: 503, body: { status: "degraded", store: { ok: false, code: "store_lost" } } };
    const turn = { session_id: "lost", message: "hello" };

    await rename(dataDir, `${dataDir}.away`);
    expect(await request(first, "POST", "/agent/turn", turn)).toMatchObject(told);
    expect(await request(first, "GET", "/health")).toMatchObject(lost);
    expect(
      first.log.filter(({ level, msg }) => level === "error" && /store is lost/.test(String(msg))),
    ).toHaveLength(1);

    // Another process takes the empty place: it works, and the first one stays out of it.
    const second = await startHosted({ config: bare, dataDir });
    expect((await say(second, "hello")).status).toBe(200);
    expect(await request(first, "POST", "/agent/turn", turn)).toMatchObject(told);
    expect(await second.stop()).toBe(0);

    await rm(dataDir, { recursive: true });
    await rename(`${dataDir}.away`, dataDir);
    expect((await say(first, "hello again")).status).toBe(200);
    expect(await request(first, "GET", "/health")).toMatchObject({ status: 200, body: { status: "ok" } });

    // Deleted for good: it goes on saying so, and stops in order.
    await rm(dataDir, { recursive: true });
    expect(await request(first, "POST", "/agent/turn", turn)).toMatchObject(told);
    expect(await first.stop()).toBe(0);
  });
});

describe("the command line", () => {
  it("answers wrong use with the reason, the usage and exit code 2", async () => {
    for (const [args, said] of [
      [["dance"], "dance isn't a command"],
      [["start", "now"], "got now"],
      [["start", "--confg", "x"], "Did you mean --config?"],
    ] as const) {
      const { code, stderr } = await startRefused({ args: [...args] });
      expect(code).toBe(2);
      expect(stderr).toContain(said);
      expect(stderr).toContain("Usage: countersign");
    }
  });
});

describe("an IPv6 address", () => {
  it("is served on, and asked by the commands, with the brackets of a URL and without them", async ({
    skip,
  }) => {
    const hasLoopback = Object.values(networkInterfaces())
      .flat()
      .some((one) => one?.address === "::1");
    if (!hasLoopback) skip("this machine has no ::1");
    for (const HOST of ["[::1]", "::1"]) {
      const product = await startHosted({ config: bare, env: { HOST } });
      expect(product.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
      expect((await say(product, "hello")).status).toBe(200);
      const { status, body } = await request<{ approvals: unknown[] }>(product, "GET", "/approvals");
      expect([status, body.approvals]).toEqual([200, []]);
      expect(await product.stop()).toBe(0);
    }
  });
});

describe("stopping", () => {
  it("ends with exit code 0, also while it is still starting", async () => {
    // That it does when it runs, tests above see.
    const starting = await launchProduct({ config: jiraOnly() });
    await starting.line((line) => typeof line.url === "string");
    expect(await starting.stop()).toBe(0);
    expect(starting.log.filter(isReady).length).toBeLessThanOrEqual(1);
  });
});

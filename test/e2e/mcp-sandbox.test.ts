import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { SandboxConfig } from "#src/mcp/config.ts";
import { faulty, root, running, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";
import { has } from "#test/machine.ts";

import { refusalOf, startHosted, startRefused } from "./support.ts";

const config = {
  model: { provider: "builtin" },
  servers: [{ name: "shut_in", command: ["node", "test/fakes/mcp-fault.ts"], sandbox: {} }],
};

let folder: string;
let open: TestBox | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-sandbox-"));
});

afterEach(async () => {
  await open?.box.stop();
  open = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** What a server that is shut in so can reach. */
async function probe(sandbox: SandboxConfig, args: Record<string, string | number>): Promise<unknown> {
  await open?.box.stop();
  const env = { ...process.env, SLACK_BOT_TOKEN: "xoxb-secret", COUNTERSIGN_DATA: join(folder, "data") };
  open = testBox([faulty("server", [], { sandbox, env: { GREETING: "hello" } })], { env });
  await open.box.start();
  return (await open.call("server.probe", args)).data;
}

describe.skipIf(!has("bubblewrap"))("a server in a sandbox", () => {
  it("[mcp.sandbox] sees its allow-listed environment and nothing else", async () => {
    const { env } = (await probe({}, {})) as { env: string[] };
    expect(env).toContain("GREETING");
    expect(env).not.toContain("SLACK_BOT_TOKEN");
    const known = [
      "COUNTERSIGN_DATA",
      "GREETING",
      "HOME",
      "LANG",
      "PATH",
      "PWD",
      "TERM",
      "TMPDIR",
      "TZ",
      "USER",
    ];
    expect(env.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("[mcp.sandbox] writes nowhere but in its own /tmp and the listed folders", async () => {
    const shared = join(folder, "shared");
    await mkdir(shared);
    await mkdir(join(folder, "data"));
    await writeFile(join(folder, "data", "key"), "secret");

    expect(await probe({}, { write: join(root, "forbidden.txt") })).toMatchObject({ write: "EROFS" });
    expect(await probe({}, { write: "/tmp/own.txt" })).toMatchObject({ write: "undefined" });
    await expect(readFile("/tmp/own.txt")).rejects.toThrow("ENOENT");
    expect(await probe({}, { read: join(folder, "data", "key") })).toMatchObject({ read: "ENOENT" });
    expect(await probe({ write: [shared] }, { write: join(shared, "a.txt") })).toMatchObject({
      write: "undefined",
    });
    expect(await readFile(join(shared, "a.txt"), "utf8")).toBe("was here");
  });

  it("[mcp.sandbox] reads only the system and the listed folders, where they are listed", async () => {
    const listed = join(folder, "listed");
    await mkdir(listed);
    await writeFile(join(listed, "note.txt"), "hello");
    await writeFile("/var/local/countersign-probe.txt", "outside");
    try {
      expect(await probe({}, { read: "/var/local/countersign-probe.txt" })).toMatchObject({
        read: "outside",
      });
      expect(await probe({ read: [listed] }, { read: "/var/local/countersign-probe.txt" })).toMatchObject({
        read: "ENOENT",
      });
    } finally {
      await rm("/var/local/countersign-probe.txt");
    }
    expect(await probe({ read: [listed] }, { read: join(listed, "note.txt") })).toMatchObject({
      read: "hello",
    });
  });

  it("[mcp.sandbox] has no network unless it is allowed", async () => {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    expect(await probe({}, { connect: port })).toMatchObject({ connect: "ECONNREFUSED" });
    expect(await probe({ network: true }, { connect: port })).toMatchObject({ connect: "connected" });
    listener.close();
  });

  it("[mcp.sandbox] ends with everything in it", async () => {
    open = testBox([faulty("server", ["--stubborn"], { sandbox: {}, use_persistent_session: true })]);
    await open.box.start();
    const { data } = await open.call("server.grandchild");
    // Inside, process ids begin anew.
    expect((data as { pid: number }).pid).toBeLessThan(100);
    const [{ data: launched } = { data: {} }] = open.logged.filter(
      (line) => line.message === "server launched",
    );
    const pid = Number((launched as { pid?: number }).pid);
    expect(await running(pid)).toBe(true);
    await open.box.stop();
    expect(await running(pid)).toBe(false);
    expect(open.logged.filter((line) => line.level === "error")).toEqual([]);
  });

  it("[mcp.sandbox] starts with a server in a sandbox by one setting", async () => {
    const product = await startHosted({ config });
    const health = (await (await fetch(`${product.url}/health`)).json()) as { servers: object };
    expect(health.servers).toMatchObject({ shut_in: { status: "up" } });
  });
});

describe("the product", () => {
  it("[mcp.sandbox] refuses to start where bubblewrap is missing", async () => {
    const { code, stderr } = await startRefused({ config, env: { PATH: folder } });
    expect(code).toBe(1);
    expect(stderr).toContain("expected bubblewrap for the sandbox of shut_in, found no program bwrap");
  });

  it("refuses a sandbox without network for a server that is reached over the network", async () => {
    const servers = [{ ...config.servers[0], url: "http://127.0.0.1:9/mcp" }];
    expect(await refusalOf({ config: { ...config, servers } })).toContain("servers[0].sandbox.network");
  });
});

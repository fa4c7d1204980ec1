import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { startMetrics } from "#adapters/http/start.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  while (ends.length > 0) await ends.pop()?.();
});

async function serve(text = "# EOF\n", token = ""): Promise<URL> {
  const metrics = { contentType: "text/plain", read: () => Promise.resolve(text) };
  const server = await startMetrics(metrics, { host: "127.0.0.1", port: 0, token });
  ends.push(() => server.stop());
  return new URL("/metrics", server.url);
}

/** Somebody who asks and reads only the beginning of the answer. */
async function stall({ hostname, port, pathname, host }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  ends.push(() => socket.destroy());
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

describe("a port for what is counted", () => {
  it("[ops.metrics] answers whoever reads, however many others stall, and those only up to a number", async () => {
    // More than the kernel takes for a reader that takes nothing.
    const url = await serve("x".repeat(16 * 1024 * 1024));
    const stalled = await Promise.all([1, 2, 3].map(() => stall(url)));
    const read = await fetch(url);
    expect((await read.text()).length).toBe(16 * 1024 * 1024);
    stalled.push(await stall(url));
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await refused.json()).toMatchObject({ error: { code: "busy" } });
    stalled[0]?.destroy();
    const again = async (): Promise<number> => {
      const response = await fetch(url);
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(again).toBe(200);
  });

  it("[ops.metrics] is for this machine, or for whoever has the token", async () => {
    const open = await serve();
    expect((await fetch(open)).status).toBe(200);
    const socket = connect(Number(open.port), open.hostname);
    ends.push(() => socket.destroy());
    socket.write(`GET /metrics HTTP/1.1\r\nhost: evil.example\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 403/);

    const closed = await serve("# EOF\n", "a-long-token-of-the-scraper");
    const ask = async (authorization: string): Promise<number> =>
      (await fetch(closed, { headers: { authorization } })).status;
    expect((await fetch(closed)).status).toBe(401);
    expect(await ask("Bearer a-long-token-of-nobody")).toBe(401);
    expect(await ask("Bearer a-long-token-of-the-scraper")).toBe(200);
  });

  it("says which port is taken and what to do, and is not opened to others without a token", async () => {
    const { port } = await serve();
    const metrics = { contentType: "", read: () => Promise.resolve("") };
    await expect(
      startMetrics(metrics, { host: "127.0.0.1", port: Number(port), token: "" }),
    ).rejects.toMatchObject({
      code: "port_in_use",
      message: expect.stringMatching(new RegExp(`Port ${port} .*set metrics.port to one that is free`)),
    });
    await expect(startMetrics(metrics, { host: "0.0.0.0", port: 0, token: "" })).rejects.toMatchObject({
      code: "insecure_bind",
      message: expect.stringContaining("metrics.token"),
    });
  });
});

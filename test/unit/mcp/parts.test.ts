import { once } from "node:events";
import { PassThrough } from "node:stream";
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";

import { backOff } from "#src/base/time.ts";
import { childEnvironment, logLines } from "#src/mcp/connect/launcher.ts";
import { toCallError } from "#src/mcp/errors.ts";

describe("childEnvironment", () => {
  it("passes the short list and what is configured, and nothing else", () => {
    const parent = {
      PATH: "/bin",
      HOME: "/home/a",
      SLACK_BOT_TOKEN: "x",
      NODE_OPTIONS: "--inspect",
      LANG: "C",
    };
    expect(childEnvironment(parent, { LANG: "nb_NO", JIRA_URL: "http://jira" })).toEqual({
      PATH: "/bin",
      HOME: "/home/a",
      LANG: "nb_NO",
      JIRA_URL: "http://jira",
    });
  });
});

describe("backoff", () => {
  it("doubles up to its bound and varies by half", () => {
    const bounds = { minMs: 100, maxMs: 1_000 };
    for (const [failures, full] of [
      [1, 100],
      [2, 200],
      [4, 800],
      [5, 1_000],
      [5_000, 1_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => backOff(failures, bounds));
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(full / 2);
      expect(Math.max(...delays)).toBeLessThanOrEqual(full);
      expect(new Set(delays).size).toBeGreaterThan(10);
    }
  });
});

describe("logLines", () => {
  async function lines(...chunks: string[]): Promise<{ written: string[]; tail: string[] }> {
    const written: string[] = [];
    const stream = new PassThrough();
    const log = logLines(stream, (line) => void written.push(line));
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    await once(stream, "close");
    return { written, tail: log.tail() };
  }

  it("puts lines together over chunks and hands on an unfinished last one", async () => {
    expect((await lines("one\ntw", "o\r\n\nthr", "ee")).written).toEqual(["one", "two", "three"]);
  });

  it("holds a flood back, counts it, and remembers its last lines", async () => {
    const { written, tail } = await lines(Array.from({ length: 5_000 }, (_, n) => `line ${n}\n`).join(""));
    expect(written.slice(0, 2)).toEqual(["line 0", "line 1"]);
    expect(written.length).toBeLessThan(200);
    expect(written.at(-1)).toMatch(/^\(\d+ more lines left out\)$/);
    expect(tail.at(-1)).toBe("line 4999");
  });

  it("cuts a line that never ends", async () => {
    const { written } = await lines(...Array.from({ length: 40 }, () => "x".repeat(1_000)));
    expect(Math.max(...written.map((line) => line.length))).toBeLessThanOrEqual(2_001);
  });
});

describe("toCallError", () => {
  const facts = {
    server: "s",
    toolName: "t",
    outOfTime: undefined,
    wasHeard: false,
    askedTooMuch: false,
    cancelled: false,
    lost: undefined,
  };
  const refused = new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  });
  const reset = new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  });
  const unreachable = (syscall: string): Error =>
    new TypeError("fetch failed", {
      cause: Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: "EHOSTUNREACH", syscall }),
    });
  const http = (status: number): SdkHttpError =>
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status });

  it.each([
    [
      "a user's abort, which the SDK calls a timeout",
      new SdkError(SdkErrorCode.RequestTimeout, "x"),
      { cancelled: true },
      "cancelled",
      "maybe",
    ],
    [
      "a silence that is too long",
      new SdkError(SdkErrorCode.RequestTimeout, "x"),
      { outOfTime: { limit: "idle", ms: 2_000 } as const },
      "timeout",
      "maybe",
    ],
    [
      "a 400, whatever it says of sessions",
      new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "No valid session ID provided", {
        status: 400,
      }),
      {},
      "protocol",
      "maybe",
    ],
    [
      "a lost connection, which aborts the call",
      new SdkError(SdkErrorCode.RequestTimeout, "x"),
      { lost: { message: "died" } },
      "transport",
      "maybe",
    ],
    ["a closed connection", new SdkError(SdkErrorCode.ConnectionClosed, "x"), {}, "transport", "maybe"],
    [
      "a connection that was never there",
      new SdkError(SdkErrorCode.NotConnected, "x"),
      {},
      "transport",
      "no",
    ],
    [
      "a message that was not written",
      new SdkError(SdkErrorCode.SendFailed, "write EPIPE"),
      {},
      "transport",
      "no",
    ],
    ["a refused connection", refused, {}, "transport", "no"],
    ["one that is refused when the server had spoken", refused, { wasHeard: true }, "transport", "maybe"],
    ["a network without a way there", unreachable("connect"), {}, "transport", "no"],
    ["a way that was lost after sending", unreachable("read"), {}, "transport", "maybe"],
    ["a reset connection", reset, {}, "transport", "maybe"],
    ["a session that is gone", http(404), {}, "protocol", "maybe"],
    ["a refusal", http(403), {}, "protocol", "maybe"],
    ["a broken server", http(502), {}, "transport", "maybe"],
    ["a protocol error", new ProtocolError(-32602, "no such tool"), {}, "protocol", "yes"],
    ["an answer that is not MCP", new SdkError(SdkErrorCode.InvalidResult, "x"), {}, "protocol", "maybe"],
    [
      "a message that is too large",
      new SdkError(SdkErrorCode.ConnectionClosed, "x"),
      { lost: { code: "too_large", message: "big" } },
      "too_large",
      "maybe",
    ],
    [
      "too many questions, whose end aborts the call",
      new SdkError(SdkErrorCode.RequestTimeout, "x"),
      { askedTooMuch: true },
      "protocol",
      "maybe",
    ],
    ["anything else", new Error("odd"), {}, "transport", "maybe"],
  ])("types %s", (_, error, more, code, sent) => {
    expect(toCallError(error, { ...facts, ...more })).toMatchObject({ code, sent });
  });
});

import type { Readable } from "node:stream";
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";

import type { CountersignError } from "../../base/errors.ts";
import { pauseAfter } from "../../base/time.ts";
import { maxMessageBytes, slice } from "../limits.ts";
import { lineFeed, tooLarge } from "./fetch.ts";
import type { LaunchedServer } from "./launcher.ts";

/** How long output may still arrive after the server ended, in ms. */
const drainMs = 200;

/** Messages that are further apart than this, in ms, are no flood. */
const pauseMs = 50;

/**
 * Messages over the pipes of a launched server. The SDK's own transport ends the direct child only;
 * this one belongs to a process group that ends as a whole.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #launch: () => Promise<LaunchedServer>;
  readonly #onSaid: () => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Messages since others had their turn, and when the first of them came. */
  #taken = 0;
  #begunMs = 0;
  #launched: LaunchedServer | undefined;
  #closed = false;
  #failure: CountersignError | undefined;

  /** `onSaid` hears of each message that is no answer. */
  constructor(launch: () => Promise<LaunchedServer>, onSaid: () => void) {
    this.#launch = launch;
    this.#onSaid = onSaid;
  }

  // The SDK takes a transport with `pid` and `stderr` for stdio, where a server that keeps silent
  // about `server/discover` is an old one and not an outage.
  get pid(): number | null {
    return this.#launched?.process.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** Why the connection ended by itself, if it did. */
  failure(): { code?: string; message: string } | undefined {
    const message = this.#launched?.ending();
    return this.#failure ?? (message === undefined ? undefined : { message });
  }

  async start(): Promise<void> {
    const launched = await this.#launch();
    this.#launched = launched;
    if (this.#closed) {
      await launched.end();
      throw new SdkError(SdkErrorCode.ConnectionClosed, "closed while the server was being launched");
    }
    const { child, exited } = launched.process;
    child.stdout.on("data", (chunk: Buffer) => void this.#read(chunk, child.stdout));
    child.stdout.on("error", (error) => this.onerror?.(error));
    child.once("close", () => this.#finish());
    // A descendant may hold the pipes open: the end of the server is what counts.
    child.stdout.once("end", () => this.#finishSoon());
    void exited.then(() => this.#finishSoon());
  }

  /** Never rejects. While others have their turn the server's output waits in its pipe. */
  async #read(chunk: Buffer, output: Readable): Promise<void> {
    if (this.#closed) return;
    if (performance.now() - this.#begunMs > pauseMs) this.#taken = 0;
    let begin = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, begin)) {
      const part = chunk.subarray(begin, end);
      if (!this.#hold(part)) return;
      const line = this.#pending.length === 1 ? part : Buffer.concat(this.#pending);
      this.#dropPending();
      if (this.#taken === 0) this.#begunMs = performance.now();
      this.#take(line);
      begin = end + 1;
      this.#taken += 1;
      if (this.#taken >= slice.messages) {
        output.pause();
        await pauseAfter(this.#begunMs);
        this.#taken = 0;
      }
      // A message may have had the connection closed.
      if (this.#closed) return;
    }
    this.#hold(chunk.subarray(begin));
    output.resume();
  }

  /** Keeps a part of a message; false where that is more than a message may have. */
  #hold(part: Buffer): boolean {
    this.#pendingBytes += part.length;
    this.#pending.push(part);
    if (this.#pendingBytes <= maxMessageBytes) return true;
    this.#failure = tooLarge();
    void this.close();
    return false;
  }

  /** Who receives a message checks it against the protocol: doing so here as well would be half the work of a call. */
  #take(line: Buffer): void {
    let message: unknown;
    try {
      message = JSON.parse(line.toString());
    } catch {
      // Some servers write their log there.
      return;
    }
    try {
      if ((message as { jsonrpc?: unknown } | null)?.jsonrpc !== "2.0")
        throw new Error("expected a message of JSON-RPC 2.0, got other JSON; it is left out");
      if (isSaid(message as JSONRPCMessage)) this.#onSaid();
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #dropPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #finishSoon(): void {
    setTimeout(() => this.#finish(), drainMs).unref();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dropPending();
    void this.#launched?.end();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#launched?.process.child;
    if (this.#closed || child === undefined || !child.stdin.writable) {
      return Promise.reject(new SdkError(SdkErrorCode.NotConnected, "Not connected"));
    }
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => {
        if (error == null) resolve();
        else reject(new SdkError(SdkErrorCode.SendFailed, error.message, undefined, { cause: error }));
      });
    });
  }

  /** Ends the server and waits until its group is gone. */
  async close(): Promise<void> {
    this.#finish();
    await this.#launched?.end();
  }
}

/** Whether the server says it of itself. An answer, or the progress of a call, says nothing of other calls. */
function isSaid(message: JSONRPCMessage): boolean {
  return "method" in message && message.method !== "notifications/progress";
}

import { SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";

import type { SurfaceStatus } from "#contract/core.ts";
import { backOff, sleep } from "#src/base/time.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { clientOptions } from "../install/client.ts";
import type { SlackTokens } from "../install/install.ts";
import type { SlackOptions } from "../options.ts";
import { LinkDisabled, toFault } from "../send/refusal.ts";
import type { Receiver } from "./receivers.ts";

const PACE = { minMs: 1_000, maxMs: 60_000 };
/** Between tries that cannot succeed before somebody changes something at Slack. */
const FINAL_MS = 300_000;
/** A connection that lasted shorter counts as a failure, so that one that never lasts is not retried at once. */
const STABLE_MS = 10_000;

export interface Connection {
  status(): SurfaceStatus;
  /** Ends the tries, and leaves what is connected open. */
  stop(): Promise<void>;
}

/**
 * Connects and stays connected. Slack's own client gives up a reconnect with an unhandled rejection when
 * the network is down, and waits five seconds where it need not.
 */
export function keepConnected(
  receiver: Receiver,
  tokens: Pick<SlackTokens, "verify">,
  options: SlackOptions,
  log: ChatLog,
): Connection {
  const over = new AbortController();
  const { signal } = over;
  const transport = createTransport(receiver, tokens, options, signal);
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let status: SurfaceStatus = { status: "connecting" };
  let failures = 0;
  let wasUp = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await once();
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        await rest(error);
      }
    }
  }

  /** Connects, and resolves when the connection is lost. */
  async function once(): Promise<void> {
    const { warning } = await Promise.race([
      transport.connect(),
      stopped.then(() => ({ warning: undefined })),
    ]);
    if (signal.aborted) return;
    const since = performance.now();
    status = { status: "up", ...(warning === undefined ? {} : { error: warning }) };
    if (warning !== undefined) log.warn({ surface: "slack" }, warning);
    log.info(
      { surface: "slack", tries: failures + 1 },
      wasUp ? "Slack is connected again" : "Slack is connected",
    );
    wasUp = true;
    await Promise.race([transport.lost(), stopped]);
    if (signal.aborted) return;
    status = { status: "connecting" };
    if (performance.now() - since < STABLE_MS) throw new Error("the connection was closed at once");
    failures = 0;
    log.info({ surface: "slack" }, "the connection to Slack was closed: connecting anew");
  }

  async function rest(reason: unknown): Promise<void> {
    const { code, message, isFinal } = toFault(reason);
    const waitMs = Math.round(isFinal ? FINAL_MS : backOff(failures, PACE));
    status = { status: "down", code, error: message };
    log[isFinal ? "error" : "warn"](
      { surface: "slack", code, retry_in_ms: waitMs },
      `Slack is not connected. ${message}`,
    );
    await sleep(waitMs, signal);
  }

  const running = run();
  return {
    status: () => status,
    async stop() {
      over.abort();
      await running;
    },
  };
}

/** One way to be connected; `connect` may be called again after it rejected or the connection was lost. */
interface Transport {
  /** Resolves once connected, with what is wrong all the same. */
  connect(): Promise<{ warning?: string }>;
  /** Resolves when what was connected is lost; never where nothing stays open. */
  lost(): Promise<void>;
}

/** What has to work before Slack is connected: the token, where there is one, and the socket. */
function createTransport(
  receiver: Receiver,
  tokens: Pick<SlackTokens, "verify">,
  options: SlackOptions,
  over: AbortSignal,
): Transport {
  const client = new WebClient(undefined, clientOptions(options, over));
  let lost = Promise.withResolvers<void>();
  let isDisabled = false;
  if (receiver instanceof SocketModeReceiver) {
    receiver.client.on("disconnected", () => lost.resolve());
    receiver.client.on("ws_message", (data: unknown) => {
      if (isLinkDisabled(data)) isDisabled = true;
    });
  }

  async function open(socket: SocketModeReceiver["client"]): Promise<void> {
    isDisabled = false;
    lost = Promise.withResolvers();
    try {
      await socket.start();
    } catch (error) {
      throw isDisabled ? new LinkDisabled() : error;
    }
  }

  return {
    async connect() {
      const owner = await tokens.verify?.();
      if (receiver instanceof SocketModeReceiver) {
        await open(receiver.client);
      } else if (owner === undefined) {
        await client.api.test();
      }
      const missing = options.scopes.filter((scope) => owner?.scopes?.includes(scope) === false);
      return missing.length === 0 ? {} : { warning: lacking(missing) };
    },
    async lost() {
      await lost.promise;
      if (isDisabled) throw new LinkDisabled();
    },
  };
}

/** Of all that comes over the socket only this is of interest here. */
function isLinkDisabled(data: unknown): boolean {
  if (typeof data !== "string" || !data.includes("link_disabled")) return false;
  try {
    const { type, reason } = JSON.parse(data) as { type?: unknown; reason?: unknown };
    return type === "disconnect" && reason === "link_disabled";
  } catch {
    return false;
  }
}

function lacking(scopes: readonly string[]): string {
  return (
    `missing_scope: the bot token lacks ${scopes.join(", ")}, which manifest.yml asks for. What needs them fails ` +
    "until they are added under OAuth & Permissions and the app is installed again."
  );
}

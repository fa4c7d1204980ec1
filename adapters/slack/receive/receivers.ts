import type { IncomingMessage, ServerResponse } from "node:http";

import {
  AuthorizationError,
  HTTPModuleFunctions,
  HTTPReceiver,
  type Logger,
  SocketModeReceiver,
} from "@slack/bolt";

import { httpUrl } from "#src/base/http.ts";

import { clientOptions, NotInstalled } from "../install/client.ts";
import type { Routes } from "../install/install.ts";
import type { SlackOptions } from "../options.ts";

export type Receiver = HTTPReceiver | SocketModeReceiver;

export interface Receivers {
  /** Where events come from. */
  receiver: Receiver;
  /** Serves signed requests, pages, or both; undefined where there is neither. */
  http?: HTTPReceiver;
}

/** Bolt's receivers. Socket Mode brings its own reconnects along, which are left to `keepConnected`. */
export function createReceivers(
  options: SlackOptions,
  routes: Routes,
  logger: Logger,
  over: AbortSignal,
): Receivers {
  const isSocketMode = options.app_token !== "";
  if (isSocketMode && routes.length === 0) return { receiver: socketMode(options, logger, over) };
  const http = new HTTPReceiver({
    signingSecret: options.signing_secret,
    // Over Socket Mode it serves pages alone, and takes no request that would have to be signed.
    signatureVerification: !isSocketMode,
    endpoints: isSocketMode ? [] : [EVENTS],
    customRoutes: routes,
    logger,
    processEventErrorHandler: ({ error, response }) => {
      const isDone = isNobodys(error, logger);
      if (!response.headersSent) response.writeHead(isDone ? 200 : 500).end();
      return Promise.resolve(false);
    },
  });
  if (isSocketMode) return { receiver: socketMode(options, logger, over), http };
  guardRequests(http, options.signing_secret, logger);
  return { receiver: http, http };
}

const EVENTS = "/slack/events";

/** A request whose time differs by more seconds than this, to either side, may be a copy of an old one. */
const MAX_SKEW_S = 300;

/**
 * Looks at a request before Bolt does: Bolt takes one that is dated in the future, and ends the process with
 * an unhandled rejection where the body is no object.
 */
function guardRequests(http: HTTPReceiver, signingSecret: string, logger: Logger): void {
  const serve = http.requestListener;

  async function refusal(request: IncomingMessage): Promise<number | undefined> {
    try {
      const buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest({ signingSecret }, request);
      const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
      if (typeof body !== "object" || body === null || Array.isArray(body)) return 400;
      // Only to see whether the connection is secure, without a signature.
      if ("ssl_check" in body) return undefined;
    } catch (error) {
      if (HTTPModuleFunctions.isRawBodyError(error)) return error.statusCode;
      return error instanceof SyntaxError ? 400 : 401;
    }
    const dated = Number(request.headers["x-slack-request-timestamp"]);
    return Math.abs(Date.now() / 1000 - dated) <= MAX_SKEW_S ? undefined : 401;
  }

  async function guard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = await refusal(request);
    if (status === undefined) return serve(request, response);
    logger.warn(
      `a request to ${EVENTS} was refused with ${status}: it is not one of Slack's, too old or too new`,
    );
    response.writeHead(status).end();
    return undefined;
  }

  http.requestListener = (request, response) => {
    if (request.method !== "POST" || new URL(request.url ?? "/", "http://localhost").pathname !== EVENTS) {
      return serve(request, response);
    }
    guard(request, response).catch((error: unknown) => {
      logger.error(`a request to ${EVENTS} could not be served: ${String(error)}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
}

/** Bolt reads what comes over the socket in a listener that nobody waits for. */
function guardSocket({ client }: SocketModeReceiver, logger: Logger): void {
  const readers = client.listeners("ws_message") as ((...args: unknown[]) => unknown)[];
  async function readAll(args: unknown[]): Promise<void> {
    for (const read of readers) {
      try {
        await read(...args);
      } catch (error) {
        logger.warn(`Slack sent something of an odd form over the socket, it was dropped: ${String(error)}`);
      }
    }
  }
  client.removeAllListeners("ws_message");
  client.on("ws_message", (...args: unknown[]) => void readAll(args));
}

function socketMode(options: SlackOptions, logger: Logger, over: AbortSignal): SocketModeReceiver {
  const receiver = new SocketModeReceiver({
    appToken: options.app_token,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(options, over) },
    logger,
    processEventErrorHandler: ({ error }) => Promise.resolve(isNobodys(error, logger)),
  });
  guardSocket(receiver, logger);
  return receiver;
}

/**
 * Whether an event that was not taken is of a workspace that the app is not in: sending it again would not
 * help. Any other has to come again, also where the store failed and could not tell.
 */
function isNobodys(error: Error, logger: Logger): boolean {
  const isDone = error instanceof AuthorizationError && error.original instanceof NotInstalled;
  if (!isDone) logger.error(`an event was not taken, and Slack will send it again: ${error.message}`);
  return isDone;
}

/** Resolves to the address, without a path. */
export async function listen(receiver: HTTPReceiver, { host, port }: SlackOptions["http"]): Promise<string> {
  const server = await receiver.start({ host, port });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return httpUrl(host, actual);
}

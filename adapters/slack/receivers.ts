import { AuthorizationError, HTTPReceiver, type Logger, SocketModeReceiver } from "@slack/bolt";

import { clientOptions } from "./client.ts";
import type { Routes } from "./install.ts";
import type { SlackOptions } from "./options.ts";
import { NotInstalled } from "./workspaces.ts";

export interface Receivers {
  /** Where events come from. */
  receiver: HTTPReceiver | SocketModeReceiver;
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
  if (!isSocketMode || routes.length > 0) {
    const http = new HTTPReceiver({
      signingSecret: options.signing_secret,
      // Over Socket Mode it serves pages alone, and takes no request that would have to be signed.
      signatureVerification: !isSocketMode,
      endpoints: isSocketMode ? [] : ["/slack/events"],
      customRoutes: routes,
      logger,
      processEventErrorHandler: ({ error, response }) => {
        const isAcknowledged = isNobodys(error);
        if (!isAcknowledged)
          logger.error(`an event was not taken, and Slack will send it again: ${error.message}`);
        if (!response.headersSent) response.writeHead(isAcknowledged ? 200 : 500).end();
        return Promise.resolve(false);
      },
    });
    return isSocketMode ? { receiver: socketMode(options, logger, over), http } : { receiver: http, http };
  }
  return { receiver: socketMode(options, logger, over) };
}

function socketMode(options: SlackOptions, logger: Logger, over: AbortSignal): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken: options.app_token,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(options, over) },
    logger,
    processEventErrorHandler: ({ error }) => {
      const isAcknowledged = isNobodys(error);
      if (!isAcknowledged)
        logger.error(`an event was not taken, and Slack will send it again: ${error.message}`);
      return Promise.resolve(isAcknowledged);
    },
  });
}

/**
 * Whether it is of a workspace that the app is not in: sending it again would not help. Where that could
 * not be told, as the store failed, it has to come again.
 */
function isNobodys(error: unknown): boolean {
  return error instanceof AuthorizationError && error.original instanceof NotInstalled;
}

/** Resolves to the address, without a path. */
export async function listen(receiver: HTTPReceiver, { host, port }: SlackOptions["http"]): Promise<string> {
  const server = await receiver.start({ host, port });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}

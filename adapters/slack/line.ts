import { type HTTPReceiver, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";

import { clientOptions } from "./client.ts";
import type { Line } from "./connection.ts";
import { LinkDisabled } from "./faults.ts";
import type { SlackOptions } from "./options.ts";
import type { SlackTokens } from "./tokens.ts";

/** What has to work before Slack is connected: the token, where there is one, and the socket. */
export function createLine(
  receiver: HTTPReceiver | SocketModeReceiver,
  tokens: Pick<SlackTokens, "verify">,
  options: SlackOptions,
  over: AbortSignal,
): Line {
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

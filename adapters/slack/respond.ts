import type { KnownBlock } from "@slack/types";

import type { ChatLog } from "../chat/parts.ts";

export interface Response {
  response_type: "ephemeral" | "in_channel";
  text: string;
  blocks?: KnownBlock[];
  /** In place of the message whose button was pressed. */
  replace_original?: boolean;
}

/**
 * Answers at the address that came with a command or shortcut, which Slack takes five times within half
 * an hour; each one is answered there once at most. False when it was not taken.
 */
export async function respond(url: string, response: Response, log: Pick<ChatLog, "warn">): Promise<boolean> {
  try {
    const { ok, status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(response),
      signal: AbortSignal.timeout(10_000),
    });
    if (!ok) log.warn({ status }, "Slack did not take an answer to a command");
    return ok;
  } catch (error) {
    log.warn({ error }, "an answer to a command could not be sent");
    return false;
  }
}

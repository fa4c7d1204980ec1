import type { TurnView } from "#contract/present.ts";

import type { ChatLog } from "../../chat/parts.ts";
import type { RenderedMessage } from "../render/turn.ts";
import { readId, type SlackRef } from "../ids.ts";
import { respond, type TrySendEphemeral } from "./ephemeral.ts";
import type { NativeBlocks } from "./native.ts";
import { SlackRefusal } from "./refusal.ts";

interface PrivateDeps {
  native: NativeBlocks;
  trySendEphemeral: TrySendEphemeral;
  log: Pick<ChatLog, "warn">;
}

/**
 * Shows a turn to the person alone, in place of the message of that address or as another one. Never to anybody
 * else; rejects with `place_gone` where the person cannot be reached.
 */
export async function showPrivately(
  { team, channel, respond: url }: Pick<SlackRef, "team" | "channel" | "respond">,
  view: TurnView,
  draw: (native: boolean) => RenderedMessage,
  { native, trySendEphemeral, log }: PrivateDeps,
  replaces = false,
): Promise<void> {
  await native.show(team, draw, async ({ text, blocks }) => {
    const content = { response_type: "ephemeral", replace_original: replaces, text, blocks } as const;
    if (url !== undefined && (await respond(url, content, log))) return;
    const user = readId(view.actor)?.local;
    const isTold = user !== undefined && (await trySendEphemeral({ team, channel, user }, { text, blocks }));
    if (!isTold) throw new SlackRefusal("place_gone", new Error("the person cannot be told"));
  });
}

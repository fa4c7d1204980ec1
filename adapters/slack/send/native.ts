import type { KnownBlock } from "@slack/types";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import type { SlackOptions } from "../options.ts";
import type { RenderedMessage } from "../render/turn.ts";
import { slackError } from "./refusal.ts";

export interface NativeBlocks {
  /**
   * Draws a message with the blocks of 2026 where the workspace takes them, and sends it. One that Slack
   * refuses is sent once more in plain blocks, and if that is refused too in words: three tries at most.
   */
  show<Result>(
    team: string,
    draw: (native: boolean) => RenderedMessage,
    send: (content: Pick<RenderedMessage, "text" | "blocks">) => Promise<Result>,
  ): Promise<{ message: RenderedMessage; result: Result }>;
}

/** Workspaces get new blocks one after the other. */
const REMEMBERED_MS = 24 * 3_600_000;

const LOOK_AGAIN_MS = 60_000;

const UNDRAWABLE: ReadonlySet<string> = new Set(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"]);

const NATIVE: ReadonlySet<string> = new Set([
  "card",
  "carousel",
  "container",
  "context_actions",
  "data_table",
  "data_visualization",
  "plan",
  "task_card",
]);

/** `without`: by the id of a workspace, that it refused what it takes in plain blocks; kept for a day. */
export function createNativeBlocks(
  setting: SlackOptions["native_blocks"],
  { without, log }: { without: ChatState<boolean>; log: Pick<ChatLog, "warn" | "error"> },
): NativeBlocks {
  /** Workspaces that had refused nothing, and until when they are not looked up again: one more refusal does no harm. */
  const taking = new Map<string, number>();

  async function isNative(team: string): Promise<boolean> {
    if (setting !== "auto") return false;
    const at = Date.now();
    if ((taking.get(team) ?? 0) > at) return true;
    const takes = (await without.get(team)) !== true;
    if (takes) taking.set(team, at + LOOK_AGAIN_MS);
    return takes;
  }

  return {
    async show(team, draw, send) {
      const message = draw(await isNative(team));
      try {
        return { message, result: await send(message) };
      } catch (error) {
        if (!isUndrawable(error)) throw error;
        if (!hasNative(message.blocks)) return inWords(message, send, error);
        log.warn({ error: slackError(error), team }, "Slack refused the newest blocks; sent in plain ones");
      }
      const plain = draw(false);
      try {
        const result = await send(plain);
        // Only now it is known that the blocks were the reason.
        await without.set(team, true, REMEMBERED_MS);
        taking.delete(team);
        return { message: plain, result };
      } catch (error) {
        if (!isUndrawable(error)) throw error;
        return inWords(plain, send, error);
      }
    },
  };

  /** What Slack cannot draw is said in words rather than not at all. */
  async function inWords<Result>(
    message: RenderedMessage,
    send: (content: Pick<RenderedMessage, "text" | "blocks">) => Promise<Result>,
    error: unknown,
  ): Promise<{ message: RenderedMessage; result: Result }> {
    log.error({ error: slackError(error), blocks: message.blocks }, "Slack refused the blocks of a message");
    const text = `${message.text}\n(Slack could not draw this in full.)`;
    return { message, result: await send({ text, blocks: [] }) };
  }
}

function isUndrawable(error: unknown): boolean {
  return UNDRAWABLE.has(slackError(error) ?? "");
}

function hasNative(blocks: readonly KnownBlock[]): boolean {
  return blocks.some(({ type }) => NATIVE.has(type));
}

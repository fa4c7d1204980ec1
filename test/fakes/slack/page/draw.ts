import type { Child } from "hono/jsx";

import type { SlackDrawContext } from "#adapters/preview/context.ts";
import type { Choice } from "#adapters/preview/frame.ts";
import { drawBlocks } from "#adapters/preview/slack/blocks.ts";

import { asText } from "../json.ts";
import type { Block, Fields, World } from "../types.ts";

export interface Drawing {
  world: World;
  /** The ts of the message or the id of the view that the controls belong to. */
  target: string;
  /** `state.values` of a view. */
  values: Fields;
}

/** Blocks with controls that work: a button sends its name, an input is sent with its form. */
export function drawWorking(drawing: Drawing, blocks: readonly Block[]): Child[] {
  return drawBlocks(blocks, lookOf(drawing));
}

export function lookOf({ world, target, values }: Drawing): SlackDrawContext {
  const people = [...world.users.values()]
    .filter(({ isBot }) => !isBot)
    .map(({ id, realName }): Choice => [id, realName]);
  return {
    name: (id) => world.users.get(id)?.name ?? world.channels.get(id)?.name ?? world.groups.get(id)?.handle,
    attributes: (block, element) => ({
      "data-target": target,
      "data-control": `${asText(block.block_id)}/${asText(element.action_id)}`,
    }),
    values,
    people,
  };
}

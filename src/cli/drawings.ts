import { discordStyle } from "#adapters/discord/draw/style.ts";
import type { Drawing } from "#adapters/http/playground/drawings.ts";
import { slackStyle } from "#adapters/slack/draw/style.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms.ts";

import { createDesk } from "../present/desk.ts";
import type { Product } from "./product-port.ts";

/** How chat platforms would show a turn, for the playground. What draws is loaded when it is first asked for. */
export function createDrawings({ core }: Pick<Product, "core">): readonly Drawing[] {
  const cards = createCards();
  const parts = { cards, desk: createDesk({ core, cards, forms: createForms(), now: Date.now }) };
  return [
    {
      name: "Slack",
      style: slackStyle(),
      async draw(turn) {
        const { drawSlackTurn } = await import("#adapters/slack/draw/turn.ts");
        return drawSlackTurn(turn, parts);
      },
    },
    {
      name: "Discord",
      style: discordStyle(),
      async draw(turn) {
        const { drawDiscordTurn } = await import("#adapters/discord/draw/turn.ts");
        return drawDiscordTurn(turn, parts);
      },
    },
  ];
}

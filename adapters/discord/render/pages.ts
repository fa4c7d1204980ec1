import type { APIComponentInContainer, APITextDisplayComponent } from "discord-api-types/v10";
import { ComponentType, SeparatorSpacingSize } from "discord-api-types/v10";

import type { DiscordButton } from "./buttons.ts";
import { labelOf, rowsOf, toButton } from "./buttons.ts";
import type { Piece } from "./draw.ts";
import { type Budget, LIMITS } from "./limits.ts";
import { rowsNote } from "../../chat/table.ts";

/** A part of a message, and the buttons in it. */
export interface Laid {
  component: APIComponentInContainer;
  specs: readonly DiscordButton[];
  leads?: boolean;
}

/** Room for the line that says which rows a page shows. */
const NOTE = 80;

/** Pieces laid on pages, each within the budget. Nothing is left out. */
export function layOut(pieces: readonly Piece[], budget: Budget): Laid[][] {
  const pages: Laid[][] = [];
  let page: Laid[] = [];

  const turn = (): void => {
    const carried: Laid[] = [];
    while (page.length > 1 && page.at(-1)?.leads === true) carried.unshift(...page.splice(-1));
    pages.push(page);
    page = carried;
  };
  const fits = (laid: Laid, reserve = 0): boolean => {
    const cost = costOf(merge(page, laid));
    return cost.chars + reserve <= budget.chars && cost.components <= budget.components;
  };
  const place = (laid: Laid, reserve = 0): void => {
    if (page.length > 0 && !fits(laid, reserve)) turn();
    page = merge(page, laid);
  };

  for (const piece of pieces) {
    if (piece.type !== "rows") {
      place(lay(piece));
      continue;
    }
    const { rows, element } = piece;
    let from = 0;
    const note = (to: number): void => {
      const text = rowsNote(from, to - from, rows.length, element.total);
      if (text !== undefined) page = merge(page, textOf(`-# ${text}`));
      from = to;
    };
    for (const [index, texts] of rows.entries()) {
      for (const text of texts) {
        if (page.some((laid) => laid.leads !== true) && !fits(textOf(text), NOTE)) {
          if (index > from) note(index);
          turn();
        }
        place(textOf(text), NOTE);
      }
    }
    note(rows.length);
  }
  if (page.length > 0 || pages.length === 0) pages.push(page);
  return pages;
}

function lay(piece: Exclude<Piece, { type: "rows" }>): Laid {
  switch (piece.type) {
    case "text":
      return { ...textOf(piece.text), ...(piece.leads === true ? { leads: true } : {}) };
    case "buttons":
      return rowLaid(piece.buttons);
    case "section": {
      const component: APIComponentInContainer = {
        type: ComponentType.Section,
        components: [{ type: ComponentType.TextDisplay, content: piece.text }],
        accessory: toButton(piece.button),
      };
      return { component, specs: [piece.button] };
    }
    default: {
      const component: APIComponentInContainer = {
        type: ComponentType.Separator,
        spacing: SeparatorSpacingSize.Small,
      };
      return { component, specs: [], leads: true };
    }
  }
}

/** At most five of them. */
export function rowLaid(specs: readonly DiscordButton[]): Laid {
  const [component] = rowsOf(specs.map(toButton));
  if (component === undefined) throw new Error("expected a button for the row, got none");
  return { component, specs };
}

export function textOf(content: string): Laid & { component: APITextDisplayComponent } {
  return { component: { type: ComponentType.TextDisplay, content }, specs: [] };
}

/** Text joins the text before it: one component holds both. */
export function merge(page: readonly Laid[], laid: Laid): Laid[] {
  const last = page.at(-1);
  // What leads has to be able to go to the next page by itself.
  if (last === undefined || last.leads !== laid.leads) return [...page, laid];
  const [above, below] = [last.component, laid.component];
  if (above.type !== ComponentType.TextDisplay || below.type !== ComponentType.TextDisplay) {
    return [...page, laid];
  }
  const content = `${above.content}\n${below.content}`;
  return [...page.slice(0, -1), { ...last, component: { ...above, content } }];
}

/** What the parts take up, with the containers that they will stand in. */
export function costOf(page: readonly Laid[]): Budget {
  let chars = 0;
  let components = Math.ceil(page.length / LIMITS.containerChildren);
  for (const { component, specs } of page) {
    chars += specs.reduce((sum, spec) => sum + labelOf(spec).length, 0);
    switch (component.type) {
      case ComponentType.TextDisplay:
        chars += component.content.length;
        components += 1;
        break;
      case ComponentType.Section:
        chars += component.components.reduce((sum, { content }) => sum + content.length, 0);
        components += 2 + component.components.length;
        break;
      case ComponentType.ActionRow:
        components += 1 + component.components.length;
        break;
      default:
        components += 1;
    }
  }
  return { chars, components };
}

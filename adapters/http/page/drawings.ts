import type { TurnView } from "#contract/present.ts";

import { html, type Html, tabList } from "./html.ts";

/** How a chat platform would show the message of a turn. */
export interface Drawing {
  /** The platform, as on the tab. */
  name: string;
  /** The style of what it draws. */
  style: URL;
  /** HTML with everything escaped, which needs no script, no style attribute and nothing from elsewhere. */
  draw(view: TurnView): string | Promise<string>;
}

/** As in addresses. */
export function slugOf({ name }: Drawing): string {
  return name.toLowerCase();
}

/** The name of its stylesheet among the assets. */
export function styleOf(drawing: Drawing): string {
  return `drawing-${slugOf(drawing)}.css`;
}

/**
 * An answer, and beside it the same as chat platforms would show it. Those are fetched when their tab is
 * first looked at.
 */
export function withDrawings(turnId: string, drawings: readonly Drawing[], answer: Html): Html {
  if (drawings.length === 0) return html`<div class="answer">${answer}</div>`;
  const idOf = (part: string): string => `${turnId}-in-${part}`;
  const slugs = drawings.map(slugOf);
  return html`<div class="shown" data-tabs>
    ${tabList("Where the answer is shown", [
      [idOf("here"), "Countersign"],
      ...drawings.map((drawing) => [idOf(slugOf(drawing)), drawing.name] as const),
    ])}
    <div class="answer" role="tabpanel" id="${idOf("here")}" aria-labelledby="${idOf("here")}-tab">
      ${answer}
    </div>
    ${slugs.map(
      (slug) =>
        html`<div
          class="drawing"
          role="tabpanel"
          id="${idOf(slug)}"
          aria-labelledby="${idOf(slug)}-tab"
          data-drawing="/playground/turns/${turnId}/drawings/${slug}"
          hidden
        ></div>`,
    )}
  </div>`;
}

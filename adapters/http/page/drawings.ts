import type { TurnView } from "#contract/present.ts";

import { html, type Html } from "./html.ts";

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
  const id = (part: string): string => `${turnId}-in-${part}`;
  const tab = (slug: string, name: string): Html =>
    html`<button
      type="button"
      class="shown-tab"
      role="tab"
      id="${id(slug)}-tab"
      aria-controls="${id(slug)}"
      aria-selected="${slug === "here" ? "true" : "false"}"
      tabindex="${slug === "here" ? "0" : "-1"}"
    >
      ${name}
    </button>`;
  return html`<div class="shown" data-tabs>
    <div class="shown-tabs" role="tablist" aria-label="Where the answer is shown">
      ${tab("here", "Countersign")} ${drawings.map((drawing) => tab(slugOf(drawing), drawing.name))}
    </div>
    <div class="answer" role="tabpanel" id="${id("here")}" aria-labelledby="${id("here")}-tab">${answer}</div>
    ${drawings.map(
      (drawing) =>
        html`<div
          class="drawing"
          role="tabpanel"
          id="${id(slugOf(drawing))}"
          aria-labelledby="${id(slugOf(drawing))}-tab"
          data-drawing="/playground/turns/${turnId}/drawings/${slugOf(drawing)}"
          hidden
        ></div>`,
    )}
  </div>`;
}

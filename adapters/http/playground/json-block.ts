import type { JsonValue } from "#contract/json.ts";

import { html, type Html, icon } from "./html.ts";

/** Longest JSON shown on the page, in characters; the API has all of it. */
const LIMIT = 100_000;

// What is cut off in the middle of a text is one to its end.
const TOKEN = /("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** Indented JSON with its tokens coloured. */
export function jsonBlock(value: JsonValue, turnId: string): Html {
  const text = JSON.stringify(value, null, 2);
  const shown = text.slice(0, LIMIT);
  const cut = text.length - shown.length;
  return html`<div class="json">
    <button type="button" class="icon-button json-copy" data-copy aria-label="Copy the JSON">
      ${icon("copy")}
    </button>
    <pre class="cs-code" tabindex="0"><code>${colour(shown)}</code></pre>
    ${
      cut === 0
        ? ""
        : html`<p class="cs-total">
            ${String(cut)} more characters.
            <a class="cs-link" href="/agent/turns/${turnId}">Open the whole turn as JSON</a>
          </p>`
    }
  </div>`;
}

function colour(text: string): (string | Html)[] {
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(at, match.index));
    const [whole, string, colon] = match;
    if (string === undefined) parts.push(html`<span class="json-atom">${whole}</span>`);
    else if (colon === undefined) parts.push(html`<span class="json-string">${string}</span>`);
    else parts.push(html`<span class="json-key">${string}</span>${colon}`);
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}

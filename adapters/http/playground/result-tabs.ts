import type { Card } from "#contract/card.ts";
import type { ToolCallResult, TurnResult } from "#contract/turn.ts";

import { renderCardHtml } from "../render/html.ts";
import { duration, html, type Html, raw } from "./html.ts";
import { jsonBlock } from "./json-block.ts";
import { rawTable } from "./raw-table.ts";
import { runLog } from "./run-log.ts";

/**
 * What the calls of a turn brought, four ways. The script makes the tabs switch; the ids tie tab and
 * panel together for assistive technology (WAI-ARIA tabs pattern).
 */
export function resultTabs(turnId: string, result: TurnResult): Html {
  const calls = result.toolResults;
  const tabs = [
    {
      name: "View",
      panel: html`${calls.map((call) => each(call, calls, html`${raw(renderCardHtml(callCard(call)))}${fileList(call)}`))}`,
    },
    { name: "Table", panel: html`${calls.map((call) => each(call, calls, rawTable(call)))}` },
    { name: "JSON", panel: html`${calls.map((call) => each(call, calls, jsonBlock(call.data, turnId)))}` },
    { name: "Run log", panel: runLog(result) },
  ];
  return html`<div class="result" data-tabs>
    <div class="tabs" role="tablist" aria-label="Ways to see the result">
      ${tabs.map(
        ({ name }, index) =>
          html`<button
            type="button"
            class="tab"
            role="tab"
            id="${turnId}-tab-${String(index)}"
            aria-controls="${turnId}-panel-${String(index)}"
            aria-selected="${index === 0 ? "true" : "false"}"
            tabindex="${index === 0 ? "0" : "-1"}"
          >
            ${name}
          </button>`,
      )}
    </div>
    ${tabs.map(
      ({ panel }, index) =>
        html`<div
          class="tab-panel"
          role="tabpanel"
          id="${turnId}-panel-${String(index)}"
          aria-labelledby="${turnId}-tab-${String(index)}"
          ${index === 0 ? "" : html`hidden`}
        >
          ${panel}
        </div>`,
    )}
  </div>`;
}

/** What a call brought beside data: pictures as they are, everything else to be saved. */
function fileList({ files = [] }: ToolCallResult): Html | string {
  if (files.length === 0) return "";
  return html`<ul class="files">
    ${files.map(({ id, name, mediaType, bytes }) => {
      const about = html`${name} <span class="file-about">${mediaType}, ${size(bytes)}</span>`;
      if (id === undefined) return html`<li>${about} (too large to be kept)</li>`;
      const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(mediaType);
      return html`<li>
        <a href="/files/${id}" ${isPicture ? html`target="_blank" rel="noopener"` : html`download`}
          >${about}</a
        >
        ${isPicture ? html`<img src="/files/${id}" alt="${name}" loading="lazy" />` : ""}
      </li>`;
    })}
  </ul>`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** With several calls each part says which one it belongs to. */
function each(call: ToolCallResult, all: ToolCallResult[], content: Html): Html {
  if (all.length === 1) return content;
  return html`<section class="call">
    <p class="call-head">
      <code>${call.toolId}</code>
      <span class="cs-badge ${call.ok ? "cs-tone-good" : "cs-tone-bad"}">${call.ok ? "done" : "failed"}</span>
      <span>${duration(call.durationMs)}</span>
    </p>
    ${content}
  </section>`;
}

/** The card of a call; one that failed and whose card says nothing about it is given the error. */
export function callCard(call: ToolCallResult): Card {
  if (call.ok || call.error === undefined) return call.card;
  if (call.card.elements.some((element) => element.type === "error")) return call.card;
  return {
    ...call.card,
    elements: [
      ...call.card.elements,
      { type: "error", message: call.error.message, detail: call.error.code },
    ],
  };
}

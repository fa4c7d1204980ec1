import type { Card, Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ToolCallResult, TurnResult } from "#contract/turn.ts";
import { isObject } from "#src/base/json.ts";
import { durationText } from "#src/base/time.ts";
import { partsOf } from "#src/base/tool-names.ts";
import { toolWords } from "#src/base/tool-words.ts";

import { cardHtml, definitions, html, type Html, icon } from "./html.ts";

/** The ways to see what the calls of a turn brought; without a call there is the log alone. */
export function viewNames({ toolResults, log }: TurnResult): readonly string[] {
  if (toolResults.length > 0) return ["Result", "Table", "JSON", "Run log"];
  return log.length > 0 ? ["Run log"] : [];
}

/** Of a view, for the menu that shows it. */
export function viewId(turnId: string, name: string): string {
  return `${turnId}-${name.toLowerCase().replace(" ", "-")}`;
}

/** What the calls of a turn brought, four ways, the first of which shows; the menu of the turn switches. */
export function resultViews(turnId: string, result: TurnResult): Html {
  const calls = result.toolResults;
  const ofEach = (draw: (call: ToolCallResult, at: number) => Html): Html =>
    html`${calls.map((call, at) => (calls.length === 1 ? draw(call, at) : callSection(call, draw(call, at))))}`;
  const asides = calls.filter(({ isAside }) => isAside === true);
  const drawn = (call: ToolCallResult, at: number): Html => {
    const chart = `/agent/turns/${turnId}/results/${at}/chart.svg`;
    const isList = longestList(call.data) !== undefined;
    const one = html`${cardHtml(callCard(call), chart)}${fileList(call)}${isList && tableTools(turnId, call, at)}`;
    return calls.length === 1 ? one : html`<section class="call">${one}</section>`;
  };
  const panels: [name: string, panel: Html][] = [
    [
      "Result",
      // Each card says itself what it shows, better than the name of its tool.
      html`${calls.map((call, at) => call.isAside !== true && drawn(call, at))}
      ${asides.length > 0 && folded(asides, html`${calls.map((call, at) => call.isAside === true && drawn(call, at))}`)}`,
    ],
    ["Table", ofEach((call, at) => html`${rawTable(call)}${tableTools(turnId, call, at)}`)],
    ["JSON", ofEach((call) => jsonBlock(call.data, turnId))],
    ["Run log", runLog(result)],
  ];
  return html`<div class="result">
    ${panels.map(
      ([name, panel], index) =>
        html`<section
          class="result-view"
          id="${viewId(turnId, name)}"
          aria-label="${name}"
          ${index > 0 && "hidden"}
        >
          ${panel}
        </section>`,
    )}
  </div>`;
}

/** What was only looked up, under its titles. */
export function folded(calls: readonly ToolCallResult[], shown: Html): Html {
  const titles = calls.map(({ card }) => card.title).join(", ");
  return html`<details class="looked-up-for">
    <summary>Looked up: ${titles}</summary>
    ${shown}
  </details>`;
}

/** Taking the whole table of a call elsewhere, not only the rows that are shown. */
function tableTools(turnId: string, call: ToolCallResult, at: number): Html | string {
  const { ok, data, card } = call;
  // A receipt and a text are no tables.
  if (!ok || typeof data !== "object" || card.elements.some(({ type }) => type === "changes")) return "";
  const path = `/agent/turns/${turnId}/results/${at}/table`;
  return html`<p class="result-tools">
    <button class="link-button" type="button" data-copy-table="${path}?format=tsv">
      ${icon("copy")} Copy table
    </button>
    <a class="link-button" href="${path}" download>${icon("save")} Download CSV</a>
  </p>`;
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
        <a href="/files/${id}" ${isPicture ? html`target="_blank" rel="noopener"` : "download"}>${about}</a>
        ${isPicture && html`<img src="/files/${id}" alt="${name}" loading="lazy" />`}
      </li>`;
    })}
  </ul>`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** "Transition issue"; ids stand in the log. */
function titleOf({ toolId }: ToolCallResult): string {
  return toolWords(partsOf(toolId).name);
}

/** With several calls each table, JSON and the like says which one it belongs to. */
function callSection(call: ToolCallResult, content: Html): Html {
  return html`<section class="call">
    <p class="call-head">
      <strong>${titleOf(call)}</strong>
      <span class="cs-badge ${call.ok ? "cs-tone-good" : "cs-tone-bad"}">${call.ok ? "done" : "failed"}</span>
      <span>${durationText(call.durationMs)}</span>
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

const MAX_ROWS = 200;
const MAX_COLUMNS = 16;
const MAX_CELL = 300;

/** The data as it came, as one table: its longest list of objects, else one row per field. */
function rawTable(call: ToolCallResult): Html {
  const element = tableOf(call.data);
  return cardHtml({ kind: "result", title: `${titleOf(call)}, as a table`, elements: [element] });
}

/** `most`: of its rows, columns and of the characters of a cell; without it as many as the page shows. */
export function tableOf(data: JsonValue, most?: number): TableElement {
  const list = longestList(data);
  if (list !== undefined) return listTable(list.name, list.items, most);
  const fields = isObject(data) ? Object.entries(data) : [["value", data] as const];
  return {
    type: "table",
    columns: [{ label: "field" }, { label: "value" }],
    rows: fields.slice(0, most ?? MAX_ROWS).map(([name, value]) => [name, toCell(value, most)]),
    total: fields.length,
  };
}

function listTable(name: string | undefined, items: JsonObject[], most?: number): TableElement {
  const shown = items.slice(0, most ?? MAX_ROWS);
  const columns = [...new Set(shown.flatMap((item) => Object.keys(item)))].slice(0, most ?? MAX_COLUMNS);
  return {
    type: "table",
    ...(name !== undefined && { caption: name }),
    columns: columns.map((column) => ({
      label: column,
      ...(items.every((item) => typeof item[column] === "number") && { align: "right" }),
    })),
    rows: shown.map((item) => columns.map((column) => toCell(item[column] ?? null, most))),
    total: items.length,
  };
}

/** A list of objects that is the data or a field of it. */
function longestList(data: JsonValue): { name: string | undefined; items: JsonObject[] } | undefined {
  if (isList(data)) return { name: undefined, items: data };
  if (!isObject(data)) return undefined;
  // A single record (an issue with its comments) reads better field by field than as its longest list.
  const entries = Object.entries(data);
  const scalars = entries.filter(([, value]) => typeof value !== "object" && value !== null);
  if (scalars.length > 3) return undefined;
  let longest: { name: string; items: JsonObject[] } | undefined;
  for (const [name, value] of entries) {
    if (isList(value) && value.length > (longest?.items.length ?? 0)) longest = { name, items: value };
  }
  return longest;
}

function toCell(value: JsonValue, most = MAX_CELL): Cell {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : nameOf(value);
  if (/^https?:\/\/\S+$/.test(text)) return { text, href: text };
  return text.length > most ? `${text.slice(0, most)} …` : text;
}

/** People, projects and the like by their name, lists of plain values in a line; anything else as JSON. */
function nameOf(value: JsonObject | JsonValue[]): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  if (isObject(value) && typeof value["name"] === "string" && Object.keys(value).length <= 3)
    return value["name"];
  return JSON.stringify(value);
}

function isList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item));
}

/** Longest JSON shown on the page, in characters; the API has all of it. */
const LIMIT = 100_000;

// What is cut off in the middle of a text is one to its end.
const TOKEN = /("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** Indented JSON with its tokens coloured. */
function jsonBlock(value: JsonValue, turnId: string): Html {
  const text = JSON.stringify(value, null, 2);
  const shown = text.slice(0, LIMIT);
  const cut = text.length - shown.length;
  return html`<div class="json">
    <button type="button" class="icon-button json-copy" data-copy aria-label="Copy the JSON">
      ${icon("copy")}
    </button>
    <pre class="cs-code" tabindex="0"><code>${colour(shown)}</code></pre>
    ${
      cut > 0 &&
      html`<p class="cs-total">
        ${cut} more characters.
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

/** What happened when: one line per entry, with a bar for what took time. */
export function runLog({ log, timings }: TurnResult): Html {
  const end = Math.max(1, timings.totalMs, ...log.map((line) => line.atMs + (line.durationMs ?? 0)));
  const share = (milliseconds: number): string => ((milliseconds / end) * 100).toFixed(2);
  return html`<div class="log">
    <ol class="log-lines">
      ${log.map(
        (line) =>
          html`<li>
            <span class="log-at">${durationText(line.atMs)}</span>
            <span class="log-stage log-stage--${line.stage}">${line.stage}</span>
            <span class="log-text">${line.message}</span>
            <span class="log-took">${line.durationMs !== undefined && durationText(line.durationMs)}</span>
            <svg class="log-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y="0" width="100" height="2" class="log-track" />
              <rect
                x="${share(line.atMs)}"
                y="0"
                width="${share(Math.max(line.durationMs ?? 0, end / 150))}"
                height="2"
                class="log-span"
              />
            </svg>
          </li>`,
      )}
    </ol>
    <dl class="timings">
      ${definitions([
        ["Queued", durationText(timings.queuedMs)],
        ["Planning", durationText(timings.planningMs)],
        ["Tools", durationText(timings.toolsMs)],
        ["Summarizing", durationText(timings.summarizingMs)],
        ["Total", durationText(timings.totalMs)],
      ])}
    </dl>
  </div>`;
}

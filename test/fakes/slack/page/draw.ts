import { createRequire } from "node:module";

import { escapeUTF8 as escape } from "entities";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Message as SlackMessage } from "slack-blocks-to-jsx";
import type { MessageProps } from "slack-blocks-to-jsx";

import { isFields } from "../json.ts";
import type { Block, Fields, World } from "../types.ts";
import { drawControl, words } from "./controls.ts";
import type { Drawing } from "./controls.ts";

/** Where the style of the drawn blocks lies. */
export const blocksStyle: string = createRequire(import.meta.url).resolve(
  "slack-blocks-to-jsx/dist/style.css",
);

/** What the library draws; anything else is drawn here, plainly if need be. */
const drawnByLibrary = new Set([
  "alert",
  "context",
  "divider",
  "file",
  "header",
  "image",
  "markdown",
  "plan",
  "rich_text",
  "section",
  "task_card",
  "video",
]);

/** Blocks as HTML. Every text comes out escaped. */
export function drawBlocks(drawing: Drawing, blocks: readonly Block[]): string {
  return blocks.map((block) => drawBlock(drawing, block)).join("");
}

function drawBlock(drawing: Drawing, block: Block): string {
  const inside = (value: unknown): string => drawBlocks(drawing, listOf(value) as Block[]);
  switch (block.type) {
    case "actions":
    case "context_actions":
      return `<div class="actions">${controls(drawing, block, block.elements)}</div>`;
    case "input":
      return `<div class="input"><label>${words(block.label)}${block.optional === true ? " (optional)" : ""}</label>${controls(drawing, block, [block.element])}<small>${words(block.hint)}</small></div>`;
    case "section": {
      const { accessory, ...rest } = block;
      if (!isFields(accessory) || accessory.type === "image") return library(drawing, block);
      return `<div class="accessory"><div>${library(drawing, rest)}</div>${controls(drawing, block, [accessory])}</div>`;
    }
    case "table":
    case "data_table":
      return `<div class="wide">${caption(block)}${library(drawing, plainTable(block))}</div>`;
    case "container": {
      const head = `<summary>${words(block.title) || "Details"}<small>${words(block.subtitle)}</small></summary>`;
      const open = block.default_collapsed === true ? "" : " open";
      return `<details class="container"${open}>${head}${inside(block.child_blocks)}</details>`;
    }
    case "carousel":
      return `<div class="carousel">${inside(block.elements)}</div>`;
    case "card": {
      const lines = [block.title, block.subtitle, block.body].filter(isFields);
      const sections = lines.map((text) => library(drawing, { type: "section", text })).join("");
      return `<div class="card">${sections}${controls(drawing, block, block.actions)}</div>`;
    }
    default:
      return drawnByLibrary.has(block.type) ? library(drawing, block) : plainly(block);
  }
}

function controls(drawing: Drawing, block: Block, elements: unknown): string {
  return listOf(elements)
    .filter(isFields)
    .map((element) => drawControl(drawing, block, element) ?? plainly(element))
    .join("");
}

function library({ world }: Drawing, block: Block): string {
  const blocks = [block] as unknown as MessageProps["blocks"];
  try {
    const html = renderToStaticMarkup(
      createElement(SlackMessage, { blocks, logo: "", name: "", theme: "light", withoutWrapper: true }),
    );
    return named(world, html);
  } catch {
    return plainly(block);
  }
}

/** The library knows ids only. */
function named(world: World, html: string): string {
  return html.replaceAll(/(?<=[>\s])([@#])([UCS]0[A-Z0-9]+)(?=<)/g, (whole, sign: string, id: string) => {
    const name = world.users.get(id)?.name ?? world.channels.get(id)?.name ?? world.groups.get(id)?.handle;
    return name === undefined ? whole : `${sign}${escape(name)}`;
  });
}

function plainly(value: Fields): string {
  return `<pre class="plain">${escape(JSON.stringify(value, null, 2))}</pre>`;
}

/** The library throws on numbers in a table and draws no data_table. */
function plainTable(block: Block): Block {
  const rows = listOf(block.rows).map((row) =>
    listOf(row).map((cell) =>
      isFields(cell) && cell.type === "raw_number" ? { type: "raw_text", text: cell.text } : cell,
    ),
  );
  const settings = block.column_settings === undefined ? {} : { column_settings: block.column_settings };
  return { type: "table", rows, ...settings };
}

function caption(block: Block): string {
  return typeof block.caption === "string" ? `<div class="caption">${escape(block.caption)}</div>` : "";
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

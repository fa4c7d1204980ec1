import { type Child, jsx as el } from "hono/jsx";

import { code, emoji, link, mention, pre, quote } from "./inline.ts";
import type { Look } from "./look.ts";
import { type Fields, fieldsIn, isFields, textOf } from "../../chat/draw/wire.ts";

/** The elements of a `rich_text` block. */
export function drawRichText(block: Fields, look: Look): Child[] {
  return fieldsIn(block.elements).map((element) => drawPart(element, look));
}

function drawPart(part: Fields, look: Look): Child {
  const inside = (): Child[] => fieldsIn(part.elements).map((element) => drawElement(element, look));
  switch (part.type) {
    case "rich_text_list":
      return drawList(part, look);
    case "rich_text_preformatted":
      return pre(...inside());
    case "rich_text_quote":
      return quote(...inside());
    default:
      return el("div", { class: "sl-text" }, ...inside());
  }
}

function drawList(list: Fields, look: Look): Child {
  const indent = Math.min(Number(list.indent ?? 0) || 0, 6);
  return el(
    list.style === "ordered" ? "ol" : "ul",
    {
      class: `sl-list sl-indent-${indent}`,
      start: typeof list.offset === "number" ? String(list.offset + 1) : undefined,
    },
    ...fieldsIn(list.elements).map((item) => el("li", null, drawPart(item, look))),
  );
}

function drawElement(element: Fields, look: Look): Child {
  switch (element.type) {
    case "text":
      return styled(textOf(element.text), element.style);
    case "link":
      return styled(link(element.url, textOf(element.text) || textOf(element.url)), element.style);
    case "user":
      return mention("@", element.user_id, look);
    case "usergroup":
      return mention("@", element.usergroup_id, look);
    case "channel":
      return mention("#", element.channel_id, look);
    case "broadcast":
      return mention("@", element.range, look);
    case "emoji":
      return emoji(element.name, element.unicode);
    case "date":
      return textOf(element.fallback) || new Date(Number(element.timestamp) * 1000).toUTCString();
    case "color":
      return code(textOf(element.value));
    default:
      return textOf(element.text) || `[${textOf(element.type)}]`;
  }
}

function styled(content: Child, style: unknown): Child {
  if (!isFields(style)) return content;
  let drawn = style.code === true ? el("code", { class: "sl-code" }, content) : content;
  if (style.bold === true) drawn = el("strong", null, drawn);
  if (style.italic === true) drawn = el("em", null, drawn);
  if (style.strike === true) drawn = el("s", null, drawn);
  if (style.underline === true) drawn = el("u", null, drawn);
  return drawn;
}

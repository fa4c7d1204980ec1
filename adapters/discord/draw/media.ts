import { type Child, jsx as el } from "hono/jsx";

import { type Fields, isFields, textOf } from "../../chat/draw/wire.ts";
import type { Look } from "./look.ts";

/** A picture is fetched where the drawing knows it; else its description stands for it. */
export function drawPicture(item: Fields, name: string, look: Look): Child {
  const url = isFields(item.media) ? textOf(item.media.url) : textOf(item.url);
  const alt = textOf(item.description) || fileName(url);
  const href = look.file(url)?.href;
  return href === undefined
    ? el("div", { class: `dc-unseen ${name}` }, alt)
    : el("img", { class: name, src: href, alt });
}

/** A file that hangs on a message. */
export function drawFile(url: string, look: Look): Child {
  const known = look.file(url);
  const name = el("span", { class: "dc-link" }, fileName(url));
  const note = el("span", { class: "dc-subtext" }, known?.note ?? "");
  const content = [
    el("span", { class: "dc-file-sign", "aria-hidden": "true" }, "🗎"),
    el("span", { class: "dc-file-name" }, name, note),
  ];
  return known?.href === undefined
    ? el("div", { class: "dc-file" }, ...content)
    : el("a", { class: "dc-file", href: known.href }, ...content);
}

/** `attachment://issues.csv` as `issues.csv`. */
function fileName(url: string): string {
  return url.split("?")[0]?.split("/").at(-1) ?? url;
}

import { type Child, jsx as el } from "hono/jsx";

import { type Fields, fieldsIn, isFields, textOf } from "../../chat/draw/wire.ts";
import { drawAccent } from "./accent.ts";
import type { Look } from "./look.ts";
import { drawMarkdown, link } from "./markdown.ts";
import { drawPicture } from "./media.ts";

/** An embed: the older form of a card. */
export function drawEmbed(embed: Fields, look: Look): Child {
  const { author, footer, image, thumbnail } = embed;
  const text = (value: unknown, name: string): Child =>
    textOf(value) === "" ? null : el("div", { class: name }, ...drawMarkdown(textOf(value), look));
  const title = textOf(embed.title);
  const foot = [isFields(footer) ? textOf(footer.text) : "", stamp(embed.timestamp)].filter(
    (part) => part !== "",
  );
  return el(
    "div",
    { class: "dc-embed" },
    drawAccent(typeof embed.color === "number" ? embed.color : 0x4e_50_58),
    isFields(thumbnail) ? drawPicture(thumbnail, "dc-thumbnail", look) : null,
    isFields(author)
      ? el("div", { class: "dc-embed-author" }, link(author.url, [textOf(author.name)]))
      : null,
    title === "" ? null : el("div", { class: "dc-embed-title" }, link(embed.url, drawMarkdown(title, look))),
    text(embed.description, "dc-text"),
    el(
      "div",
      { class: "dc-embed-fields" },
      ...fieldsIn(embed.fields).map((field) =>
        el(
          "div",
          { class: field.inline === true ? "dc-embed-field" : "dc-embed-field dc-whole" },
          text(field.name, "dc-embed-name"),
          text(field.value, "dc-text"),
        ),
      ),
    ),
    isFields(image) ? drawPicture(image, "dc-picture", look) : null,
    foot.length === 0 ? null : el("div", { class: "dc-embed-foot" }, foot.join(" • ")),
  );
}

function stamp(value: unknown): string {
  const at = new Date(textOf(value));
  return Number.isNaN(at.getTime()) ? "" : at.toISOString().slice(0, 16).replace("T", " ");
}

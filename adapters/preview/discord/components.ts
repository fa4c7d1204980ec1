import { ComponentType, SeparatorSpacingSize } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import type { DiscordDrawContext } from "../context.ts";
import { type Fields, fieldsIn, isFields, textOf } from "../payload.ts";
import { drawControl } from "./controls.ts";
import { drawMarkdown, link } from "./text.ts";

/** Components of a message or a modal, each as Discord lays it out. Every text is escaped later on. */
export function drawComponents(components: unknown, look: DiscordDrawContext): Child[] {
  return fieldsIn(components).map((component) => drawComponent(component, look));
}

function drawComponent(component: Fields, look: DiscordDrawContext): Child {
  switch (component.type) {
    case ComponentType.Container: {
      const hidden = component.spoiler === true ? " dc-spoiler" : "";
      return el(
        "div",
        { class: `dc-container${hidden}` },
        drawAccent(component.accent_color),
        ...drawComponents(component.components, look),
      );
    }
    case ComponentType.TextDisplay:
      return el("div", { class: "dc-text" }, ...drawMarkdown(textOf(component.content), look));
    case ComponentType.Section:
      return el(
        "div",
        { class: "dc-section" },
        el("div", { class: "dc-section-text" }, ...drawComponents(component.components, look)),
        isFields(component.accessory) ? drawComponent(component.accessory, look) : null,
      );
    case ComponentType.Separator: {
      const size = component.spacing === SeparatorSpacingSize.Large ? " dc-large" : "";
      return el("hr", { class: `dc-separator${size}${component.divider === false ? " dc-space" : ""}` });
    }
    case ComponentType.ActionRow:
      return el("div", { class: "dc-row" }, ...drawComponents(component.components, look));
    case ComponentType.Thumbnail:
      return drawPicture(component, "dc-thumbnail", look);
    case ComponentType.MediaGallery:
      return el(
        "div",
        { class: "dc-gallery" },
        ...fieldsIn(component.items).map((item) => drawPicture(item, "dc-picture", look)),
      );
    case ComponentType.File: {
      const { file } = component;
      return drawFile(isFields(file) ? textOf(file.url) : "", look);
    }
    case ComponentType.Label:
      return drawLabel(component, look);
    default:
      // What has no drawing is shown as it came.
      return (
        drawControl(component, look) ?? el("pre", { class: "dc-pre" }, JSON.stringify(component, null, 2))
      );
  }
}

/** A field of a modal with what stands above it. */
function drawLabel(label: Fields, look: DiscordDrawContext): Child {
  const { component } = label;
  const description = textOf(label.description);
  const needed = isFields(component) && component.required !== false;
  return el(
    "label",
    { class: "dc-label" },
    el("span", { class: "dc-label-text" }, textOf(label.label)),
    needed ? el("span", { class: "dc-needed" }, " *") : null,
    description === "" ? null : el("span", { class: "dc-subtext" }, description),
    isFields(component) ? drawComponent(component, look) : null,
  );
}

/** An embed: the older form of a card. */
export function drawEmbed(embed: Fields, look: DiscordDrawContext): Child {
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

/** A picture is fetched where the drawing knows it; else its description stands for it. */
function drawPicture(item: Fields, name: string, look: DiscordDrawContext): Child {
  const url = isFields(item.media) ? textOf(item.media.url) : textOf(item.url);
  const alt = textOf(item.description) || fileName(url);
  const href = look.file(url)?.href;
  return href === undefined
    ? el("div", { class: `dc-unseen ${name}` }, alt)
    : el("img", { class: name, src: href, alt });
}

/** A file that hangs on a message. */
export function drawFile(url: string, look: DiscordDrawContext): Child {
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

/**
 * The coloured edge of a container or embed. An image of one colour, as a style attribute is what strict
 * content security policies forbid. Nothing for a colour that is none.
 */
function drawAccent(colour: unknown): Child {
  if (typeof colour !== "number" || !Number.isInteger(colour) || colour < 0 || colour > 0xff_ff_ff)
    return null;
  const fill = `#${colour.toString(16).padStart(6, "0")}`;
  return el(
    "svg",
    { class: "dc-accent", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    el("rect", { width: "1", height: "1", fill }),
  );
}

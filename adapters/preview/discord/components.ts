import { ComponentType, SeparatorSpacingSize } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type DiscordDrawContext, type Fields, fieldsIn, textOf } from "../context.ts";
import { box, drawLink, drawPlainly, frameFile, span } from "../frame.ts";
import { drawControl } from "./controls.ts";
import { drawMarkdown } from "./text.ts";

/** Components of a message or a modal, each as Discord lays it out. Every text is escaped later on. */
export function drawComponents(components: unknown, context: DiscordDrawContext): Child[] {
  return fieldsIn(components).map((component) => drawComponent(component, context));
}

function drawComponent(component: Fields, context: DiscordDrawContext): Child {
  const inner = (): Child[] => drawComponents(component.components, context);
  switch (component.type) {
    case ComponentType.Container: {
      const hidden = component.spoiler === true ? " dc-spoiler" : "";
      return box(`dc-container${hidden}`, drawAccent(component.accent_color), ...inner());
    }
    case ComponentType.TextDisplay:
      return box("dc-text", ...drawMarkdown(textOf(component.content), context));
    case ComponentType.Section: {
      const { accessory } = component;
      const side = isObject(accessory) ? drawComponent(accessory, context) : null;
      return box("dc-section", box("dc-section-text", ...inner()), side);
    }
    case ComponentType.Separator: {
      const size = component.spacing === SeparatorSpacingSize.Large ? " dc-large" : "";
      return el("hr", { class: `dc-separator${size}${component.divider === false ? " dc-space" : ""}` });
    }
    case ComponentType.ActionRow:
      return box("dc-row", ...inner());
    case ComponentType.Thumbnail:
      return drawPicture(component, "dc-thumbnail", context);
    case ComponentType.MediaGallery: {
      const items = fieldsIn(component.items);
      return box("dc-gallery", ...items.map((item) => drawPicture(item, "dc-picture", context)));
    }
    case ComponentType.File:
      return drawFile(isObject(component.file) ? textOf(component.file.url) : "", context);
    case ComponentType.Label:
      return drawLabel(component, context);
    default:
      return drawControl(component, context) ?? drawPlainly("dc", component);
  }
}

/** A field of a modal with what stands above it. */
function drawLabel(label: Fields, context: DiscordDrawContext): Child {
  const { component } = label;
  const description = textOf(label.description);
  const isNeeded = isObject(component) && component.required !== false;
  return el(
    "label",
    { class: "dc-label" },
    span("dc-label-text", textOf(label.label)),
    isNeeded ? span("dc-needed", " *") : null,
    description === "" ? null : span("dc-subtext", description),
    isObject(component) ? drawComponent(component, context) : null,
  );
}

/** An embed: the older form of a card. */
export function drawEmbed(embed: Fields, context: DiscordDrawContext): Child {
  const { author, footer, image, thumbnail } = embed;
  const text = (value: unknown, name: string): Child =>
    textOf(value) === "" ? null : box(name, ...drawMarkdown(textOf(value), context));
  const title = textOf(embed.title);
  const fields = fieldsIn(embed.fields).map(({ inline, name, value }) =>
    box(
      inline === true ? "dc-embed-field" : "dc-embed-field dc-whole",
      text(name, "dc-embed-name"),
      text(value, "dc-text"),
    ),
  );
  const foot = [isObject(footer) ? textOf(footer.text) : "", stamp(embed.timestamp)];
  const footText = foot.filter((part) => part !== "").join(" • ");
  return box(
    "dc-embed",
    drawAccent(typeof embed.color === "number" ? embed.color : 0x4e_50_58),
    isObject(thumbnail) ? drawPicture(thumbnail, "dc-thumbnail", context) : null,
    isObject(author) ? box("dc-embed-author", drawLink("dc", author.url, textOf(author.name))) : null,
    title === "" ? null : box("dc-embed-title", drawLink("dc", embed.url, ...drawMarkdown(title, context))),
    text(embed.description, "dc-text"),
    box("dc-embed-fields", ...fields),
    isObject(image) ? drawPicture(image, "dc-picture", context) : null,
    footText === "" ? null : box("dc-embed-foot", footText),
  );
}

function stamp(value: unknown): string {
  const at = new Date(textOf(value));
  return Number.isNaN(at.getTime()) ? "" : at.toISOString().slice(0, 16).replace("T", " ");
}

/** A picture is fetched where the drawing knows it; else its description stands for it. */
function drawPicture(item: Fields, name: string, context: DiscordDrawContext): Child {
  const url = isObject(item.media) ? textOf(item.media.url) : textOf(item.url);
  const alt = textOf(item.description) || fileName(url);
  const src = context.file(url)?.href;
  return src === undefined ? box(`dc-unseen ${name}`, alt) : el("img", { class: name, src, alt });
}

/** A file that hangs on a message. */
export function drawFile(url: string, context: DiscordDrawContext): Child {
  const { href, note = "" } = context.file(url) ?? {};
  const sign = el("span", { class: "dc-file-sign", "aria-hidden": "true" }, "🗎");
  const name = span("dc-file-name", span("dc-link", fileName(url)), span("dc-subtext", note));
  return frameFile("dc", href, sign, name);
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

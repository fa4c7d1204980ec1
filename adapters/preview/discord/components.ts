import { ButtonStyle, ComponentType, TextInputStyle } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type DiscordDrawContext, type Fields, fieldsIn, textOf } from "../context.ts";
import { box, type Choice, drawPlainly, drawSelect, drawTextInput, frameFile, span } from "../frame.ts";
import { drawMarkdown } from "./text.ts";

/** Components of a message or a modal: those that the product sends, and every other one as its JSON. */
export function drawComponents(components: unknown, context: DiscordDrawContext): Child[] {
  return fieldsIn(components).map((component) => drawComponent(component, context));
}

function drawComponent(component: Fields, context: DiscordDrawContext): Child {
  const inner = (): Child[] => drawComponents(component.components, context);
  switch (component.type) {
    case ComponentType.Container:
      return box("dc-container", drawAccent(component.accent_color), ...inner());
    case ComponentType.TextDisplay:
      return box("dc-text", ...drawMarkdown(textOf(component.content), context));
    case ComponentType.Section: {
      const { accessory } = component;
      const side = isObject(accessory) ? drawComponent(accessory, context) : null;
      return box("dc-section", box("dc-section-text", ...inner()), side);
    }
    case ComponentType.Separator:
      return el("hr", { class: "dc-separator" });
    case ComponentType.ActionRow:
      return box("dc-row", ...inner());
    case ComponentType.File:
      return drawFile(isObject(component.file) ? textOf(component.file.url) : "", context);
    case ComponentType.MediaGallery:
      return box("dc-gallery", ...fieldsIn(component.items).map((item) => drawPicture(item, context)));
    case ComponentType.Label:
      return drawLabel(component, context);
    default:
      return drawControl(component, context) ?? drawPlainly("dc", component);
  }
}

/** A picture; where it cannot be had, what it shows in words. */
function drawPicture({ media, description }: Fields, context: DiscordDrawContext): Child {
  const { href } = context.file(isObject(media) ? textOf(media.url) : "") ?? {};
  const alt = textOf(description);
  return href === undefined
    ? span("dc-subtext", alt)
    : el("img", { class: "dc-picture", src: href, alt, loading: "lazy" });
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

/** An embed, the older form of a card: its text beside a coloured edge. */
export function drawEmbed({ color, description }: Fields, context: DiscordDrawContext): Child {
  const text = textOf(description);
  return box(
    "dc-embed",
    drawAccent(typeof color === "number" ? color : 0x4e_50_58),
    text === "" ? null : box("dc-text", ...drawMarkdown(text, context)),
  );
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

const BUTTONS: Readonly<Record<number, string>> = {
  [ButtonStyle.Primary]: "dc-primary",
  [ButtonStyle.Success]: "dc-success",
  [ButtonStyle.Danger]: "dc-danger",
};

/** A button, menu or input that the product sends. Undefined for others. */
function drawControl(component: Fields, context: DiscordDrawContext): Child | undefined {
  const wired = context.attributes(component);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "dc-field" };
  const placeholder = textOf(component.placeholder);
  switch (component.type) {
    case ComponentType.Button: {
      const name = `dc-button ${BUTTONS[Number(component.style)] ?? "dc-secondary"}`;
      return el("button", { type: "button", ...props, class: name }, textOf(component.label));
    }
    case ComponentType.StringSelect: {
      const options = fieldsIn(component.options);
      const choices = options.map(({ value, label }): Choice => [textOf(value), textOf(label)]);
      const chosen = options.find((option) => option.default === true);
      return drawSelect(field, choices, textOf(chosen?.value), placeholder || "Make a selection");
    }
    case ComponentType.TextInput: {
      const isLong = component.style === TextInputStyle.Paragraph;
      const input = isLong ? field : { ...field, type: "text" };
      return drawTextInput(input, textOf(component.value), placeholder, isLong);
    }
    default:
      return undefined;
  }
}

import { ComponentType, SeparatorSpacingSize } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { type Fields, fieldsIn, isFields, textOf } from "../../chat/draw/wire.ts";
import { drawAccent } from "./accent.ts";
import { drawControl } from "./controls.ts";
import type { Look } from "./look.ts";
import { drawMarkdown } from "./markdown.ts";
import { drawFile, drawPicture } from "./media.ts";

/** Components of a message or a modal, each as Discord lays it out. Every text is escaped later on. */
export function drawComponents(components: unknown, look: Look): Child[] {
  return fieldsIn(components).map((component) => drawComponent(component, look));
}

function drawComponent(component: Fields, look: Look): Child {
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
function drawLabel(label: Fields, look: Look): Child {
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

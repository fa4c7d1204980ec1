import type {
  APIActionRowComponent,
  APIButtonComponent,
  APIComponentInContainer,
  APIComponentInMessageActionRow,
  APIEmbed,
  APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import { ComponentType } from "discord-api-types/v10";

import { rowsOf } from "./buttons.ts";
import { type Budget, LIMITS } from "./limits.ts";

/** What a message of embeds has room for: five rows of five buttons, and all text in one description. */
export const EMBEDS_BUDGET: Budget = { chars: 3900, components: 30 };

export interface Embedded {
  embeds: APIEmbed[];
  components: APIActionRowComponent<APIButtonComponent>[];
}

/**
 * The same message for where Components V2 cannot be used: its texts in embeds, in their order and colours,
 * and its buttons below them. Files show themselves. Made within `EMBEDS_BUDGET`, nothing is left out.
 */
export function toEmbeds(components: readonly APIMessageTopLevelComponent[]): Embedded {
  const embeds: APIEmbed[] = [];
  const buttons: APIButtonComponent[] = [];
  const add = (color: number | undefined, parts: readonly APIComponentInContainer[]): void => {
    const text = parts
      .map(textOf)
      .filter((one) => one !== "")
      .join("\n");
    for (const part of parts) buttons.push(...buttonsOf(part));
    addText(color, text);
    for (const url of parts.flatMap(picturesOf))
      if (embeds.length < LIMITS.embed.perMessage) embeds.push({ image: { url } });
  };
  const addText = (color: number | undefined, text: string): void => {
    if (text === "") return;
    const last = embeds.at(-1);
    const isSame = last !== undefined && last.color === color;
    if (isSame || embeds.length === LIMITS.embed.perMessage) {
      Object.assign(last ?? {}, { description: `${last?.description ?? ""}\n${text}` });
    } else {
      embeds.push({ description: text, ...(color === undefined ? {} : { color }) });
    }
  };
  for (const component of components) {
    if (component.type === ComponentType.Container)
      add(component.accent_color ?? undefined, component.components);
    else add(undefined, [component]);
  }
  return { embeds, components: rowsOf(buttons) };
}

function textOf(part: APIComponentInContainer): string {
  if (part.type === ComponentType.TextDisplay) return part.content;
  return part.type === ComponentType.Section ? part.components.map(({ content }) => content).join("\n") : "";
}

function picturesOf(part: APIComponentInContainer): string[] {
  return part.type === ComponentType.MediaGallery ? part.items.map(({ media }) => media.url) : [];
}

function buttonsOf(part: APIComponentInContainer): APIButtonComponent[] {
  const isButton = (one: APIComponentInMessageActionRow): one is APIButtonComponent =>
    one.type === ComponentType.Button;
  if (part.type === ComponentType.ActionRow) return part.components.filter(isButton);
  if (part.type !== ComponentType.Section) return [];
  return part.accessory.type === ComponentType.Button ? [part.accessory] : [];
}

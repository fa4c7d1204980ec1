import { ButtonStyle, ComponentType as C } from "discord-api-types/v10";

import { asText, isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import { checkControl } from "./controls.ts";
import { componentFields, galleryItemFields, mediaFields } from "./fields.ts";
import type { Form } from "./form.ts";

type Path = readonly (string | number)[];

export interface ComponentRules {
  /** The message carries the flag IS_COMPONENTS_V2. */
  v2: boolean;
  /** File names that `attachment://` may name. */
  files: ReadonlySet<string>;
}

const inContainer = [C.ActionRow, C.TextDisplay, C.Section, C.MediaGallery, C.Separator, C.File];
const inRow = [C.Button, C.StringSelect, C.UserSelect, C.RoleSelect, C.MentionableSelect, C.ChannelSelect];

/** Checks the components of a message: https://discord.com/developers/docs/components/reference */
export function checkComponents(form: Form, value: unknown, rules: ComponentRules): void {
  const top = rules.v2 ? [...inContainer, C.Container] : [C.ActionRow];
  const components = form.list(value, ["components"], rules.v2 ? 40 : 5);
  const seen: Seen = { customIds: new Set(), ids: new Set(), count: 0, text: 0 };
  for (const [index, component] of components.entries()) {
    checkComponent({ form, rules, seen }, component, ["components", index], top);
  }
  // Without V2 five rows of five buttons are the most in any case.
  if (seen.count > 40) {
    form.add(
      ["components"],
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      `The total number of components cannot exceed 40, got ${seen.count}`,
    );
  }
  if (seen.text > 4000) {
    form.add(
      ["components"],
      "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      `The total displayable text cannot exceed 4000 characters, got ${seen.text}`,
    );
  }
}

interface Seen {
  customIds: Set<string>;
  ids: Set<number>;
  count: number;
  text: number;
}

interface Checking {
  form: Form;
  rules: ComponentRules;
  seen: Seen;
}

function checkComponent(checking: Checking, value: unknown, at: Path, allowed: readonly C[]): void {
  const { form, seen } = checking;
  const type = isFields(value) ? (value.type as C) : undefined;
  if (isFields(value) && type === undefined) return form.required([...at, "type"]);
  if (type !== undefined && !allowed.includes(type)) {
    return form.add(
      [...at, "type"],
      "UNION_TYPE_CHOICES",
      `Value of field "type" must be one of (${allowed.join(", ")}).`,
    );
  }
  const component = form.object(value, at, componentFields[type ?? C.ActionRow] ?? {});
  if (component === undefined) return;
  seen.count += 1;
  checkIds(checking, component, at);
  checkInside(checking, component, at);
}

export function checkIds({ form, seen }: Omit<Checking, "rules">, component: Fields, at: Path): void {
  form.number(component.id, [...at, "id"], 0, 2_147_483_647);
  // 0 asks for a number, as if there were none.
  if (typeof component.id === "number" && component.id !== 0) {
    if (seen.ids.has(component.id)) {
      form.add([...at, "id"], "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated");
    }
    seen.ids.add(component.id);
  }
  if (component.custom_id === undefined) return;
  if (!form.text(component.custom_id, [...at, "custom_id"], 100, 1)) return;
  if (seen.customIds.has(component.custom_id)) {
    form.add(
      [...at, "custom_id"],
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
    );
  }
  seen.customIds.add(component.custom_id);
}

function checkInside(checking: Checking, component: Fields, at: Path): void {
  const { form, seen } = checking;
  const children = (most: number, allowed: readonly C[]): unknown[] => {
    const list = form.list(component.components, [...at, "components"], most, 1);
    for (const [index, child] of list.entries()) {
      checkComponent(checking, child, [...at, "components", index], allowed);
    }
    return list;
  };
  switch (component.type) {
    case C.ActionRow: {
      const list = children(5, inRow);
      const selects = list.filter((child) => isFields(child) && child.type !== C.Button).length;
      if (selects > 0 && list.length > 1) {
        form.add(
          [...at, "components"],
          "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
          "The specified component exceeds the maximum width",
        );
      }
      return;
    }
    case C.Container:
      form.number(component.accent_color, [...at, "accent_color"], 0, 0xff_ff_ff);
      children(40, inContainer);
      return;
    case C.Section:
      children(3, [C.TextDisplay]);
      if (component.accessory === undefined) return form.required([...at, "accessory"]);
      return checkComponent(checking, component.accessory, [...at, "accessory"], [C.Button, C.Thumbnail]);
    case C.TextDisplay:
      if (form.text(component.content, [...at, "content"], 4000, 1)) seen.text += component.content.length;
      return;
    case C.Thumbnail:
      form.text(component.description, [...at, "description"], 1024);
      return media(checking, component.media, [...at, "media"]);
    case C.MediaGallery:
      for (const [index, item] of form.list(component.items, [...at, "items"], 10, 1).entries()) {
        const here = [...at, "items", index];
        const entry = form.object(item, here, galleryItemFields);
        form.text(entry?.description, [...here, "description"], 1024);
        media(checking, entry?.media, [...here, "media"]);
      }
      return;
    case C.File:
      return media(checking, component.file, [...at, "file"], true);
    case C.Separator:
      form.flag(component.divider, [...at, "divider"]);
      return form.choice(component.spacing, [...at, "spacing"], [1, 2]);
    default:
      if (component.type === C.Button && component.style !== ButtonStyle.Link) {
        if (component.custom_id === undefined && component.style !== ButtonStyle.Premium) {
          form.required([...at, "custom_id"]);
        }
      }
      return checkControl(form, component, at);
  }
}

function media({ form, rules }: Checking, value: unknown, at: Path, attachmentOnly = false): void {
  if (value === undefined) return form.required(at);
  const item = form.object(value, at, mediaFields);
  if (item === undefined) return;
  if (item.url === undefined) return form.required([...at, "url"]);
  form.url(item.url, [...at, "url"], attachmentOnly ? ["attachment:"] : ["http:", "https:", "attachment:"]);
  const name = /^attachment:\/\/(.*)$/.exec(asText(item.url))?.[1];
  if (name !== undefined && !rules.files.has(name)) {
    form.add(
      [...at, "url"],
      "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
      `The referenced attachment ${name} was not found in the message`,
    );
  }
}

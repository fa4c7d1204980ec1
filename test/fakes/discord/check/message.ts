import { MessageFlags } from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import { checkComponents } from "./components.ts";
import { checkEmbeds } from "./embeds.ts";
import { attachmentFields, mentionFields, messageFields } from "./fields.ts";
import { Form } from "./form.ts";

/** 10 MiB, what a bot may send without boosts. */
export const FILE_LIMIT: number = 10 * 1024 * 1024;
/** 25 MiB in all. */
export const REQUEST_LIMIT: number = 25 * 1024 * 1024;

export interface Sending {
  body: Fields;
  /** Names of the files that the message will have. */
  files: ReadonlySet<string>;
  /** Flags that the message has already. */
  flags: number;
}

/** Checks what an app wants a message to be. */
export function checkMessage({ body, files, flags }: Sending): Form {
  const form = new Form();
  form.object(body, [], messageFields);
  form.number(body.flags, ["flags"], 0, 2 ** 31 - 1);
  const v2 = ((flags | Number(body.flags ?? 0)) & MessageFlags.IsComponentsV2) !== 0;
  if (v2) {
    for (const name of ["content", "embeds", "poll", "sticker_ids"] as const) {
      const value = body[name];
      if (value === undefined || value === null || value === "") continue;
      if (Array.isArray(value) && value.length === 0) continue;
      form.add(
        [name],
        "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
        `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
      );
    }
  }
  form.text(body.content, ["content"], 2000);
  checkEmbeds(form, body.embeds);
  checkComponents(form, body.components, { v2, files });
  checkAttachments(form, body.attachments);
  checkMentions(form, body.allowed_mentions);
  if (typeof body.nonce === "string") form.text(body.nonce, ["nonce"], 25);
  return form;
}

function checkAttachments(form: Form, value: unknown): void {
  for (const [index, item] of form.list(value, ["attachments"], 10).entries()) {
    const at = ["attachments", index];
    const attachment = form.object(item, at, attachmentFields);
    if (attachment === undefined) continue;
    if (attachment.id === undefined) form.required([...at, "id"]);
    form.text(attachment.filename, [...at, "filename"], 1024);
    form.text(attachment.description, [...at, "description"], 1024);
    form.text(attachment.title, [...at, "title"], 1024);
  }
}

function checkMentions(form: Form, value: unknown): void {
  if (!isFields(value)) return;
  const mentions = form.object(value, ["allowed_mentions"], mentionFields);
  const parse = form.list(mentions?.parse, ["allowed_mentions", "parse"], 3);
  for (const [index, item] of parse.entries()) {
    form.choice(item, ["allowed_mentions", "parse", index], ["everyone", "roles", "users"]);
  }
  for (const kind of ["users", "roles"] as const) {
    const listed = form.list(mentions?.[kind], ["allowed_mentions", kind], 100);
    if (listed.length > 0 && parse.includes(kind)) {
      form.add(
        ["allowed_mentions"],
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
    }
  }
}

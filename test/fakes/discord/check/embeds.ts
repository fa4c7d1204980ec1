import type {
  APIEmbed,
  APIEmbedAuthor,
  APIEmbedField,
  APIEmbedFooter,
  APIEmbedImage,
  APIEmbedProvider,
  APIEmbedVideo,
} from "discord-api-types/v10";

import { asText, isFields } from "../../slack/json.ts";
import type { FieldsOf, Form } from "./form.ts";

const embedFields: FieldsOf<APIEmbed> = {
  title: true,
  type: true,
  description: true,
  url: true,
  timestamp: true,
  color: true,
  footer: true,
  image: true,
  thumbnail: true,
  video: true,
  provider: true,
  author: true,
  fields: true,
  flags: true,
};
const imageFields: FieldsOf<APIEmbedImage> = {
  url: true,
  proxy_url: true,
  height: true,
  width: true,
  content_type: true,
  placeholder: true,
  placeholder_version: true,
  description: true,
  flags: true,
};
const videoFields: FieldsOf<APIEmbedVideo> = imageFields;
const providerFields: FieldsOf<APIEmbedProvider> = { name: true, url: true };
const footerFields: FieldsOf<APIEmbedFooter> = { text: true, icon_url: true, proxy_icon_url: true };
const authorFields: FieldsOf<APIEmbedAuthor> = {
  name: true,
  url: true,
  icon_url: true,
  proxy_icon_url: true,
};
const fieldFields: FieldsOf<APIEmbedField> = { name: true, value: true, inline: true };

const media = ["http:", "https:", "attachment:"];

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
export function checkEmbeds(form: Form, value: unknown): void {
  let total = 0;
  for (const [index, item] of form.list(value, ["embeds"], 10).entries()) {
    const at = ["embeds", index];
    const embed = form.object(item, at, embedFields);
    if (embed === undefined) continue;
    const text = (value: unknown, path: (string | number)[], most: number, least = 0): void => {
      if (form.text(value, path, most, least)) total += value.trim().length;
    };
    text(embed.title, [...at, "title"], 256);
    text(embed.description, [...at, "description"], 4096);
    form.url(embed.url, [...at, "url"]);
    form.number(embed.color, [...at, "color"], 0, 0xff_ff_ff);
    if (embed.timestamp !== undefined && Number.isNaN(Date.parse(asText(embed.timestamp)))) {
      form.add(
        [...at, "timestamp"],
        "DATE_TIME_TYPE_PARSE",
        `Could not parse ${JSON.stringify(embed.timestamp)}.`,
      );
    }
    const parts = {
      image: imageFields,
      thumbnail: imageFields,
      video: videoFields,
      provider: providerFields,
    };
    for (const [name, fields] of Object.entries(parts)) {
      const part = embed[name];
      if (part === undefined || part === null) continue;
      const checked = form.object(part, [...at, name], fields);
      form.url(checked?.url, [...at, name, "url"], media);
    }
    if (isFields(embed.footer)) {
      const footer = form.object(embed.footer, [...at, "footer"], footerFields);
      text(footer?.text, [...at, "footer", "text"], 2048, 1);
      form.url(footer?.icon_url, [...at, "footer", "icon_url"], media);
    }
    if (isFields(embed.author)) {
      const author = form.object(embed.author, [...at, "author"], authorFields);
      text(author?.name, [...at, "author", "name"], 256, 1);
      form.url(author?.url, [...at, "author", "url"]);
      form.url(author?.icon_url, [...at, "author", "icon_url"], media);
    }
    for (const [number, entry] of form.list(embed.fields, [...at, "fields"], 25).entries()) {
      const here = [...at, "fields", number];
      const field = form.object(entry, here, fieldFields);
      text(field?.name, [...here, "name"], 256, 1);
      text(field?.value, [...here, "value"], 1024, 1);
      form.flag(field?.inline, [...here, "inline"]);
    }
  }
  if (total > 6000) {
    form.add(["embeds"], "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
  }
}

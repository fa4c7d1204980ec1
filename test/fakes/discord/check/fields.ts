import type {
  APIActionRowComponent,
  APIAllowedMentions,
  APIButtonComponent,
  APIChannelSelectComponent,
  APICheckboxComponent,
  APICheckboxGroupComponent,
  APIComponentInMessageActionRow,
  APIContainerComponent,
  APIFileComponent,
  APIFileUploadComponent,
  APILabelComponent,
  APIMediaGalleryComponent,
  APIMediaGalleryItem,
  APIMentionableSelectComponent,
  APIMessageComponentEmoji,
  APIRadioGroupComponent,
  APIRoleSelectComponent,
  APISectionComponent,
  APISelectMenuOption,
  APISeparatorComponent,
  APIStringSelectComponent,
  APITextDisplayComponent,
  APITextInputComponent,
  APIThumbnailComponent,
  APIUnfurledMediaItem,
  APIUserSelectComponent,
  RESTAPIAttachment,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessageJSONBody,
  RESTPostAPIWebhookWithTokenJSONBody,
} from "discord-api-types/v10";
import { ComponentType } from "discord-api-types/v10";

import type { FieldsOf } from "./form.ts";

/** discord.js sends the fields of all three with each. */
export const messageFields: FieldsOf<
  RESTPostAPIChannelMessageJSONBody | RESTPatchAPIChannelMessageJSONBody | RESTPostAPIWebhookWithTokenJSONBody
> = {
  content: true,
  nonce: true,
  tts: true,
  embeds: true,
  allowed_mentions: true,
  message_reference: true,
  components: true,
  sticker_ids: true,
  attachments: true,
  flags: true,
  enforce_nonce: true,
  poll: true,
  shared_client_theme: true,
  username: true,
  avatar_url: true,
  thread_name: true,
  applied_tags: true,
};

export const attachmentFields: FieldsOf<RESTAPIAttachment> = {
  id: true,
  filename: true,
  title: true,
  description: true,
  duration_secs: true,
  waveform: true,
  is_spoiler: true,
};

export const mentionFields: FieldsOf<APIAllowedMentions> = {
  parse: true,
  roles: true,
  users: true,
  replied_user: true,
};

export const optionFields: FieldsOf<APISelectMenuOption> = {
  label: true,
  value: true,
  description: true,
  emoji: true,
  default: true,
};

export const emojiFields: FieldsOf<APIMessageComponentEmoji> = { id: true, name: true, animated: true };

export const galleryItemFields: FieldsOf<APIMediaGalleryItem> = {
  media: true,
  description: true,
  spoiler: true,
};

export const mediaFields: FieldsOf<APIUnfurledMediaItem> = {
  url: true,
  proxy_url: true,
  width: true,
  height: true,
  placeholder: true,
  placeholder_version: true,
  content_type: true,
  loading_state: true,
  flags: true,
  attachment_id: true,
};

const base = { type: true, id: true } as const;
const select = {
  ...base,
  custom_id: true,
  placeholder: true,
  min_values: true,
  max_values: true,
  disabled: true,
  required: true,
} as const;
const populated = { ...select, default_values: true } as const;
const group = { ...base, custom_id: true, options: true, required: true } as const;

const row: FieldsOf<APIActionRowComponent<APIComponentInMessageActionRow>> = { ...base, components: true };
const button: FieldsOf<APIButtonComponent> = {
  ...base,
  style: true,
  label: true,
  emoji: true,
  custom_id: true,
  sku_id: true,
  url: true,
  disabled: true,
};
const stringSelect: FieldsOf<APIStringSelectComponent> = { ...select, options: true };
const textInput: FieldsOf<APITextInputComponent> = {
  ...base,
  style: true,
  custom_id: true,
  label: true,
  placeholder: true,
  value: true,
  min_length: true,
  max_length: true,
  required: true,
};
const userSelect: FieldsOf<APIUserSelectComponent> = populated;
const roleSelect: FieldsOf<APIRoleSelectComponent> = populated;
const mentionableSelect: FieldsOf<APIMentionableSelectComponent> = populated;
const channelSelect: FieldsOf<APIChannelSelectComponent> = { ...populated, channel_types: true };
const section: FieldsOf<APISectionComponent> = { ...base, components: true, accessory: true };
const textDisplay: FieldsOf<APITextDisplayComponent> = { ...base, content: true };
const thumbnail: FieldsOf<APIThumbnailComponent> = { ...base, media: true, description: true, spoiler: true };
const gallery: FieldsOf<APIMediaGalleryComponent> = { ...base, items: true };
const file: FieldsOf<APIFileComponent> = { ...base, file: true, spoiler: true, name: true, size: true };
const separator: FieldsOf<APISeparatorComponent> = { ...base, divider: true, spacing: true };
const container: FieldsOf<APIContainerComponent> = {
  ...base,
  accent_color: true,
  spoiler: true,
  components: true,
};
const label: FieldsOf<APILabelComponent> = { ...base, label: true, description: true, component: true };
const upload: FieldsOf<APIFileUploadComponent> = {
  ...base,
  custom_id: true,
  min_values: true,
  max_values: true,
  file_types: true,
  required: true,
};
const radios: FieldsOf<APIRadioGroupComponent> = group;
const checkboxes: FieldsOf<APICheckboxGroupComponent> = { ...group, min_values: true, max_values: true };
const checkbox: FieldsOf<APICheckboxComponent> = { ...base, custom_id: true, default: true };

/** The fields of each component. */
export const componentFields: Partial<Record<ComponentType, Record<string, true>>> = {
  [ComponentType.ActionRow]: row,
  [ComponentType.Button]: button,
  [ComponentType.StringSelect]: stringSelect,
  [ComponentType.TextInput]: textInput,
  [ComponentType.UserSelect]: userSelect,
  [ComponentType.RoleSelect]: roleSelect,
  [ComponentType.MentionableSelect]: mentionableSelect,
  [ComponentType.ChannelSelect]: channelSelect,
  [ComponentType.Section]: section,
  [ComponentType.TextDisplay]: textDisplay,
  [ComponentType.Thumbnail]: thumbnail,
  [ComponentType.MediaGallery]: gallery,
  [ComponentType.File]: file,
  [ComponentType.Separator]: separator,
  [ComponentType.Container]: container,
  [ComponentType.Label]: label,
  [ComponentType.FileUpload]: upload,
  [ComponentType.RadioGroup]: radios,
  [ComponentType.CheckboxGroup]: checkboxes,
  [ComponentType.Checkbox]: checkbox,
};

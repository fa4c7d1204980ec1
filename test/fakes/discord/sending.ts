import { MessageFlags, MessageType } from "discord-api-types/v10";

import { isFields } from "../slack/json.ts";
import { FILE_LIMIT, checkMessage } from "./check/message.ts";
import { DiscordError, refusal } from "./errors.ts";
import { channelEvent, messageDeleted, messageEvent, threadMembersEvent } from "./events.ts";
import { mentionsOf, spokenText } from "./mentions.ts";
import { isThread } from "./permissions.ts";
import type { Context } from "./rest/route.ts";
import type { SentFile } from "./rest/request.ts";
import type { Channel, Fields, Message, StoredFile, World } from "./types.ts";
import { addMessage } from "./world.ts";

/** Flags that an app may set itself. */
const SETTABLE =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2;

/** How long a nonce with `enforce_nonce` stands for the message that carried it. */
const NONCE_LIFE_MS = 300_000;

export interface Origin {
  /** Who alone sees it. */
  ephemeralFor?: string | undefined;
  interaction?: Fields;
  type?: MessageType;
  /** Where the request holds the message: `data` in an answer to an interaction. */
  under?: string;
}

/** What the app sends becomes a message, or is refused. */
export function postMessage(context: Context, channel: Channel, body: Fields, origin: Origin = {}): Message {
  const { world, files } = context;
  const flags = Number(body.flags ?? 0);
  const stored = storeFiles(world, files, body.attachments, (flags & MessageFlags.Ephemeral) !== 0);
  context.accept(checkMessage({ body, files: namesOf(stored), flags: 0 }), origin.under);
  const same = sameNonce(world, channel, body);
  if (same !== undefined) return same;
  const content = typeof body.content === "string" ? body.content : "";
  const embeds = fieldsIn(body.embeds);
  const components = numbered(fieldsIn(body.components));
  if (content.trim() === "" && embeds.length + components.length + stored.length === 0) throw refusal(50006);
  const reference = referenceOf(world, channel, body.message_reference);
  const allowed = isFields(body.allowed_mentions) ? body.allowed_mentions : undefined;
  const answered = reference === undefined ? undefined : world.byId.get(reference);
  const found = mentionsOf(world, channel, world.app.id, spokenText(content, components), allowed);
  if (answered !== undefined && (allowed?.replied_user ?? allowed === undefined) === true) {
    if (!found.mentions.includes(answered.author)) found.mentions.push(answered.author);
  }
  const message = addMessage(world, {
    channel: channel.id,
    author: world.app.id,
    type: origin.type ?? (reference === undefined ? MessageType.Default : MessageType.Reply),
    content,
    embeds,
    components,
    attachments: stored,
    flags: flags & SETTABLE,
    reference,
    nonce: body.nonce as string | number | undefined,
    enforceNonce: body.enforce_nonce === true,
    webhook: origin.interaction !== undefined,
    interaction: origin.interaction,
    ephemeralFor: origin.ephemeralFor,
    ...found,
  });
  announce(world, channel, message);
  return message;
}

/** Tells the clients of a new message. One in an archived thread opens the thread again. */
export function announce(world: World, channel: Channel, message: Message): void {
  if (channel.archived && message.ephemeralFor === undefined) {
    Object.assign(channel, { archived: false, archivedAt: world.clock.now() });
    channelEvent(world, "UPDATE", channel);
  }
  if (isThread(channel)) join(world, channel, message.author);
  messageEvent(world, "MESSAGE_CREATE", message);
  world.changed();
}

export function join(world: World, thread: Channel, user: string): void {
  if (thread.members.has(user)) return;
  thread.members.add(user);
  threadMembersEvent(world, thread, [user]);
}

/** An edit keeps what it does not name. `fresh` is the first content of a deferred answer. */
export function editMessage(context: Context, message: Message, body: Fields, under?: string): Message {
  const { world, files } = context;
  const added = storeFiles(world, files, body.attachments, message.ephemeralFor !== undefined);
  const kept = keptFiles(message, body.attachments);
  const attachments = [...kept, ...added];
  const flags = Number(body.flags ?? 0) & (MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2);
  const lasting = message.flags & ~MessageFlags.Loading;
  const next = {
    content: typeof body.content === "string" ? body.content : body.content === null ? "" : message.content,
    embeds: body.embeds === undefined ? message.embeds : fieldsIn(body.embeds),
    components: body.components === undefined ? message.components : numbered(fieldsIn(body.components)),
    attachments,
    flags: lasting | flags,
  };
  // What stays counts as well: V2 cannot be switched on beside a content that nobody took away.
  const v2 = (next.flags & MessageFlags.IsComponentsV2) !== 0;
  const whole = v2 ? { ...body, content: next.content, embeds: next.embeds } : body;
  context.accept(checkMessage({ body: whole, files: namesOf(attachments), flags: next.flags }), under);
  if (next.content.trim() === "" && next.embeds.length + next.components.length + attachments.length === 0) {
    throw refusal(50006);
  }
  const { content, embeds, components, attachments: before, flags: flagsBefore } = message;
  if ((flagsBefore & MessageFlags.Loading) === 0) {
    message.history.push({ content, embeds, components, attachments: before, flags: flagsBefore });
  }
  const channel = world.channels.get(message.channel);
  const allowed = isFields(body.allowed_mentions) ? body.allowed_mentions : undefined;
  if (channel !== undefined) {
    // An edit draws mentions and notifies nobody; the first content of a deferred answer notifies.
    Object.assign(
      message,
      mentionsOf(world, channel, message.author, spokenText(next.content, next.components), allowed),
    );
  }
  Object.assign(message, next, { editedAt: world.clock.now() });
  messageEvent(world, "MESSAGE_UPDATE", message);
  world.changed();
  return message;
}

export function deleteMessage(world: World, message: Message): void {
  message.deleted = true;
  if (message.ephemeralFor === undefined) messageDeleted(world, message);
  world.changed();
}

function storeFiles(
  world: World,
  files: readonly SentFile[],
  described: unknown,
  ephemeral: boolean,
): StoredFile[] {
  if (files.some(({ content }) => content.length > FILE_LIMIT)) throw refusal(40005);
  const entries = fieldsIn(described);
  return files.map(({ id, name, type, content }) => {
    const entry = entries.find((candidate) => String(candidate.id) === id);
    const file: StoredFile = {
      id: world.nextId(),
      filename: typeof entry?.filename === "string" ? entry.filename : name,
      description: typeof entry?.description === "string" ? entry.description : undefined,
      contentType: type === "" ? "application/octet-stream" : type,
      content,
      ephemeral,
    };
    world.files.set(file.id, file);
    return file;
  });
}

function keptFiles(message: Message, listed: unknown): StoredFile[] {
  if (!Array.isArray(listed)) return message.attachments;
  const ids = fieldsIn(listed).map(({ id }) => String(id));
  return message.attachments.filter(({ id }) => ids.includes(id));
}

function namesOf(files: readonly StoredFile[]): Set<string> {
  return new Set(files.map(({ filename }) => filename));
}

function sameNonce(world: World, channel: Channel, body: Fields): Message | undefined {
  if (body.enforce_nonce !== true || body.nonce === undefined) return undefined;
  return world.messages.find(
    (message) =>
      message.channel === channel.id &&
      message.author === world.app.id &&
      message.enforceNonce &&
      String(message.nonce) === String(body.nonce) &&
      world.clock.now() - message.createdAt < NONCE_LIFE_MS,
  );
}

function referenceOf(world: World, channel: Channel, value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const message = world.byId.get(String(value.message_id));
  if (message !== undefined && !message.deleted && message.channel === channel.id) return message.id;
  if (value.fail_if_not_exists === false) return undefined;
  throw new DiscordError(400, 50035, "Invalid Form Body", {
    message_reference: {
      _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }],
    },
  });
}

function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Every component gets a number, as Discord gives it. */
export function numbered(components: readonly Fields[]): Fields[] {
  const taken = new Set<unknown>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isFields(value)) {
      taken.add(value.id);
      for (const key of ["components", "accessory", "component"]) collect(value[key]);
    }
  };
  collect(components);
  let last = 0;
  const next = (): number => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  const visit = (component: Fields): Fields => {
    const copy: Fields = {
      ...component,
      id: component.id === undefined || component.id === 0 ? next() : component.id,
    };
    if (Array.isArray(copy.components)) copy.components = fieldsIn(copy.components).map(visit);
    for (const key of ["accessory", "component"]) if (isFields(copy[key])) copy[key] = visit(copy[key]);
    return copy;
  };
  return components.map(visit);
}

import { messageChanged, messagePosted } from "../events.ts";
import { defined, messageShape } from "../shapes.ts";
import { SlackError } from "../types.ts";
import type { Channel, Content, Fields, Message } from "../types.ts";
import { addMessage, messageAt } from "../world.ts";
import { flag, nested, required, text } from "./arguments.ts";
import { messageContent } from "./content.ts";
import { channelFor, ownMessage, writable } from "./method.ts";
import type { Context, Methods } from "./method.ts";

export const chat: Methods = {
  "chat.postMessage": {
    scopes: ["chat:write"],
    run(args, context) {
      const channel = writable(context, required(args, "channel"));
      const content = messageContent(context.structure, args);
      const thread = threadOf(context, channel, args);
      const metadata = nested(args, "metadata", "invalid_metadata_format") as Fields | undefined;
      const message = botMessage(context, channel, content, thread);
      if (metadata !== undefined) message.metadata = metadata;
      addMessage(context.world, message);
      messagePosted(context.world, channel, message);
      // An answer in the thread ends the status line.
      context.world.statuses.delete(`${channel.id}:${thread ?? ""}`);
      const cut = (text(args, "text")?.length ?? 0) > message.text.length;
      return {
        channel: channel.id,
        ts: message.ts,
        message: messageShape(context.world, message),
        ...(cut
          ? { warning: "message_truncated", response_metadata: { warnings: ["message_truncated"] } }
          : {}),
      };
    },
  },
  "chat.postEphemeral": {
    scopes: ["chat:write"],
    run(args, context) {
      const { world, structure } = context;
      const channel = writable(context, required(args, "channel"));
      const user = required(args, "user");
      if (!channel.members.has(user)) throw new SlackError("user_not_in_channel");
      const content = messageContent(structure, args);
      const message = botMessage(context, channel, content, threadOf(context, channel, args));
      addMessage(world, { ...message, ephemeralFor: user });
      return { message_ts: message.ts };
    },
  },
  "chat.update": {
    scopes: ["chat:write"],
    run(args, context) {
      const { world, structure } = context;
      const channel = channelFor(context, required(args, "channel"));
      const message = ownMessage(context, channel, required(args, "ts"), "cant_update_message");
      if (message.stream?.state === "open") throw new SlackError("streaming_state_conflict");
      const content = messageContent(structure, args, true);
      edit(context, channel, message, content);
      const files = nested(args, "file_ids");
      if (Array.isArray(files)) message.files = files.filter((id) => world.files.has(String(id))).map(String);
      return {
        channel: channel.id,
        ts: message.ts,
        text: message.text,
        message: messageShape(world, message),
      };
    },
  },
  "chat.delete": {
    scopes: ["chat:write"],
    run(args, context) {
      const channel = channelFor(context, required(args, "channel"));
      const message = ownMessage(context, channel, required(args, "ts"), "cant_delete_message");
      const previous = messageShape(context.world, message);
      message.deleted = true;
      messageChanged(context.world, channel, message, previous);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.getPermalink": {
    run(args, context) {
      const channel = channelFor(context, required(args, "channel"));
      const ts = required(args, "message_ts");
      if (messageAt(context.world, ts, channel.id) === undefined) throw new SlackError("message_not_found");
      const domain = context.team.domain;
      const permalink = `https://${domain}.slack.example.com/archives/${channel.id}/p${ts.replace(".", "")}`;
      return { channel: channel.id, permalink };
    },
  },
};

export function botMessage(
  { world, team }: Context,
  channel: Channel,
  content: Content,
  thread: string | undefined,
): Message {
  return {
    ...content,
    ts: world.nextTs(),
    channel: channel.id,
    team: team.id,
    user: team.botUserId,
    bot_id: team.botId,
    app_id: world.app.id,
    files: [],
    reactions: [],
    history: [],
    deleted: false,
    ...(thread === undefined ? {} : { thread_ts: thread }),
  };
}

/** Replaces what a message says and keeps what it said. */
export function edit(context: Context, channel: Channel, message: Message, content: Content): void {
  const { world, team } = context;
  const previous = messageShape(world, message);
  const { text: old, blocks, attachments } = message;
  message.history.push(defined({ text: old, blocks, attachments }) as unknown as Content);
  delete message.blocks;
  delete message.attachments;
  Object.assign(message, content, { edited: { user: team.botUserId, ts: world.nextTs() } });
  messageChanged(world, channel, message, previous);
}

/** The thread that a reply belongs to. Slack quietly loses replies to a reply; here they are refused. */
export function threadOf({ world }: Context, channel: Channel, args: Fields): string | undefined {
  const ts = text(args, "thread_ts");
  if (ts === undefined) {
    if (flag(args, "reply_broadcast")) throw new SlackError("invalid_arguments");
    return undefined;
  }
  const parent = messageAt(world, ts, channel.id);
  const isReply = parent?.thread_ts !== undefined && parent.thread_ts !== ts;
  if (parent === undefined || isReply || parent.ephemeralFor !== undefined) {
    throw new SlackError("cannot_reply_to_message");
  }
  return ts;
}

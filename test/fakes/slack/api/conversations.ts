import { channelShape, messageShape } from "../shapes.ts";
import { SlackError } from "../types.ts";
import type { Fields, Message } from "../types.ts";
import { directChannel, messageAt, threadAt } from "../world.ts";
import { flag, page, required, text } from "./arguments.ts";
import { channelFor } from "./method.ts";
import type { Methods } from "./method.ts";

const history = ["channels:history", "groups:history", "im:history"];
const read = ["channels:read", "groups:read", "im:read"];

export const conversations: Methods = {
  "conversations.info": {
    scopes: read,
    run: (args, context) => ({
      channel: channelShape(context.world, channelFor(context, required(args, "channel"))),
    }),
  },
  "conversations.list": {
    scopes: read,
    run(args, { world, team }) {
      const types = (text(args, "types") ?? "public_channel").split(",");
      const kinds = { public_channel: "public", private_channel: "private", im: "im" };
      const wanted = types.map((type) => kinds[type.trim() as keyof typeof kinds]);
      const visible = [...world.channels.values()].filter(
        ({ team: owner, kind, members }) =>
          owner === team.id && wanted.includes(kind) && (kind === "public" || members.has(team.botUserId)),
      );
      const { items, metadata } = page(visible, args);
      return { channels: items.map((channel) => channelShape(world, channel)), response_metadata: metadata };
    },
  },
  "conversations.members": {
    scopes: read,
    run(args, context) {
      const { items, metadata } = page([...channelFor(context, required(args, "channel")).members], args);
      return { members: items, response_metadata: metadata };
    },
  },
  "conversations.open": {
    scopes: ["im:write"],
    run(args, { world, team }) {
      const id = text(args, "users") ?? text(args, "channel")?.replace(/^D/, "U");
      const user = world.users.get(id ?? "");
      if (user === undefined || user.team !== team.id) throw new SlackError("user_not_found");
      if (user.isBot) throw new SlackError("cannot_dm_bot");
      if (user.deleted) throw new SlackError("user_disabled");
      const known = world.channels.has(`D${user.id.slice(1)}`);
      const channel = directChannel(world, user);
      return {
        ...(known ? { no_op: true, already_open: true } : {}),
        channel: flag(args, "return_im") ? channelShape(world, channel) : { id: channel.id },
      };
    },
  },
  "conversations.history": {
    scopes: history,
    run(args, context) {
      const { world, team } = context;
      const channel = channelFor(context, required(args, "channel"));
      if (!channel.members.has(team.botUserId)) throw new SlackError("not_in_channel");
      const top = world.messages.filter(
        (message) =>
          message.channel === channel.id &&
          visible(message) &&
          (message.thread_ts === undefined || message.thread_ts === message.ts),
      );
      return listed(between(top, args).toReversed(), args, (message) => messageShape(world, message));
    },
  },
  "conversations.replies": {
    scopes: history,
    run(args, context) {
      const { world, team } = context;
      const channel = channelFor(context, required(args, "channel"));
      if (!channel.members.has(team.botUserId)) throw new SlackError("not_in_channel");
      const ts = required(args, "ts");
      if (messageAt(world, ts, channel.id) === undefined) throw new SlackError("thread_not_found");
      return listed(between(threadAt(world, channel.id, ts), args), args, (m) => messageShape(world, m));
    },
  },
};

function visible(message: Message): boolean {
  return !message.deleted && message.ephemeralFor === undefined;
}

function between(messages: Message[], args: Fields): Message[] {
  const oldest = Number(text(args, "oldest") ?? 0);
  const latest = Number(text(args, "latest") ?? Infinity);
  const within = flag(args, "inclusive")
    ? ({ ts }: Message) => Number(ts) >= oldest && Number(ts) <= latest
    : ({ ts }: Message) => Number(ts) > oldest && Number(ts) < latest;
  return messages.filter(within);
}

function listed(messages: Message[], args: Fields, shape: (message: Message) => Fields): Fields {
  const { items, metadata } = page(messages, args);
  return { messages: items.map(shape), has_more: metadata.next_cursor !== "", response_metadata: metadata };
}

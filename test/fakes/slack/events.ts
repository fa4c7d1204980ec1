import { messageShape } from "./shapes.ts";
import { teamOf } from "./world.ts";
import type { Channel, Fields, Message, World } from "./types.ts";

/** Tells the app what happened in a channel that its bot is in, as the Events API words it. */
export function messagePosted(world: World, channel: Channel, message: Message): void {
  const team = teamOf(world, channel.team);
  const member = channel.members.has(team.botUserId);
  const base: Fields = { ...messageShape(world, message), event_ts: message.ts };
  if (member) {
    const channelType = { public: "channel", private: "group", im: "im" }[channel.kind];
    world.emit(team, { ...base, channel: channel.id, channel_type: channelType });
  }
  // In a direct conversation Slack sends no app_mention.
  if (member && channel.kind !== "im" && message.bot_id === undefined) {
    if (message.text.includes(`<@${team.botUserId}>`)) {
      world.emit(team, { ...base, type: "app_mention", channel: channel.id });
    }
  }
}

export function messageChanged(world: World, channel: Channel, message: Message, previous: Fields): void {
  const team = teamOf(world, channel.team);
  if (!channel.members.has(team.botUserId)) return;
  world.emit(team, {
    type: "message",
    subtype: message.deleted ? "message_deleted" : "message_changed",
    channel: channel.id,
    ts: world.nextTs(),
    event_ts: world.nextTs(),
    hidden: true,
    previous_message: previous,
    ...(message.deleted ? { deleted_ts: message.ts } : { message: messageShape(world, message) }),
    channel_type: { public: "channel", private: "group", im: "im" }[channel.kind],
  });
}

/** The subscription in the manifest that an event belongs to. */
export function subscriptionOf(event: Fields): string {
  if (event.type !== "message") return String(event.type);
  const names: Record<string, string> = {
    channel: "message.channels",
    group: "message.groups",
    im: "message.im",
  };
  return names[String(event.channel_type)] ?? "message.channels";
}

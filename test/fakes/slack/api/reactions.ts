import { SlackError } from "../types.ts";
import type { Fields } from "../types.ts";
import { messageAt } from "../world.ts";
import { required } from "./arguments.ts";
import { channelFor } from "./method.ts";
import type { Context, Methods } from "./method.ts";

export const reactions: Methods = {
  "reactions.add": {
    scopes: ["reactions:write"],
    run(args, context) {
      const { found, message, name, user } = target(args, context);
      if (found?.users.includes(user) === true) throw new SlackError("already_reacted");
      if (found === undefined) message.reactions.push({ name, users: [user] });
      else found.users.push(user);
      return {};
    },
  },
  "reactions.remove": {
    scopes: ["reactions:write"],
    run(args, context) {
      const { found, message, user } = target(args, context);
      if (found?.users.includes(user) !== true) throw new SlackError("no_reaction");
      found.users = found.users.filter((id) => id !== user);
      message.reactions = message.reactions.filter(({ users }) => users.length > 0);
      return {};
    },
  },
};

function target(args: Fields, context: Context) {
  const channel = channelFor(context, required(args, "channel"));
  const message = messageAt(context.world, required(args, "timestamp"), channel.id);
  if (message === undefined) throw new SlackError("message_not_found");
  const name = required(args, "name");
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new SlackError("invalid_name");
  const found = message.reactions.find((reaction) => reaction.name === name);
  return { found, message, name, user: context.team.botUserId };
}

import { isFields } from "../json.ts";
import { SlackError } from "../types.ts";
import { invalidArguments, nestedList, required, text } from "./arguments.ts";
import { channelFor } from "./method.ts";
import type { Methods } from "./method.ts";
import { messageAt } from "../world.ts";

export const sessionStatuses: readonly string[] = ["active", "processing", "suspended", "closed"];

const scopes = ["assistant:write", "chat:write"];

/** Threads with an agent: status line, suggested prompts, title, and the state of the session. */
export const agents: Methods = {
  "assistant.threads.setStatus": {
    scopes,
    run(args, context) {
      const { world } = context;
      const channel = channelFor(context, required(args, "channel_id"));
      const thread = required(args, "thread_ts");
      if (messageAt(world, thread, channel.id) === undefined) throw new SlackError("invalid_thread_ts");
      if (args.status === undefined) throw invalidArguments("missing required field: status");
      const loading = (nestedList(args, "loading_messages") ?? []).map(String);
      if (loading.length > 10)
        throw invalidArguments("no more than 10 items allowed [json-pointer:/loading_messages]");
      const key = `${channel.id}:${thread}`;
      const status = text(args, "status") ?? "";
      if (status === "") world.statuses.delete(key);
      else world.statuses.set(key, { status, loading, at: world.clock.now() });
      return {};
    },
  },
  "assistant.threads.setSuggestedPrompts": {
    scopes: ["assistant:write"],
    run(args, context) {
      const channel = channelFor(context, required(args, "channel_id"));
      const prompts = nestedList(args, "prompts") ?? [];
      if (prompts.length < 1 || prompts.length > 4) throw invalidArguments("prompts must have 1 to 4 items");
      const shaped = prompts.map((prompt) => {
        if (!isFields(prompt) || typeof prompt.title !== "string" || typeof prompt.message !== "string") {
          throw invalidArguments("a prompt has a title and a message");
        }
        return { title: prompt.title, message: prompt.message };
      });
      const key = `${channel.id}:${text(args, "thread_ts") ?? ""}`;
      context.world.prompts.set(key, { title: text(args, "title"), prompts: shaped });
      return {};
    },
  },
  "assistant.threads.setTitle": {
    scopes: ["assistant:write"],
    run(args, context) {
      const channel = channelFor(context, required(args, "channel_id"));
      context.world.titles.set(`${channel.id}:${required(args, "thread_ts")}`, required(args, "title"));
      return {};
    },
  },
  "agents.sessions.setStatus": {
    scopes,
    run(args, context) {
      const { world } = context;
      const channel = channelFor(context, required(args, "channel_id"));
      const status = required(args, "status");
      if (!sessionStatuses.includes(status)) throw new SlackError("invalid_status");
      const thread = required(args, "thread_ts");
      if (messageAt(world, thread, channel.id) === undefined) throw new SlackError("thread_not_found");
      const key = `${channel.id}:${thread}`;
      const title = text(args, "title");
      if ((title?.length ?? 0) > 200) throw invalidArguments("title must be less than 201 characters");
      const session = world.sessions.get(key) ?? { channel: channel.id, thread, status, title };
      session.status = status;
      world.sessions.set(key, session);
      return { status, agent_status: status, title: session.title };
    },
  },
  "agents.sessions.rename": {
    scopes,
    run(args, context) {
      const channel = channelFor(context, required(args, "channel_id"));
      const title = required(args, "title");
      if (title.length > 200) throw invalidArguments("title must be less than 201 characters");
      const session = context.world.sessions.get(`${channel.id}:${required(args, "thread_ts")}`);
      if (session === undefined) throw new SlackError("session_not_found");
      session.title = title;
      return { title };
    },
  },
};

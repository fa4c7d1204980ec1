import { messageChanged, messagePosted } from "../events.ts";
import { addMessage } from "../world.ts";
import { messageShape } from "../shapes.ts";
import { isFields } from "../json.ts";
import { SlackError } from "../types.ts";
import type { Block, Channel, Content, Fields, Message } from "../types.ts";
import { invalidArguments, nestedList, required, text } from "./arguments.ts";
import { botMessage, threadOf } from "./chat.ts";
import { checkBlocks, withIds } from "./content.ts";
import { channelFor, ownMessage, writable } from "./method.ts";
import type { Context, Methods } from "./method.ts";
import { sessionStatuses } from "./agents.ts";

/** A stream dies five minutes after its start, even with traffic. */
const STREAM_LIFE_MS = 300_000;
const MOST_A_CALL = 12_000;

export const streams: Methods = {
  "chat.startStream": {
    scopes: ["chat:write"],
    run(args, context) {
      const { world } = context;
      const channel = writable(context, required(args, "channel"));
      required(args, "thread_ts");
      if (channel.kind !== "im") {
        for (const name of ["recipient_user_id", "recipient_team_id"]) {
          if (text(args, name) === undefined) throw new SlackError(`missing_${name}`);
        }
      }
      const thread = threadOf(context, channel, args);
      const message = botMessage(context, channel, { text: "" }, thread);
      message.stream = { state: "open", startedAt: world.clock.now(), markdown: "", tasks: [] };
      append(context, message, args);
      addMessage(world, message);
      messagePosted(world, channel, message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.appendStream": {
    scopes: ["chat:write"],
    run(args, context) {
      const { channel, message } = open(context, args);
      if (text(args, "markdown_text") === undefined && args.chunks === undefined)
        throw new SlackError("no_text");
      append(context, message, args);
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.stopStream": {
    scopes: ["chat:write"],
    run(args, context) {
      const { channel, message } = open(context, args);
      const status = text(args, "session_status");
      if (status !== undefined && !sessionStatuses.includes(status))
        throw new SlackError("invalid_session_status");
      const blocks = nestedList(args, "blocks", "invalid_blocks_format");
      const more = blocks === undefined ? [] : checkBlocks(context.structure, blocks, "message");
      append(context, message, args);
      if (more.length > 0) message.blocks = [...(message.blocks ?? []), ...more];
      if (message.stream !== undefined) message.stream.state = "closed";
      const previous = messageShape(context.world, message);
      messageChanged(context.world, channel, message, previous);
      const session = context.world.sessions.get(`${channel.id}:${message.thread_ts ?? ""}`);
      if (session !== undefined && status !== undefined) session.status = status;
      return { channel: channel.id, ts: message.ts, message: messageShape(context.world, message) };
    },
  },
};

function open(context: Context, args: Fields): { channel: Channel; message: Message } {
  const { world } = context;
  const channel = channelFor(context, required(args, "channel"));
  const message = ownMessage(context, channel, required(args, "ts"), "message_not_owned_by_app");
  const { stream } = message;
  if (stream === undefined) throw new SlackError("message_not_in_streaming_state");
  if (stream.state === "open" && world.clock.now() - stream.startedAt > STREAM_LIFE_MS / world.speed) {
    stream.state = "expired";
  }
  if (stream.state !== "open") throw new SlackError("message_not_in_streaming_state");
  return { channel, message };
}

/** Adds what a call brings, all of it or, when a part is wrong, nothing. */
function append({ structure }: Context, message: Message, args: Fields): void {
  const { stream } = message;
  if (stream === undefined) return;
  const markdown = text(args, "markdown_text");
  const chunks = nestedList(args, "chunks", "invalid_chunks") ?? [];
  const problems = chunks.flatMap((chunk, index) => structure.chunk(chunk, `/chunks/${index}`));
  if (problems.length > 0) throw invalidArguments(...problems);
  const parts = chunks.filter(isFields);
  const words = [
    markdown ?? "",
    ...parts.filter(({ type }) => type === "markdown_text").map(({ text }) => String(text)),
  ];
  if (words.join("").length > MOST_A_CALL) throw new SlackError("msg_too_long");
  const blocks = parts.flatMap(({ type, blocks }) =>
    type === "blocks" && Array.isArray(blocks) ? checkBlocks(structure, blocks, "message") : [],
  );
  stream.markdown += words.join("");
  for (const part of parts) {
    if (part.type !== "task_update" && part.type !== "plan_update") continue;
    stream.tasks = [...stream.tasks.filter(({ type, id }) => type !== part.type || id !== part.id), part];
  }
  Object.assign(message, drawn(message, stream, blocks));
}

function drawn(
  message: Message,
  { markdown, tasks }: NonNullable<Message["stream"]>,
  blocks: Block[],
): Content {
  const made = (message.blocks ?? []).filter(({ block_id }) => block_id?.startsWith("stream-") !== true);
  const cards: Block[] = tasks.map((task, index) =>
    task.type === "plan_update"
      ? { type: "plan", block_id: `stream-plan-${index}`, title: String(task.title) }
      : {
          type: "task_card",
          block_id: `stream-task-${index}`,
          task_id: String(task.id),
          title: String(task.title),
          status: task.status,
        },
  );
  const text: Block[] =
    markdown === "" ? [] : [{ type: "markdown", block_id: "stream-text", text: markdown }];
  return { text: markdown, blocks: [...cards, ...text, ...made, ...withIds(blocks)] };
}

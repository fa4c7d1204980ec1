import { messagePosted } from "../events.ts";
import { addMessage } from "../world.ts";
import { fileShape } from "../shapes.ts";
import { isFields } from "../json.ts";
import { SlackError } from "../types.ts";
import { invalidArguments, nestedList, required, text } from "./arguments.ts";
import { botMessage, threadOf } from "./chat.ts";
import { checkBlocks } from "./content.ts";
import { writable } from "./method.ts";
import type { Methods } from "./method.ts";

/** The three steps of an upload; the second is a plain POST to `/upload/ID`. */
export const files: Methods = {
  "files.getUploadURLExternal": {
    scopes: ["files:write"],
    run(args, { world, team }) {
      const name = required(args, "filename");
      const length = Number(required(args, "length"));
      if (!Number.isInteger(length) || length < 1)
        throw invalidArguments("length must be a whole number above 0");
      const id = world.nextId("F");
      world.files.set(id, {
        id,
        team: team.id,
        user: team.botUserId,
        name,
        title: name,
        length,
        content: undefined,
        altText: text(args, "alt_text"),
        snippetType: text(args, "snippet_type"),
        channel: undefined,
        thread: undefined,
        completed: false,
      });
      return { file_id: id, upload_url: `${world.origin}/upload/${id}` };
    },
  },
  "files.completeUploadExternal": {
    scopes: ["files:write"],
    run(args, context) {
      const { world, team, structure } = context;
      const uploads = (nestedList(args, "files") ?? []).map((entry) => {
        const file = isFields(entry) ? world.files.get(String(entry.id)) : undefined;
        if (file === undefined || file.team !== team.id || file.completed)
          throw new SlackError("file_not_found");
        if (file.content === undefined) throw new SlackError("file_not_uploaded");
        return { file, title: isFields(entry) && typeof entry.title === "string" ? entry.title : file.name };
      });
      if (uploads.length === 0) throw invalidArguments("missing required field: files");
      const id = text(args, "channel_id");
      const channel = id === undefined ? undefined : writable(context, id);
      const thread = channel === undefined ? undefined : threadOf(context, channel, args);
      const blocks = nestedList(args, "blocks", "invalid_blocks_format");
      const comment = text(args, "initial_comment") ?? "";
      const content = {
        text: comment,
        ...(blocks === undefined ? {} : { blocks: checkBlocks(structure, blocks, "message") }),
      };
      for (const { file, title } of uploads)
        Object.assign(file, { title, channel: channel?.id, thread, completed: true });
      if (channel !== undefined) {
        const message = botMessage(context, channel, content, thread);
        message.files = uploads.map(({ file }) => file.id);
        addMessage(world, message);
        messagePosted(world, channel, message);
      }
      return { files: uploads.map(({ file }) => fileShape(world, file)) };
    },
  },
  "files.info": {
    scopes: ["files:read"],
    run(args, { world, team }) {
      const file = world.files.get(required(args, "file"));
      if (file === undefined || file.team !== team.id || !file.completed)
        throw new SlackError("file_not_found");
      return { file: fileShape(world, file) };
    },
  },
};

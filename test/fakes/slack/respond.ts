import { messageContent } from "./api/content.ts";
import { problemsOf, toSent } from "./api/dispatch.ts";
import { botMessage, edit } from "./api/chat.ts";
import type { Context } from "./api/method.ts";
import { messageChanged, messagePosted } from "./events.ts";
import { messageShape } from "./shapes.ts";
import { structureFor } from "./structure.ts";
import { SlackError } from "./types.ts";
import type { Fields, ResponseUrl, World } from "./types.ts";
import { addMessage, teamOf } from "./world.ts";

const MOST_USES = 5;
const LIFE_MS = 30 * 60_000;

/** Gives out a url at which the app can answer what a person did, five times in half an hour. */
export function newResponseUrl(world: World, seed: Omit<ResponseUrl, "id" | "at" | "uses">): string {
  const id = world.nextId("R");
  world.responseUrls.set(id, { ...seed, id, at: world.clock.now(), uses: 0 });
  return `${world.origin}/response/${id}`;
}

/** Takes a POST to a response_url. Throws the refusal. */
export function useResponseUrl(context: Omit<Context, "team">, id: string, body: Fields): void {
  const { world } = context;
  const url = world.responseUrls.get(id);
  if (url === undefined) throw new SlackError("invalid_url");
  if (world.clock.now() - url.at > LIFE_MS / world.speed) throw new SlackError("expired_url");
  if (url.uses >= MOST_USES) throw new SlackError("used_url");
  url.uses += 1;
  showResponse({ ...context, team: teamOf(world, url.team) }, "response_url", url, body);
}

/** Shows what the app answered, at a response_url or in its acknowledgement of a command. */
export function showResponse(
  context: Context,
  method: string,
  at: Pick<ResponseUrl, "channel" | "user" | "message" | "thread">,
  body: Fields,
): void {
  const { world } = context;
  const sent = toSent(world, method, { ...body, channel: at.channel, user: at.user });
  world.sent.push(sent);
  try {
    show(context, at, body);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    sent.error = error.code;
    sent.problems = problemsOf({ error: error.code, ...error.extra });
    throw error;
  } finally {
    world.changed();
  }
}

function show(
  context: Context,
  at: Pick<ResponseUrl, "channel" | "user" | "message" | "thread">,
  body: Fields,
): void {
  const { world, structure } = context;
  const channel = world.channels.get(at.channel);
  if (channel === undefined) throw new SlackError("channel_not_found");
  const original = world.messages.find(
    ({ ts, channel: id, deleted }) => ts === at.message && id === channel.id && !deleted,
  );
  if (body.delete_original === true) {
    if (original === undefined) throw new SlackError("message_not_found");
    const previous = messageShape(world, original);
    original.deleted = true;
    if (original.ephemeralFor === undefined) messageChanged(world, channel, original, previous);
    return;
  }
  const unknown = world.teams.get(channel.team)?.unknownBlocks ?? new Set();
  const content = messageContent(structureFor(structure, unknown), body);
  if (body.replace_original === true && original !== undefined) {
    return edit(context, channel, original, content);
  }
  const message = botMessage(
    context,
    channel,
    content,
    typeof body.thread_ts === "string" ? body.thread_ts : at.thread,
  );
  const inChannel = body.response_type === "in_channel";
  addMessage(world, inChannel ? message : { ...message, ephemeralFor: at.user });
  if (inChannel) messagePosted(world, channel, message);
}

import { refusal, unauthorized } from "../errors.ts";
import { has, permissionsIn } from "../permissions.ts";
import type { Channel, Fields, Guild, Message, World } from "../types.ts";
import type { Form } from "../check/form.ts";
import type { SentFile } from "./request.ts";

export interface Context {
  world: World;
  /** As in `POST /channels/:id/messages`. */
  route: string;
  params: Record<string, string>;
  query: URLSearchParams;
  body: Fields;
  /** The body of a bulk overwrite. */
  list: unknown[];
  files: SentFile[];
  /** Addresses of this fake's gateway. */
  gatewayUrl: string;
  /** How many clients may identify at once. */
  concurrency: number;
  /** Refuses a form that is wrong, and records fields that Discord does not know. */
  accept(form: Form, under?: string): void;
}

/** What is answered with 200; undefined is 204. */
export type Handler = (context: Context) => unknown;

export interface Route {
  method: string;
  /** With `:name` for what varies. */
  pattern: string;
  /** Needs no bot token: the token is in the address. */
  open?: boolean;
  handle: Handler;
}

export const route = (method: string, pattern: string, handle: Handler, open = false): Route => ({
  method,
  pattern,
  handle,
  open,
});

/** The channel that a request names, when the bot sees it. */
export function channelOf({ world, params }: Context, id: string = params.channel ?? ""): Channel {
  const channel = world.channels.get(id);
  if (channel === undefined) throw refusal(10003);
  if (!has(permissionsIn(world, world.app.id, channel), "ViewChannel")) throw refusal(50001);
  return channel;
}

export function messageOf({ world, params }: Context, channel: Channel): Message {
  const message = world.byId.get(params.message ?? "");
  if (message === undefined || message.deleted || message.channel !== channel.id) throw refusal(10008);
  // What only one person sees is reached over its interaction alone.
  if (message.ephemeralFor !== undefined) throw refusal(10008);
  return message;
}

export function guildOf({ world, params }: Context): Guild {
  const guild = world.guilds.get(params.guild ?? "");
  if (guild?.members.has(world.app.id) !== true) throw refusal(10004);
  return guild;
}

export function demandApp({ world, params }: Context): void {
  if (params.app !== world.app.id) throw unauthorized();
}

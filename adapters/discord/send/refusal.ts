import { RESTJSONErrorCodes as Code, DiscordAPIError } from "discord.js";

/** Why Discord did not take a message, as the presenter reads it: see MessagePort. */
export class DiscordRefusal extends Error {
  readonly code: "message_gone" | "place_gone";

  constructor(code: DiscordRefusal["code"], cause: Error) {
    super(`Discord refused: ${cause.message}`, { cause });
    this.name = "DiscordRefusal";
    this.code = code;
  }
}

const PLACE_GONE: readonly unknown[] = [
  Code.UnknownChannel,
  Code.MissingAccess,
  Code.MissingPermissions,
  Code.CannotSendMessagesToThisUser,
  Code.CannotSendMessagesInNonTextChannel,
  Code.ThreadLocked,
];

/** Discord's number of what went wrong, such as 10008; undefined for any other error. */
export function discordCode(error: unknown): number | undefined {
  return error instanceof DiscordAPIError && typeof error.code === "number" ? error.code : undefined;
}

/** Throws the error as the presenter reads it; those that have no special meaning stay as they are. */
export function refuse(error: unknown): never {
  const code = discordCode(error);
  if (error instanceof Error && code === Code.UnknownMessage) throw new DiscordRefusal("message_gone", error);
  if (error instanceof Error && PLACE_GONE.includes(code)) throw new DiscordRefusal("place_gone", error);
  throw error;
}

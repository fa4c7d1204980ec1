import { RESTJSONErrorCodes as Code, DiscordAPIError } from "discord.js";

/** Why Discord did not take a message, as the presenter reads it: see MessagePort. */
class DiscordRefusal extends Error {
  readonly code: "message_gone" | "place_gone";

  constructor(code: DiscordRefusal["code"], cause: Error) {
    super(`Discord refused: ${cause.message}`, { cause });
    this.name = "DiscordRefusal";
    this.code = code;
  }
}

const GONE: ReadonlyMap<unknown, DiscordRefusal["code"]> = new Map<unknown, DiscordRefusal["code"]>([
  [Code.UnknownMessage, "message_gone"],
  [Code.UnknownChannel, "place_gone"],
  [Code.MissingAccess, "place_gone"],
  [Code.MissingPermissions, "place_gone"],
  [Code.CannotSendMessagesToThisUser, "place_gone"],
  [Code.CannotSendMessagesInNonTextChannel, "place_gone"],
  [Code.ThreadLocked, "place_gone"],
]);

/** Discord's number of what went wrong, such as 10008; undefined for any other error. */
export function discordCode(error: unknown): number | undefined {
  return error instanceof DiscordAPIError && typeof error.code === "number" ? error.code : undefined;
}

/** The error to reject with; those that have no special meaning stay as they are. */
export function toRefusal(error: unknown): unknown {
  const code = GONE.get(discordCode(error));
  return code === undefined || !(error instanceof Error) ? error : new DiscordRefusal(code, error);
}

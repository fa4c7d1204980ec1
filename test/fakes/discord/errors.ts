import type { Fields } from "./types.ts";

/** A refusal in Discord's form: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  /** The nested errors of a form. */
  readonly errors: Fields | undefined;
  constructor(status: number, code: number, message: string, errors?: Fields) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

const known: Readonly<Record<number, readonly [status: number, message: string]>> = {
  10003: [404, "Unknown Channel"],
  10004: [404, "Unknown Guild"],
  10007: [404, "Unknown Member"],
  10008: [404, "Unknown Message"],
  10013: [404, "Unknown User"],
  10015: [404, "Unknown Webhook"],
  10062: [404, "Unknown interaction"],
  10063: [404, "Unknown application command"],
  30034: [400, "Max number of daily application command creates has been reached (200)"],
  40005: [413, "Request entity too large"],
  40060: [400, "Interaction has already been acknowledged."],
  50001: [403, "Missing Access"],
  50005: [403, "Cannot edit a message authored by another user"],
  50006: [400, "Cannot send an empty message"],
  50007: [403, "Cannot send messages to this user"],
  50013: [403, "Missing Permissions"],
  50027: [401, "Invalid Webhook Token"],
  50083: [400, "Thread is archived"],
  50109: [400, "The request body contains invalid JSON."],
  160004: [400, "A thread has already been created for this message"],
};

export function refusal(code: number): DiscordError {
  const [status, message] = known[code] ?? [500, `no text for ${code}`];
  return new DiscordError(status, code, message);
}

export const unauthorized = (): DiscordError => new DiscordError(401, 0, "401: Unauthorized");
export const notFound = (): DiscordError => new DiscordError(404, 0, "404: Not Found");

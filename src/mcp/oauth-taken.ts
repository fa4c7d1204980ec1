import type { ActorId } from "#contract/actor.ts";

import { actorName } from "../base/actor.ts";
import { CountersignError } from "../base/errors.ts";
import type { OAuthGrant } from "./oauth-records.ts";

/** Whether an account is somebody else's and may still be of use: nobody takes its place by connecting one. */
export function isTaken(grant: OAuthGrant | undefined, actor: ActorId, now: number): boolean {
  if (grant === undefined || grant.actor === actor) return false;
  const { tokens, savedAt } = grant;
  // What has expired and cannot be renewed would keep a channel without an account for good.
  const hasEnded = tokens.expires_in !== undefined && savedAt + tokens.expires_in * 1_000 <= now;
  return !hasEnded || tokens.refresh_token !== undefined;
}

export function takenBy({ server, actor }: Pick<OAuthGrant, "server" | "actor">): CountersignError {
  const name = actorName(actor);
  const message = `${name} has connected an account with ${server} here already, and it stays. Ask again in the chat to use it; to connect another, ${name} disconnects it first.`;
  return new CountersignError("already_connected", message);
}

import type { Launcher } from "./launcher.ts";
import type { AccountChange } from "./oauth.ts";
import type { KeptSession, McpServerConfig } from "./options.ts";
import { identityIn } from "./outgoing.ts";
import { commonChannel } from "./sessions.ts";
import { createTransport } from "./transports.ts";

/** Tells a server over HTTP that a session which the store has kept is over. Best effort: never rejects. */
export async function endKept(
  config: McpServerConfig,
  launcher: Launcher,
  sessions: readonly KeptSession[],
): Promise<void> {
  for (const resume of sessions) {
    const { transport, endSession } = createTransport(config, launcher, { resume });
    await transport.start().catch(() => {});
    await endSession().catch(() => {});
    await transport.close().catch(() => {});
  }
}

/**
 * Whether a channel's session was, or may have been, begun with an account that has changed. A server may
 * know whose a session is from its beginning: no other account's calls go over it.
 */
export function isOfFormer({ identity, what }: AccountChange): (channel: string) => boolean {
  if (what === "wider") return () => false;
  // Any account may have been used to read the list of tools.
  return (channel) =>
    identityIn(channel) === identity || (what === "disconnected" && channel === commonChannel);
}

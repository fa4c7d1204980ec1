import type { Drafts } from "./drafts.ts";
import type { SlackDesk } from "./options.ts";
import type { People } from "./people.ts";
import type { Tell } from "./tell.ts";
import type { ClientOf } from "./workspaces.ts";

/** What the ways in work with, beside what the composition root hands over. */
export interface WaysDesk extends SlackDesk {
  client: ClientOf;
  tell: Tell;
  /** The conversation of a thread. */
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
  drafts: Drafts;
  people: People;
  /** The address of the message that shows a turn; undefined where there is none to be had. */
  link: (turnId: string) => Promise<string | undefined>;
}

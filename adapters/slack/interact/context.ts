import type { Presenter } from "#contract/present.ts";

import type { ClientOf } from "../install/client.ts";
import type { Drafts, SlackDeps } from "../options.ts";
import type { People } from "../receive/people.ts";
import type { SendEphemeral } from "../send/ephemeral.ts";

/** What the ways in work with, beside what the composition root hands over. */
export interface SlackContext extends SlackDeps {
  presenter: Pick<Presenter, "submit">;
  client: ClientOf;
  tell: SendEphemeral;
  /** The conversation of a thread. */
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
  drafts: Drafts;
  people: People;
  /** The address of the message that shows a turn; undefined where there is none to be had. */
  link: (turnId: string) => Promise<string | undefined>;
}

import type { TurnView } from "#contract/present.ts";

import { showLinksOnce } from "../chat/links.ts";
import type { ChatState } from "../chat/parts.ts";
import { readId } from "./ids.ts";
import type { SlackRef } from "./place.ts";
import { linkContent } from "./render/question.ts";
import type { TellFor } from "./tell.ts";

/** Shows pages that a turn waits for to the person whose turn it is, beside its message. Never rejects. */
export function tellLinks(
  { team, channel, thread }: SlackRef,
  view: TurnView,
  { told, tell }: { told: ChatState<boolean>; tell: TellFor },
): Promise<void> {
  return showLinksOnce(view, told, async (question) => {
    const user = readId(question.actor)?.local;
    if (user === undefined) return false;
    // In a thread that has no reply yet Slack would not show it.
    const ear = { team, channel, user, ...(thread === undefined ? {} : { thread }) };
    return tell(ear, linkContent(question));
  });
}

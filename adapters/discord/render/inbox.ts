import type { Words } from "#src/base/words/en.ts";

import { type Inbox, inboxLines, inboxText, recentLines, restText } from "../../chat/inbox.ts";
import { bold, words } from "../../chat/line.ts";
import { inRows, measuredTexts } from "./card.ts";
import { Draft, type RenderedMessage } from "./message.ts";

/** What waits for a person, for them alone. */
export function renderInbox(inbox: Inbox, say: Words): RenderedMessage {
  const draft = new Draft();
  draft.add(measuredTexts([bold(inboxText(inbox, say))]));
  for (const { items, buttons } of inbox.groups) {
    draft.add(measuredTexts(items.flatMap((item) => inboxLines(item, say))));
    if (buttons.length > 0) draft.add(inRows(buttons));
  }
  const rest = restText(inbox, say);
  if (rest !== "") draft.add(measuredTexts([words(rest)]));
  const recent = recentLines(inbox, say);
  if (recent.length > 0) draft.add(measuredTexts(recent));
  return draft.done();
}

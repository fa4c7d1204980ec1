import { type Inbox, inboxLines, inboxText, restText } from "../../chat/inbox.ts";
import { bold, words } from "../../chat/line.ts";
import { inRows, measuredTexts } from "./card.ts";
import { Draft, type RenderedMessage } from "./message.ts";

/** What waits for a person, for them alone. */
export function renderInbox(inbox: Inbox): RenderedMessage {
  const draft = new Draft();
  draft.add(measuredTexts([bold(inboxText(inbox))]));
  for (const { items, button } of inbox.groups) {
    draft.add(measuredTexts(items.flatMap(inboxLines)));
    if (button !== undefined) draft.add(inRows([button]));
  }
  const rest = restText(inbox);
  if (rest !== "") draft.add(measuredTexts([words(rest)]));
  return draft.done();
}

import type { KnownBlock } from "@slack/types";

import type { Approval } from "#contract/approval.ts";
import type { Words } from "#src/base/words/en.ts";

import type { ButtonSpec } from "../../chat/actions.ts";
import { type Inbox, inboxLines, recentLines, restText } from "../../chat/inbox.ts";
import { buttonBlocks } from "./buttons.ts";
import { contextBlocks, pack } from "./rich.ts";

/** What waits for a person, with the buttons that `of` puts below each request. */
export function inboxBlocks(
  inbox: Inbox,
  say: Words,
  of: (approval: Approval) => ButtonSpec[] = () => [],
): KnownBlock[] {
  const rest = restText(inbox, say);
  return [
    ...inbox.groups.flatMap(({ items, buttons }) => [
      ...items.flatMap((item) => [...pack(inboxLines(item, say)), ...buttonBlocks(of(item.approval))]),
      ...buttonBlocks(buttons),
    ]),
    ...(rest === "" ? [] : contextBlocks([rest])),
    ...pack(recentLines(inbox, say)),
  ];
}

import { cleanText, cutText } from "../../chat/text.ts";
import type { DiscordButton } from "./buttons.ts";
import { inRows } from "./card.ts";
import { flowLine, linked, pack, plainFlow, small, words } from "./lines.ts";
import { createDraft } from "./message.ts";
import type { RenderedMessage } from "./message.ts";
import { merge, textOf } from "./pages.ts";
import type { Laid } from "./pages.ts";

const LONGEST_WORDS = 1_000;

/** A page that one person is to open, with its domain before they do; for them alone. */
export function renderLink(
  { words: said, url, domain }: { words: string; url: string; domain: string },
  buttons: readonly DiscordButton[] = [],
): RenderedMessage {
  const flow = [
    ...plainFlow(cutText(cleanText(said), LONGEST_WORDS)),
    // Discord takes no address of more than 512 characters in a button.
    flowLine(linked(`Open ${domain}`, url)),
    small(words(`It opens a page at ${domain}. Go there only if you trust it. Only you see this.`)),
  ];
  const draft = createDraft();
  draft.add(pack(flow).map(textOf).reduce<Laid[]>(merge, []));
  return draft.done(inRows(buttons), []);
}

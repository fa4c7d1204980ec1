import type { Card } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";

import type { ButtonSpec } from "../../chat/buttons.ts";
import type { RenderedFile } from "../../chat/files.ts";
import { filesNote } from "../../chat/files.ts";
import { resultRef } from "../../chat/refs.ts";
import { count, cutText, oneLine } from "../../chat/text.ts";
import { colorOf, renderCard } from "./card.ts";
import { flowLine, pack, small, words } from "./lines.ts";
import { LEAST_BUDGET, MESSAGE_BUDGET } from "./limits.ts";
import type { Draft } from "./message.ts";
import { isEnough } from "./message.ts";
import type { Laid } from "./pages.ts";
import { costOf, rowLaid, textOf } from "./pages.ts";

/** What the line of a result that is not drawn may take up. */
const LINE = { chars: 330, components: 3 };

/**
 * The first result in full, on pages where it is long; further ones where they fit as they are; the rest by
 * a line and a button each. Returns the files of all of them, for each of which a place is kept.
 */
export function addResults(
  draft: Draft,
  view: TurnView,
  pages: Readonly<Record<string, number>>,
): RenderedFile[] {
  const files: RenderedFile[] = [];
  let hidden = 0;
  const all = view.results.length;
  for (const [index, { card, data }] of view.results.entries()) {
    const ref = resultRef(view.turnId, index);
    const fileSuffix = index === 0 ? "" : `-result-${index + 1}`;
    const options = { ref, page: pages[ref] ?? 0, data, fileSuffix };
    const left = draft.left();
    const others = Math.min(all - index - 1, 3);
    const budget = {
      chars: left.chars - others * LINE.chars - 80,
      // A result may have several files; each takes a component.
      components: left.components - others * LINE.components - 4,
    };
    const room = isEnough(budget) ? budget : LEAST_BUDGET;
    const drawn = renderCard(card, { ...options, budget: room });
    const cost = costOf(drawn.parts);
    const fits = cost.chars <= budget.chars && cost.components + drawn.files.length <= budget.components + 3;
    if (fits && (index === 0 || drawn.pages === 1)) {
      draft.addBoxed(drawn.parts, colorOf(card));
      keep(draft, drawn.files.length);
      files.push(...drawn.files);
      continue;
    }
    const whole = renderCard(card, { ...options, budget: MESSAGE_BUDGET }).files;
    const line = lineOf(card, whole, { action: "show_result", label: `Show ${index + 1}`, value: ref });
    const lineCost = costOf(line);
    const isRoomy = draft.left().components - lineCost.components - whole.length >= 1;
    if (isRoomy && lineCost.chars <= draft.left().chars - 80) {
      draft.addBoxed(line, colorOf(card));
      keep(draft, whole.length);
      files.push(...whole);
    } else {
      hidden += 1;
    }
  }
  if (hidden > 0) draft.add([textOf(`-# ${count(hidden, "more result")}: see “Show JSON” below.`)]);
  return files;
}

/** Each file stands in a component of its own. */
function keep(draft: Draft, amount: number): void {
  draft.reserve(Array.from({ length: amount }, () => textOf("")));
}

function lineOf(card: Card, files: readonly RenderedFile[], button: ButtonSpec): Laid[] {
  const note = filesNote(files).join("");
  const flow = [
    flowLine(words(cutText(oneLine(card.title), 90))),
    ...(note === "" ? [] : [small(words(cutText(note, 90)))]),
  ];
  return [...pack(flow).map(textOf), rowLaid([button])];
}

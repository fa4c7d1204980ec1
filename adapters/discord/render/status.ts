import type { TurnView } from "#contract/present.ts";

import { PHASES, saidOf, secondsText } from "../../chat/status.ts";
import { count, cutText } from "../../chat/text.ts";
import { progressLine } from "./draw.ts";
import { bold, flowLine, pack, small, words } from "./lines.ts";
import type { Flow } from "./lines.ts";
import { rowLaid, textOf } from "./pages.ts";
import type { Laid } from "./pages.ts";

/** A turn that is under way: the phase, what is being called and how far it is, and how to stop it. */
export function statusParts(view: TurnView): Laid[] {
  const { sign, text } = PHASES[view.phase];
  const { tool, progress, total } = view.progress ?? {};
  const called = tool === undefined ? [] : [...words("  "), ...words(cutText(tool, 100), "code")];
  const flow: Flow[] = [flowLine([...words(`${sign} `), ...bold(text), ...called])];
  const said = saidOf(view);
  if (said !== undefined) flow.push(flowLine(words(said)));
  if (progress !== undefined && total !== undefined) {
    flow.push(flowLine(progressLine({ label: "", value: progress, total })));
  }
  const results = view.results.length === 0 ? "" : `  ·  ${count(view.results.length, "result")} so far`;
  flow.push(small(words(`${secondsText(view.elapsedMs)}${results}`)));
  return [
    textOf(pack(flow).join("\n")),
    ...(view.canStop ? [rowLaid([{ action: "stop", label: "Stop", value: view.turnId }])] : []),
  ];
}

import type { KnownBlock } from "@slack/types";

import type { TurnView } from "#contract/present.ts";

import { PHASES, saidOf, secondsText } from "../../chat/status.ts";
import { count, cutText } from "../../chat/text.ts";
import { buttonBlocks, contextBlocks } from "./buttons.ts";
import { progressLine } from "./draw.ts";
import { bold, pack, words } from "./rich.ts";
import type { Flow } from "./rich.ts";

/** A turn that is under way: the phase, what is being called and how far it is, and how to stop it. */
export function statusBlocks(view: TurnView): KnownBlock[] {
  const { sign, text } = PHASES[view.phase];
  const { progress } = view;
  const flow: Flow[] = [[...words(`${sign} `), ...bold(text), ...tool(progress?.tool)]];
  const said = saidOf(view);
  if (said !== undefined) flow.push(words(said));
  if (progress?.progress !== undefined && progress.total !== undefined) {
    flow.push(progressLine({ label: "", value: progress.progress, total: progress.total }));
  }
  const small = [secondsText(view.elapsedMs)];
  if (view.results.length > 0) small.push(`${count(view.results.length, "result")} so far`);
  return [
    ...pack(flow),
    ...contextBlocks([small.join("  ·  ")]),
    ...(view.canStop ? buttonBlocks([{ action: "stop", label: "Stop", value: view.turnId }]) : []),
  ];
}

function tool(name: string | undefined): ReturnType<typeof words> {
  return name === undefined ? [] : [...words("  "), ...words(cutText(name, 100), { code: true })];
}

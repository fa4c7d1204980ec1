import type { OwnCommand } from "#contract/core.ts";
import type { Words } from "#src/base/words/en.ts";

type About = keyof Words["commands"]["about"];

/** The commands beside those of the configuration, as they are typed or found on each platform. */
const USAGES: readonly [about: About, usage: Readonly<Partial<Record<"slack" | "discord", string>>>][] = [
  ["ask", { slack: "/ask TEXT", discord: "/ask text" }],
  ["menu", { discord: "Apps › Ask Countersign about this" }],
  ["tools", both("/countersign tools")],
  ["status", both("/countersign status")],
  ["approvals", both("/countersign approvals")],
  ["accounts", both("/connect")],
  ["me", both("/countersign me")],
  ["privacy", { slack: "/countersign privacy on, off", discord: "/countersign privacy" }],
];

function both(usage: string): { slack: string; discord: string } {
  return { slack: usage, discord: usage };
}

/** What `/countersign help` tells beside the commands of the configuration. */
export function ownCommands(
  platform: "slack" | "discord",
  { commands: { about } }: Words,
): readonly OwnCommand[] {
  return USAGES.flatMap(([name, { [platform]: usage }]) =>
    usage === undefined ? [] : [{ usage, about: about[name] }],
  );
}

import type { Card, CardElement, Cell } from "#contract/card.ts";
import type { ChannelPrivacy, Health, PrivacyWords, ToolListing } from "#contract/core.ts";

import { words } from "./words.ts";

const DECISIONS = {
  allow: { text: "runs at once", tone: "good" },
  ask: { text: "needs approval", tone: "warn" },
  deny: { text: "is refused", tone: "bad" },
} as const;

/** Every tool with what policy says of a call. */
export function toolsCard(tools: readonly ToolListing[]): Card {
  if (tools.length === 0) return card("Tools", [{ type: "text", text: "No tool is connected now." }]);
  const rows = tools.map(({ tool, decision }): Cell[] => [
    tool.id,
    words(tool.title ?? tool.description, 80),
    DECISIONS[decision],
  ]);
  const columns = [{ label: "Tool" }, { label: "What it does" }, { label: "A call" }];
  return card("Tools", [{ type: "table", columns, rows }]);
}

const STATES = {
  ok: { text: "all is well", tone: "good" },
  degraded: { text: "some parts do not work right now", tone: "warn" },
  starting: { text: "starting", tone: "info" },
} as const;

/** Model, servers, store and chat platforms, with what is wrong with them. */
export function statusCard({ status, version, model, servers, store, surfaces = {} }: Health): Card {
  const items: { label: string; value: Cell }[] = [
    { label: "State", value: STATES[status] },
    { label: "Version", value: version },
    { label: "Planner", value: plannerOf(model) },
    ...servers.map((server) => ({
      label: server.name,
      value: serverState(server),
    })),
    {
      label: "Store",
      value: storeState(store),
    },
    ...Object.entries(surfaces).map(([name, surface]) => ({
      label: name,
      value: surface.error === undefined ? surface.status : `${surface.status}: ${words(surface.error, 300)}`,
    })),
  ];
  return card("Status", [{ type: "fields", items }]);
}

function storeState({ kind, ok, error, damage }: Health["store"]): string {
  if (!ok) return `${kind}: ${words(error ?? "does not answer", 200)}`;
  return damage === undefined ? kind : `${kind}, damaged: ${words(damage.join("; "), 200)}`;
}

function serverState({ status, tools, error, note }: Health["servers"][number]): string {
  if (error !== undefined) return `${status}: ${words(error, 200)}`;
  return `${note ?? status}, ${tools} ${tools === 1 ? "tool" : "tools"}`;
}

function plannerOf({ provider, model, reachable, reason }: Health["model"]): string {
  if (provider === "builtin") return "the built-in planner, without a model";
  const name = `${model} on ${provider}`;
  return reachable
    ? name
    : `${name} does not answer${reason === undefined ? "" : ` (${words(reason, 200)})`}`;
}

/** Whether results of a channel may go to a model, and how to change that. */
export function privacyCard({ summarize, setBy }: ChannelPrivacy, how: PrivacyWords): Card {
  const state = summarize
    ? "Results of tools may be sent to the model, which puts them into words."
    : "This channel is private: no result of a tool is sent to a model. You still see every result in full.";
  const who =
    setBy === undefined
      ? summarize
        ? `${how.on} makes it private.`
        : "The configuration says so; only an operator can change that."
      : `${how.setBy ?? words(setBy, 100)} made it private. ${how.off} takes that back.`;
  return card("Privacy", [
    { type: "text", text: state },
    { type: "text", text: who },
  ]);
}

function card(title: string, elements: CardElement[]): Card {
  return { kind: "status", title, elements: [{ type: "header", text: title }, ...elements] };
}

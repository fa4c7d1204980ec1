import type { Card, CardElement } from "#contract/card.ts";
import type { CommandInfo, Core } from "#contract/core.ts";

/** What `/countersign SUBCOMMAND` is answered with, for the person who asked. */
export async function informCard(subcommand: string, core: Core): Promise<Card> {
  switch (subcommand.trim().toLowerCase()) {
    case "tools":
      return toolsCard(core);
    case "status":
      return statusCard(core);
    case "approvals":
      return approvalsCard(core);
    default:
      return helpCard(core.commands());
  }
}

function helpCard(commands: readonly CommandInfo[]): Card {
  const items = [
    { text: "/ask TEXT", detail: "ask in plain words; mentioning me in a channel does the same" },
    ...commands.map(({ name, server, defaultTool, subcommands }) => ({
      text: `/${name}`,
      detail:
        [
          ...(defaultTool === undefined ? [] : [defaultTool]),
          ...subcommands.map((one) => `${one.name} (${one.tool})`),
        ].join(", ") || server,
    })),
    { text: "/countersign help, tools, status or approvals", detail: "about me; only you see the answer" },
  ];
  return card("What you can say", [{ type: "list", items }]);
}

function toolsCard(core: Core): Card {
  const words = { allow: "runs", ask: "needs approval", deny: "is refused" } as const;
  const rows = core.tools().map(({ tool, decision }) => [tool.id, words[decision]]);
  if (rows.length === 0) return card("Tools", [{ type: "text", text: "No tool is connected now." }]);
  return card("Tools", [{ type: "table", columns: [{ label: "Tool" }, { label: "A call" }], rows }]);
}

async function statusCard(core: Core): Promise<Card> {
  const { status, version, model, servers, store } = await core.health();
  const items = [
    { label: "State", value: status },
    { label: "Version", value: version },
    { label: "Planner", value: `${model.provider}${model.model === "" ? "" : ` (${model.model})`}` },
    ...servers.map((server) => ({
      label: server.name,
      value: server.error === undefined ? server.status : `${server.status}: ${server.error}`,
    })),
    { label: "Store", value: store.ok ? store.kind : `${store.kind}: ${store.error ?? "does not answer"}` },
  ];
  return card("Status", [{ type: "fields", items }]);
}

/** Only names: who may see the arguments of a request is in its channel. */
async function approvalsCard(core: Core): Promise<Card> {
  const pending = await core.approvals({ state: "pending" });
  const own = pending.filter(({ channel }) => channel.startsWith("slack:"));
  if (own.length === 0) return card("Approvals", [{ type: "text", text: "Nothing waits for approval." }]);
  const items = own.map(({ toolId, expiresAt, votes, quorum }) => ({
    text: toolId,
    detail: `${votes.length} of ${quorum}, until ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  }));
  return card("Approvals", [{ type: "list", items }]);
}

function card(title: string, elements: CardElement[]): Card {
  return { kind: "result", title, elements: [{ type: "header", text: title }, ...elements] };
}

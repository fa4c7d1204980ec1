import { isObject } from "#src/base/json.ts";

import type { Draft } from "../draft.ts";
import { agrees, type Setup, type Step } from "../step.ts";

/** What the delivered configuration has beside Jira and Confluence, and nobody needs who has connected their own. */
export const demo: Step = {
  id: "demo",
  title: "What the demo brought along",
  async run({ surface, draft }: Setup) {
    const isReal = ["JIRA_URL", "CONFLUENCE_URL"].some((name) => draft.variable(name) !== "");
    const parts = [
      ...(shopOf(draft) === -1 ? [] : ["a shop's database"]),
      ...(ownSourceOf(draft) === -1 ? [] : ["the source code of Countersign itself"]),
    ];
    if (!isReal || parts.length === 0) {
      surface.tell("info", "Nothing to do here.");
      return;
    }
    const title = `People can still ask about ${parts.join(" and ")}. Take that out?`;
    const question = { id: "demo.remove", title, initial: "yes" };
    if (!(await agrees({ surface }, question, "Yes", "No, leave it for trying things"))) return;
    if (shopOf(draft) !== -1) removeServer(draft, "sql");
    removeOwnSource(draft);
  },
};

function items(draft: Draft, path: readonly string[]): unknown[] {
  const found = draft.at(path);
  return Array.isArray(found) ? found : [];
}

/** The bundled server for databases, where it has none but the demo's. */
function shopOf(draft: Draft): number {
  if (draft.variable("SQL_URL") !== "") return -1;
  return items(draft, ["servers"]).findIndex(
    (one) =>
      isObject(one) &&
      one.name === "sql" &&
      JSON.stringify(one.command).includes("servers/sql/main.ts") &&
      (!isObject(one.env) || [undefined, "${SQL_URL:-}"].includes(one.env.SQL_URL as string | undefined)),
  );
}

function ownSourceOf(draft: Draft): number {
  return items(draft, ["knowledge", "sources"]).findIndex(
    (one) => isObject(one) && one.type === "git" && one.path === ".",
  );
}

/** Without any source nothing is found, and the server that finds it goes too. */
function removeOwnSource(draft: Draft): void {
  const index = ownSourceOf(draft);
  if (index === -1) return;
  if (items(draft, ["knowledge", "sources"]).length > 1) {
    draft.set(["knowledge", "sources", index], undefined);
    return;
  }
  draft.set(["knowledge", "sources"], []);
  removeServer(draft, "knowledge");
}

/** With its commands, and the sentences and views that are about its tools. */
export function removeServer(draft: Draft, name: string): void {
  const index = items(draft, ["servers"]).findIndex((one) => isObject(one) && one.name === name);
  if (index !== -1) draft.set(["servers", index], undefined);
  const commands = draft.at(["commands"]);
  for (const [command, value] of Object.entries(isObject(commands) ? commands : {}))
    if (isObject(value) && value.server === name) draft.set(["commands", command], undefined);
  const views = draft.at(["views"]);
  for (const tool of Object.keys(isObject(views) ? views : {}))
    if (tool.startsWith(`${name}.`)) draft.set(["views", tool], undefined);
  const examples = items(draft, ["examples"]);
  for (let at = examples.length - 1; at >= 0; at -= 1) {
    const one = examples[at];
    if (isObject(one) && String(one.tool).startsWith(`${name}.`)) draft.set(["examples", at], undefined);
  }
}

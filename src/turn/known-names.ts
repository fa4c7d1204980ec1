import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { shownIn } from "../base/records.ts";

export interface KnownNames {
  /** What the servers keep their records in, as far as it is known now. */
  list(): readonly KnownName[];
  /** Asks the servers again, where that was not done lately. Never rejects. */
  refresh(): Promise<void>;
}

export interface KnownNamesOptions {
  tools: Pick<ToolBox, "tools" | "call">;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  now: () => number;
}

/** Of one server; nobody waits for it. */
const TIMEOUT_MS = 10_000;
const FRESH_MS = 10 * 60_000;
/** After one that failed. */
const AGAIN_MS = 30_000;
const CHANNEL = "names";
const LISTS = /^(?:\w+_)?list_(projects|spaces|boards|teams)$/;
const SEARCHES = /^(?:\w+_)?search_issues$/;
const MOST = 100;

/** A read that tells names: what it is asked with, and the names in its answer. */
interface Telling {
  args: JsonObject;
  read: (data: JsonObject) => KnownName[];
}

/** What a tool can tell; a search takes the very arguments, and tells its epics, and who works on what moved lately. */
function tellings({ name, inputSchema }: Tool): Telling[] {
  const kind = LISTS.exec(name)?.[1]?.replace(/s$/, "");
  if (kind !== undefined) return [{ args: {}, read: (data) => titled(data, kind) }];
  const takes = isObject(inputSchema.properties) ? inputSchema.properties : {};
  const isSearch =
    SEARCHES.test(name) && ["type", "order_by", "limit"].every((each) => Object.hasOwn(takes, each));
  if (!isSearch) return [];
  return [
    { args: { type: "Epic", limit: MOST }, read: (data) => titled(data, "epic") },
    { args: { order_by: "updated", limit: MOST }, read: peopleIn },
  ];
}

function titled(data: JsonObject, kind: string): KnownName[] {
  return shownIn(data).rows.flatMap(({ id, title }) =>
    title === undefined ? [] : [{ kind, id, name: title }],
  );
}

function peopleIn(data: JsonObject): KnownName[] {
  const rows = Object.values(data).find((value) => Array.isArray(value)) ?? [];
  const people = rows.flatMap((row: JsonValue) =>
    isObject(row) ? [row["assignee"], row["reporter"]].flatMap((one) => (isObject(one) ? [one] : [])) : [],
  );
  const names = people.flatMap(({ id, name }) =>
    typeof id === "string" && typeof name === "string" ? [[id, { kind: "person", id, name }] as const] : [],
  );
  return [...new Map(names).values()];
}

/**
 * The names of projects, spaces, epics and people, so that "the mobile app" can be read as MOB, and "ben" as somebody.
 * Only of trusted servers' tools that need no argument and say that they only read, and that policy allows without
 * asking.
 */
export function createKnownNames({ tools, policy, now }: KnownNamesOptions): KnownNames {
  const known = new Map<string, { names: KnownName[]; at: number }>();
  let first: Promise<unknown> | undefined;

  async function ask(tool: Tool, { args, read }: Telling): Promise<void> {
    const key = keyOf(tool, args);
    known.set(key, { names: known.get(key)?.names ?? [], at: now() });
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const outcome = await tools.call({ tool, args, channel: CHANNEL, signal });
      if (outcome.ok && isObject(outcome.data)) known.set(key, { names: read(outcome.data), at: now() });
      else known.set(key, { names: known.get(key)?.names ?? [], at: now() - FRESH_MS + AGAIN_MS });
    } catch {
      known.set(key, { names: known.get(key)?.names ?? [], at: now() - FRESH_MS + AGAIN_MS });
      // People say codes as well, and are asked for what is not known.
    }
  }

  function isAskable(tool: Tool, args: JsonObject): boolean {
    const required = tool.inputSchema.required;
    const isFree = !Array.isArray(required) || required.length === 0;
    const isRead = tool.trusted && tool.annotations.readOnlyHint === true;
    return isFree && isRead && policy(tool, args, CHANNEL).decision === "allow";
  }

  return {
    list: () => [...known.values()].flatMap(({ names }) => names),
    async refresh() {
      const all = tools
        .tools()
        .flatMap((tool) =>
          tellings(tool).map((telling) => ({ tool, telling, key: keyOf(tool, telling.args) })),
        )
        .filter(({ tool, telling }) => isAskable(tool, telling.args));
      for (const key of known.keys()) if (!all.some((one) => one.key === key)) known.delete(key);
      const old = all.filter(({ key }) => now() - (known.get(key)?.at ?? -Infinity) > FRESH_MS);
      const asked = Promise.all(old.map(({ tool, telling }) => ask(tool, telling)));
      // Whoever comes while the first are asked waits for the same.
      if (old.length > 0) first ??= asked;
      await (first ?? asked);
    },
  };
}

function keyOf({ id }: Tool, args: JsonObject): string {
  return `${id} ${JSON.stringify(args)}`;
}

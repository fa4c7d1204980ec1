import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { isPlainId } from "../base/ids.ts";
import { shownIn, typesIn } from "../base/records.ts";

export interface KnownNames {
  /** What these servers keep, and who works on it, as far as it is known now: the same list until more is known. */
  list(servers: ReadonlySet<string>): readonly KnownName[];
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
const SEARCHES = /^(?:\w+_)?search_(?:(issue)s|confluence|pages)$/;
const MOST = 100;
/** Of what moved lately. */
const MOST_PAGES = 4;

/** A read that tells names: what it is asked with, and the names in its answer. */
interface Telling {
  args: JsonObject;
  read: (data: JsonObject) => KnownName[];
}

/**
 * What a tool can tell; a search takes the very arguments, and tells its epics, what moved lately, and who works on
 * that.
 */
function tellings({ name, inputSchema, server }: Tool): Telling[] {
  const kind = LISTS.exec(name)?.[1]?.replace(/s$/, "");
  if (kind !== undefined) return [{ args: {}, read: (data) => titled(data, kind, server) }];
  const takes = isObject(inputSchema.properties) ? inputSchema.properties : {};
  const search = ["order_by", "limit"].every((each) => Object.hasOwn(takes, each)) && SEARCHES.exec(name);
  if (!search) return [];
  const { maximum = MOST } = isObject(takes["limit"]) ? takes["limit"] : {};
  const limit = typeof maximum === "number" ? Math.min(maximum, MOST) : MOST;
  const recent = { order_by: "updated", limit };
  if (search[1] === undefined) return [{ args: recent, read: (data) => titled(data, "page", server) }];
  if (!Object.hasOwn(takes, "type")) return [];
  return [
    { args: { type: "Epic", limit }, read: (data) => titled(data, "epic", server) },
    {
      args: recent,
      read: (data) => [
        ...titled(data, "issue", server),
        ...peopleIn(data, server),
        ...valuesIn(data, "status", server),
      ],
    },
  ];
}

function titled(data: JsonObject, kind: string, server: string): KnownName[] {
  const types = typesIn(data);
  return shownIn(data, MOST).rows.flatMap(({ id, title }) => {
    const type = types.get(id);
    return title === undefined
      ? []
      : [{ kind, id, name: title, server, ...(type === undefined ? {} : { type }) }];
  });
}

/** What the rows of a list say in a field, each once. */
function valuesIn(data: JsonObject, kind: string, server: string): KnownName[] {
  const rows = Object.values(data).find((value) => Array.isArray(value)) ?? [];
  const values = rows.flatMap((row: JsonValue) => (isObject(row) ? (row[kind] ?? []) : []));
  const texts = new Set(values.filter((value) => typeof value === "string"));
  return [...texts].map((name) => ({ kind, id: name, name, server }));
}

function peopleIn(data: JsonObject, server: string): KnownName[] {
  const rows = Object.values(data).find((value) => Array.isArray(value)) ?? [];
  const people = rows.flatMap((row: JsonValue) =>
    isObject(row) ? [row["assignee"], row["reporter"]].flatMap((one) => (isObject(one) ? [one] : [])) : [],
  );
  const names = people.flatMap(({ id, name }) =>
    typeof id === "string" && typeof name === "string"
      ? [[id, { kind: "person", id, name, server }] as const]
      : [],
  );
  return [...new Map(names).values()];
}

/**
 * The names of projects, spaces, epics, states and people, and the titles of what moved lately, so that "the mobile app" can be read as MOB, and "ben" as somebody.
 * Only of trusted servers' tools that need no argument and say that they only read, and that policy allows without
 * asking.
 */
export function createKnownNames({ tools, policy, now }: KnownNamesOptions): KnownNames {
  const known = new Map<string, { names: KnownName[]; at: number }>();
  let first: Promise<unknown> | undefined;
  const listed = new Map<string, readonly KnownName[]>();

  function keep(key: string, names: KnownName[], at: number): void {
    known.set(key, { names, at });
    listed.clear();
  }

  async function ask(tool: Tool, { args, read }: Telling): Promise<void> {
    const key = keyOf(tool, args);
    const before = known.get(key)?.names ?? [];
    keep(key, before, now());
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const names: KnownName[] = [];
      let next: JsonObject | undefined = args;
      for (let page = 0; next !== undefined && page < MOST_PAGES; page += 1) {
        const outcome = await tools.call({ tool, args: next, channel: CHANNEL, signal });
        if (!outcome.ok || !isObject(outcome.data)) throw new Error(`${tool.id} tells no names`);
        names.push(...read(outcome.data));
        const { next: cursor } = shownIn(outcome.data);
        const isRecent = Object.hasOwn(args, "order_by");
        next = cursor === undefined || !isRecent ? undefined : { ...args, cursor };
      }
      keep(key, names, now());
    } catch {
      // People say codes and keys as well, and are asked for what is not known.
      keep(key, before, now() - FRESH_MS + AGAIN_MS);
    }
  }

  function isAskable(tool: Tool, args: JsonObject): boolean {
    const required = tool.inputSchema.required;
    const isFree = !Array.isArray(required) || required.length === 0;
    const isRead = tool.trusted && tool.annotations.readOnlyHint === true;
    return isFree && isRead && policy(tool, args, CHANNEL).decision === "allow";
  }

  return {
    list(servers) {
      const key = [...servers].join("\n");
      // Whoever reads it keeps what they made of it.
      const list =
        listed.get(key) ??
        [...known.values()].flatMap(({ names }) =>
          // What has no letter and no digit nobody can call it, and an id of several words could be read as some.
          names.filter(
            ({ kind, id, server, name }) =>
              servers.has(server) && /[\p{L}\p{N}]/u.test(name) && (kind === "status" || isPlainId(id)),
          ),
        );
      listed.set(key, list);
      return list;
    },
    async refresh() {
      const all = tools
        .tools()
        .flatMap((tool) =>
          tellings(tool).map((telling) => ({ tool, telling, key: keyOf(tool, telling.args) })),
        )
        .filter(({ tool, telling }) => isAskable(tool, telling.args));
      for (const key of known.keys()) {
        if (all.some((one) => one.key === key)) continue;
        known.delete(key);
        listed.clear();
      }
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

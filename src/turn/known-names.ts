import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
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
const TIMEOUT_MS = 5_000;
const FRESH_MS = 10 * 60_000;
const CHANNEL = "names";
const LISTS = /^(?:\w+_)?list_(projects|spaces|boards|teams)$/;

/**
 * The names of projects and spaces, so that "the mobile app" can be read as MOB. Only lists that need no argument,
 * of trusted servers that say that they only read, and that policy allows without asking.
 */
export function createKnownNames({ tools, policy, now }: KnownNamesOptions): KnownNames {
  const known = new Map<string, { names: KnownName[]; at: number }>();

  async function ask(tool: Tool): Promise<void> {
    known.set(tool.id, { names: known.get(tool.id)?.names ?? [], at: now() });
    const kind = LISTS.exec(tool.name)?.[1]?.replace(/s$/, "") ?? "";
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const outcome = await tools.call({ tool, args: {}, channel: CHANNEL, signal });
      if (!outcome.ok || !isObject(outcome.data)) return;
      const names = shownIn(outcome.data).rows.flatMap(({ id, title }) =>
        title === undefined ? [] : [{ kind, id, name: title }],
      );
      known.set(tool.id, { names, at: now() });
    } catch {
      // People say codes as well, and are asked for what is not known.
    }
  }

  function isAskable(tool: Tool): boolean {
    const required = tool.inputSchema.required;
    const isFree = !Array.isArray(required) || required.length === 0;
    const isRead = tool.trusted && tool.annotations.readOnlyHint === true;
    return LISTS.test(tool.name) && isFree && isRead && policy(tool, {}, CHANNEL).decision === "allow";
  }

  return {
    list: () => [...known.values()].flatMap(({ names }) => names),
    async refresh() {
      const all = tools.tools().filter(isAskable);
      for (const id of known.keys()) if (!all.some((tool) => tool.id === id)) known.delete(id);
      await Promise.all(all.filter(({ id }) => now() - (known.get(id)?.at ?? -Infinity) > FRESH_MS).map(ask));
    },
  };
}

import { resolve } from "node:path";

import { z } from "zod";

import { messageOf, ToolFailure } from "../../kit/tool.ts";
import type { Index, SourceRow } from "../service/index-store.ts";
import { type SourceDefinition, sourceDefinition, sourceKey, sourceName } from "./sources.ts";

export const DEFAULT_ORGANISATION = "default";

/** A source of one organisation. */
export interface OwnedSource {
  organisation: string;
  source: SourceDefinition;
}

/** A source of the configuration: the same for each of its organisations. */
const configured = z.array(
  z
    .looseObject({ organisations: z.array(z.string().min(1)).min(1).default([DEFAULT_ORGANISATION]) })
    .transform(({ organisations, ...rest }) => ({ organisations, source: sourceDefinition.parse(rest) })),
);

/**
 * The sources that the configuration lists (KNOWLEDGE_SOURCES, as JSON), their paths from KNOWLEDGE_ROOT; undefined where
 * no configuration says. Throws `bad_sources`, also for two that nothing tells apart.
 */
export function configuredSources(env: NodeJS.ProcessEnv): OwnedSource[] | undefined {
  const text = env.KNOWLEDGE_SOURCES?.trim() ?? "";
  if (text === "") return undefined;
  const parsed = configured.safeParse(jsonOf(text));
  if (!parsed.success) throw wrong(z.prettifyError(parsed.error));
  const root = env.KNOWLEDGE_ROOT?.trim() || ".";
  const known = new Set<string>();
  return parsed.data.flatMap(({ organisations, source }) => {
    const placed = source.path === undefined ? source : { ...source, path: resolve(root, source.path) };
    return organisations.map((organisation) => {
      const id = idOf(organisation, sourceKey(placed));
      if (known.has(id))
        throw wrong(`${sourceKey(placed)} is listed twice for ${organisation}: give each a name of its own`);
      known.add(id);
      return { organisation, source: placed };
    });
  });
}

/**
 * Has the index follow the configuration at once: who finds a source, and that nobody finds what is not listed any more.
 * What a command or the job API indexed is left as it is. Gives what is to be removed.
 */
export async function followSettings(index: Index, listed: readonly OwnedSource[]): Promise<SourceRow[]> {
  const byId = new Map(listed.map((one) => [idOf(one.organisation, sourceKey(one.source)), one.source]));
  const rows = await index.sources();
  const changes = rows.flatMap((row): SourceRow[] => {
    const source = byId.get(idOf(row.organisation, row.key));
    const told: SourceRow =
      source === undefined
        ? { ...row, origin: row.origin === "settings" ? "withdrawn" : row.origin }
        : { ...row, name: sourceName(source), channels: source.channels.toSorted(), origin: "settings" };
    return JSON.stringify(told) === JSON.stringify(row) ? [] : [told];
  });
  if (changes.length > 0)
    await index.write(async (tables) => {
      for (const row of changes) await tables.source(row);
    });
  return (await index.sources()).filter(({ origin }) => origin === "withdrawn");
}

function idOf(organisation: string, key: string): string {
  return JSON.stringify([organisation, key]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw wrong(`expected JSON: ${messageOf(error)}`);
  }
}

function wrong(message: string): ToolFailure {
  return new ToolFailure("bad_sources", `KNOWLEDGE_SOURCES: ${message}`);
}

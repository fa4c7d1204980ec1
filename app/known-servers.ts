import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";
import { z } from "zod";

const knownServer = z.strictObject({
  name: z.string(),
  title: z.string(),
  /** For people: what it is, and what to mind. Markdown. */
  about: z.string(),
  /** How far it was tried, and in which version. */
  tried: z.string(),
  /** What each variable of the environment is. */
  variables: z.record(z.string(), z.string()).default({}),
  /** What is added to a configuration; the server in it has the entry's name. */
  config: z.looseObject({ servers: z.tuple([z.looseObject({ name: z.string() })]) }),
});

/** A server that people ask for, with the configuration that is known to fit it. */
export type KnownServer = z.infer<typeof knownServer>;

const file = fileURLToPath(new URL("../config/known-servers.yaml", import.meta.url));

/** In the order of docs/servers.md. */
export async function readKnownServers(): Promise<KnownServer[]> {
  return z.array(knownServer).parse(parse(await readFile(file, "utf8")));
}

/** The variables that a configuration reads, and whether the product starts without them. */
export function variablesOf(config: unknown): { name: string; isNeeded: boolean }[] {
  const found = JSON.stringify(config).matchAll(/\$\{([A-Z]\w*)(:-)?/g);
  const needed = new Map([...found].map(([, name = "", or]) => [name, or === undefined]));
  return [...needed].map(([name, isNeeded]) => ({ name, isNeeded }));
}

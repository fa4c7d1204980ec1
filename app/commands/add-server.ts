import { CountersignError } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { nearest } from "#src/base/suggest.ts";
import { parseConfig, readConfigText } from "#src/settings/document.ts";
import { configToWrite, OWN_HEADER } from "#src/settings/load.ts";

import type { CommandCall } from "../command-line.ts";
import { type KnownServer, readKnownServers, variablesOf } from "../known-servers.ts";
import { mergeConfig } from "../merge-config.ts";
import { answer } from "../output.ts";
import { writeWhole } from "../write-file.ts";

/** Writes a known server into the configuration, unless a server of that name is there, and says what is still to do. */
export async function addServer({ args: [asked = ""], options, flags }: CommandCall): Promise<number> {
  const server = find(asked, await readKnownServers());
  const { name } = server;
  const { named, file, from } = configToWrite({
    ...(options.config === undefined ? {} : { file: options.config }),
    env: process.env,
    cwd: process.cwd(),
  });
  const text = (from === file ? "" : OWN_HEADER) + (await readConfigText(from, named));
  const isThere = namesIn(parseConfig(text, named).data).includes(name);
  if (!isThere) await writeWhole(file, mergeConfig(text, server.config), from === file ? undefined : 0o644);

  const variables = variablesOf(server.config);
  const missing = variables.filter((one) => one.isNeeded && !process.env[one.name]).map((one) => one.name);
  answer(flags, { name, file, added: !isThere, variables, missing }, () => {
    if (isThere) return `${named} has a server of the name ${name} already: nothing was changed.`;
    const lines = variables.map((one) => {
      const state = one.isNeeded ? ` (${missing.includes(one.name) ? "not set yet" : "set"})` : "";
      return `  ${one.name}  ${server.variables[one.name] ?? ""}${state}`;
    });
    const commands = Object.keys(isObject(server.config.commands) ? server.config.commands : {});
    const slash = commands.map((command) => `/${command}`).join(", ");
    return [
      `Added ${name} to ${named}. ${sentence(server.tried)}`,
      ...(lines.length === 0 ? [] : ["It reads from the environment:", ...lines]),
      ...(commands.length === 0
        ? []
        : [
            `Slack offers ${slash} once its app has it: countersign slack manifest prints what to paste there.`,
          ]),
      missing.length === 0
        ? "countersign servers says whether it answers; docs/servers.md has more on it."
        : "Set what is not set before the next start, which names it otherwise; docs/servers.md has more on it.",
    ].join("\n");
  });
  return 0;
}

/** Throws an error that names the servers that were probably meant, or all. */
function find(name: string, known: readonly KnownServer[]): KnownServer {
  const server = known.find((one) => one.name === name.toLowerCase());
  if (server !== undefined) return server;
  const names = known.map((one) => one.name);
  const meant = names.filter((one) => one.includes(name.toLowerCase()) || one === nearest(name, names));
  const hint =
    meant.length > 0 && meant.length < 5
      ? `Did you mean ${OR.format(meant)}?`
      : `Known: ${names.join(", ")}.`;
  throw new CountersignError(
    "unknown_server",
    `${name.slice(0, 64)} is none of the servers that this knows. ${hint} Any other is written by hand, see docs/configuration.md#servers`,
  );
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });

function namesIn(data: unknown): unknown[] {
  const { servers } = (data ?? {}) as { servers?: unknown };
  return Array.isArray(servers) ? servers.map((server: { name?: unknown } | null) => server?.name) : [];
}

function sentence(tried: string): string {
  return tried.startsWith("not tried") ? `Its configuration was ${tried}.` : `Tried: ${tried}.`;
}

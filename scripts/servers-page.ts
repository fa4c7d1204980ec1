/** Writes docs/servers.md of config/known-servers.yaml: `npm run servers`. */
import { readFile, writeFile } from "node:fs/promises";

import { type KnownServer, readKnownServers, variablesOf } from "../app/known-servers.ts";
import { writeConfig } from "../app/merge-config.ts";

export const page: URL = new URL("../docs/servers.md", import.meta.url);

const HEAD = `# Servers as people have them

\`countersign servers add NAME\` writes one of these into your configuration: the server, the rules that fit it, and how its changes are told to people. What is there stays as it is. It says which variables of the environment have to be set, and does nothing where a server of that name is there. \`countersign servers\` says whether each answers.

Everything that no rule names asks before it runs, except what a server with \`trust_annotations: true\` says it only reads: that line is your word for the server, so take it out where you do not know who made it. \`npx\` comes with Node, \`uvx\` with [uv](https://docs.astral.sh/uv/); both fetch a server at its first start, which may take minutes. Name a version, such as \`mcp-server-time@2026.10.19\`, to have no other. A server gets no variable that its \`env\` does not name: behind a proxy, or with certificates of your own, name \`HTTPS_PROXY\` or \`SSL_CERT_FILE\` there. Where secrets are concerned, [credentials](mcp.md#credentials-of-a-turn) and [accounts of people](mcp.md#accounts-of-people) are worth a look.

This page is made of [config/known-servers.yaml](../config/known-servers.yaml) by \`npm run servers\`.
`;

export async function servers(): Promise<string> {
  return [HEAD, ...(await readKnownServers()).map(section)].join("\n");
}

function section({ name, title, about, tried, variables, config }: KnownServer): string {
  const rows = variablesOf(config).map((one) => {
    const what = variables[one.name] ?? "";
    return `- \`${one.name}\`: ${what}`;
  });
  return [
    `## ${title}`,
    `${about.trim()} Tried: ${tried}.`.replace("Tried: not tried", "Not tried"),
    `\`countersign servers add ${name}\``,
    ...(rows.length === 0 ? [] : [rows.join("\n")]),
    `\`\`\`yaml\n${writeConfig(config)}\n\`\`\`\n`,
  ].join("\n\n");
}

if (import.meta.main) {
  const before = await readFile(page, "utf8").catch(() => "");
  const now = await servers();
  if (now !== before) await writeFile(page, now);
}

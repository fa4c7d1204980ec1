import type { Tool } from "#contract/tool.ts";
import { isUnknownRead } from "#src/policy/reads.ts";
import type { Settings } from "#src/settings/load.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

import { tellingRead } from "../sites.ts";
import { withToolBox } from "../tool-box.ts";
import { failed, type Finding, note, ok, sentence } from "./finding.ts";

/** Longest wait for one read. */
const READ_MS = 20_000;

/** Whether each server answers, and works with the account it was given: one read of each that has a fitting one. */
export async function checkServers(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  await withToolBox(settings, { actor: undefined, channel: "" }, async (box) => {
    const looks = box.servers().map(async ({ name, status, tools, error, note: waits, doing }) => {
      const check = `server.${name}`;
      const server = settings.servers.find((one) => one.name === name);
      if (status === "waiting") return [note(check, sentence(`${name}: ${waits ?? "it wants an account"}`))];
      if (status !== "up") {
        const why =
          error ?? (doing === undefined ? "it is still starting" : `it is still starting: ${doing}`);
        return [failed(check, sentence(why), cureOf(name, server))];
      }
      const own = box.tools().filter((tool) => tool.server === name);
      const there = ok(check, `${name} answers with ${tools} tools.`);
      const unknown = own.filter(isUnknownRead).length;
      const trust =
        unknown === 0
          ? []
          : [
              note(
                `${check}.trust`,
                `${unknown} tools of ${name} say that they only read, and ask before each call.`,
                `Where you vouch for ${name}, set trust_annotations: true at name: ${name} under servers.`,
              ),
            ];
      const read = firstRead(own);
      // Where each person brings their own account there is none to try.
      const isPersonal = server?.oauth !== undefined || Object.keys(server?.credentials ?? {}).length > 0;
      if (read === undefined || isPersonal) return [there, ...trust];
      const outcome = await box.call({
        tool: read,
        args: {},
        channel: "",
        repeatable: true,
        signal: AbortSignal.timeout(READ_MS),
      });
      const account = outcome.ok
        ? ok(`${check}.account`, `${name} works with the account that it was given.`)
        : failed(
            `${check}.account`,
            sentence(
              `${name} cannot read with the account that it was given: ${outcome.error?.message ?? "it failed"}`,
            ),
            accountCure(name),
          );
      return [there, account, ...trust];
    });
    findings.push(...(await Promise.all(looks)).flat());
    return 0;
  });
  return findings;
}

/** What says the most about an account, and costs the least. */
function firstRead(tools: readonly Tool[]): Tool | undefined {
  const listing = tools.find(({ name, trusted }) => trusted && LISTINGS.includes(name));
  return listing ?? tellingRead(tools);
}

/** Of the bundled servers. */
const LISTINGS: readonly string[] = ["list_projects", "list_spaces", "list_tables"];

function accountCure(name: string): string {
  return ["jira", "confluence"].includes(name)
    ? `npm run setup -- --only ${name} asks for the address and a new token, and tries them.`
    : `Set the variables that servers: - name: ${name} reads to an account that works.`;
}

function cureOf(name: string, server: ServerSettings | undefined): string {
  const program = server?.command?.join(" ");
  return program === undefined
    ? `Open ${server?.url ?? server?.sse_url ?? "its address"} from this machine, or mend it at name: ${name} under servers.`
    : `Type: ${program}, which shows what it says; or mend it at name: ${name} under servers.`;
}

import { messageOf } from "#src/base/errors.ts";

import { readKnownServers } from "../../known-servers.ts";
import type { Draft } from "../draft.ts";
import { again, type Setup } from "../step.ts";
import { removeServer } from "./demo.ts";

/** Atlassian's own server, as config/known-servers.yaml knows it. */
const NAME = "atlassian";
const TRY_MS = 10_000;

/** Whether people bring their own accounts of Jira and Confluence. */
export function isPersonal({ settings }: Draft): boolean {
  return settings.servers.some(({ name, oauth }) => name === NAME && oauth !== undefined);
}

/**
 * Jira and Confluence Cloud through Atlassian's own server, with each person's account by OAuth instead of one token
 * for all. That the server asks for an account is tried; the account itself is whose it is, and is connected in the chat.
 */
export async function connectPersonal({ surface, draft }: Setup): Promise<void> {
  const known = (await readKnownServers()).find(({ name }) => name === NAME);
  const [{ headers: _, ...server } = { name: NAME }] = known?.config.servers ?? [];
  for (;;) {
    const url = await surface.text({
      id: "jira.personal_url",
      title: "The address of Atlassian's server",
      help: "Enter takes the one that Atlassian runs for everybody.",
      initial: String(server.url),
      check: (answer) =>
        /^https?:\/\/\S+$/.test(answer) ? undefined : "An address such as https://mcp.atlassian.com/v1/mcp",
    });
    const fault = await surface.work(`Trying ${url}`, () => faultOf(url));
    if (fault === undefined) {
      draft.merge({ ...known?.config, servers: [{ ...server, url, oauth: { per: "person" } }] });
      break;
    }
    surface.tell("bad", fault);
    if (!(await again({ surface }, "jira.personal_again", "Jira"))) return;
  }
  // The demo's issues and pages would be found beside the team's.
  for (const name of ["jira", "confluence"] as const)
    if (!draft.settings.servers.some((one) => one.name === name && one.env[`${name.toUpperCase()}_URL`]))
      removeServer(draft, name);
  surface.tell(
    "good",
    "It asks who people are. Each person connects their account once, with /connect in the chat or under Tools & health on the page.",
  );
  if (draft.settings.http.public_url === "")
    surface.tell(
      "info",
      "Their browsers have to reach Countersign for that: set http.public_url to its address, unless all of them sit at this machine (docs/mcp.md).",
    );
}

/** Undefined where a stranger is asked for an account, as it should be. */
async function faultOf(url: string): Promise<string | undefined> {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "countersign", version: "1" },
    },
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(initialize),
      redirect: "manual",
      signal: AbortSignal.timeout(TRY_MS),
    });
    await response.body?.cancel();
    if (response.status === 401) return undefined;
    return `${url} answers ${response.status}, where a server that people connect accounts with answers 401.`;
  } catch (error) {
    return `${url} cannot be reached: ${messageOf(error)}.`;
  }
}

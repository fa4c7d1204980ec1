import { fileURLToPath } from "node:url";

import type { JsonObject } from "#contract/json.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { OAuth } from "../mcp/oauth.ts";
import type { McpLog } from "../mcp/options.ts";
import { createToolBox, type ManagedToolBox } from "../mcp/pool.ts";
import { requireSandbox } from "../mcp/sandbox.ts";
import type { Settings } from "../settings/load.ts";
import { openOAuthBeside } from "./oauth-beside.ts";
import { version } from "./version.ts";

const root: string = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The configured servers for one command, beside a running product: nothing is kept of it but tokens that
 * had to be renewed. `accounts`: whose accounts servers that want one are listed with; anybody's without it.
 */
export async function withToolBox<Result>(
  settings: Settings,
  work: (tools: ManagedToolBox, oauth: OAuth | undefined) => Promise<Result>,
  accounts?: (oauth: OAuth) => OAuth,
): Promise<Result> {
  await requireSandbox(settings.servers);
  const beside = await openOAuthBeside(settings, silent);
  const oauth = beside === undefined ? undefined : (accounts?.(beside.oauth) ?? beside.oauth);
  const tools = createToolBox({
    ...(oauth === undefined ? {} : { oauth }),
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...process.env, COUNTERSIGN_DATA: settings.data_dir },
    log: silent,
  });
  try {
    await tools.start();
    return await work(tools, oauth);
  } finally {
    await tools.stop();
    await beside?.close();
  }
}

/** Which servers could not be listed, for the words of an error; empty where all could. */
export function unlisted(box: Pick<ManagedToolBox, "servers">): string {
  const some = box.servers().filter(({ status }) => status !== "up");
  const down = some.flatMap(({ name, note }) => (note === undefined ? [name] : []));
  const waiting = some.flatMap(({ name, note }) => (note === undefined ? [] : [` ${name} is ${note}.`]));
  return `${down.length === 0 ? "" : ` Not reachable: ${down.join(", ")}.`}${waiting.join("")}`;
}

/** The value of `--args`. Throws `wrong_use`. */
export function readArguments(given: string | boolean | undefined): JsonObject {
  if (given === undefined) return {};
  try {
    const args: unknown = JSON.parse(String(given));
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return args as JsonObject;
  } catch (error) {
    throw new CountersignError("wrong_use", `--args: expected a JSON object, got ${messageOf(error)}`);
  }
  throw new CountersignError(
    "wrong_use",
    `--args: expected a JSON object, got ${String(given).slice(0, 80)}`,
  );
}

/** What goes wrong is in the answer of the command. */
const silent: McpLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

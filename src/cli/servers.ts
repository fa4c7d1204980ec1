import { plainLine } from "../base/terminal-text.ts";
import type { ServerSettings } from "../settings/server-schema.ts";
import type { CommandCall } from "./command-line.ts";
import { readSettings } from "./read-settings.ts";
import { print, printJson } from "./output.ts";
import { withToolBox } from "./tool-box.ts";

/** Connects to every configured server once, and says how that went. */
export async function servers({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  return withToolBox(settings, (box) => {
    const listed = box.servers().map((status) => {
      const server = settings.servers.find((one) => one.name === status.name);
      return { ...status, ...(server === undefined ? {} : { reached: waysTo(server) }) };
    });
    if (options.json === true) printJson(listed);
    else if (listed.length === 0) print("No server is configured.");
    else {
      const width = Math.max(...listed.map((server) => server.name.length));
      for (const { name, status, tools, error, note, reached } of listed) {
        const what = status === "up" ? `${tools} tools` : plainLine(error ?? note ?? "");
        print(`${name.padEnd(width)}  ${status.padEnd(8)}  ${reached ?? ""}  ${what}`);
      }
    }
    const isGood = listed.every(({ status }) => status === "up" || status === "waiting");
    return Promise.resolve(isGood ? 0 : 1);
  });
}

/** How a server is reached; never its environment or headers, which hold secrets. */
function waysTo({ command, url, sse_url: sse, sandbox }: ServerSettings): string {
  const launched =
    command === undefined
      ? ""
      : `launches ${command[0] ?? ""}${sandbox === undefined ? "" : " in a sandbox"}`;
  const address = url === undefined ? (sse === undefined ? "" : `sse ${hostOf(sse)}`) : `http ${hostOf(url)}`;
  return [launched, address].filter((part) => part !== "").join(", ");
}

/** A query may hold a key. */
function hostOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

import { plainLine, plainText } from "../base/terminal-text.ts";
import type { OAuth } from "../mcp/oauth.ts";
import type { ManagedToolBox } from "../mcp/pool.ts";
import type { CommandCall } from "./command-line.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import { onlyOf, whyNoAccount } from "./acting-as.ts";
import { readActor } from "./read-actor.ts";
import { readSettings } from "./read-settings.ts";
import { complain, print, printJson } from "./output.ts";
import { withToolBox } from "./tool-box.ts";

/**
 * Every tool of the servers that answer now, with what policy says of a call without arguments. With --as
 * servers that want an account are asked with that person's alone.
 */
export async function tools({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const policy = createChannelPolicy(settings.policy, settings.channels);
  const channel = typeof options.channel === "string" ? options.channel : "";
  const as = { actor: readActor(options.as), channel };
  const accounts = as.actor === undefined ? undefined : onlyOf(as, settings.servers);
  const list = async (box: ManagedToolBox, oauth: OAuth | undefined): Promise<number> => {
    const listed = box.tools().map((tool) => ({
      id: tool.id,
      server: tool.server,
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
      ...(tool.outputSchema === undefined ? {} : { output_schema: tool.outputSchema }),
      annotations: { ...tool.annotations },
      trusted: tool.trusted,
      decision: policy.decide(tool, {}, channel).decision,
    }));
    const down = box.servers().filter((server) => server.status !== "up");
    if (options.json === true) printJson(listed);
    else {
      const rows = listed.map(({ id, decision, description }) => {
        const [words = ""] = plainText(description).split("\n");
        return { id: plainLine(id), decision, words: words.slice(0, 100) };
      });
      const width = Math.max(...rows.map(({ id }) => id.length));
      for (const { id, decision, words } of rows)
        print(`${id.padEnd(width)}  ${decision.padEnd(5)}  ${words}`);
    }
    let failures = 0;
    for (const server of down) {
      const settingsOf = settings.servers.find(({ name }) => name === server.name);
      const why =
        as.actor === undefined || settingsOf === undefined
          ? undefined
          : await whyNoAccount(settingsOf, as, oauth);
      // Nobody asked for the account that it waits for.
      if (server.status !== "waiting" || why !== undefined) failures += 1;
      const what = server.note ?? `down: ${server.error ?? "unknown"}`;
      complain(why ?? `${server.name} is ${what}`);
    }
    return failures === 0 ? 0 : 1;
  };
  return withToolBox(settings, list, accounts);
}

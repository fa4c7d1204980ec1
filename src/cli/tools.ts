import type { CommandCall } from "./command-line.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import { readSettings } from "./read-settings.ts";
import { print, withToolBox } from "./tool-box.ts";

/** Every tool of the servers that answer now, with what policy says of a call without arguments. */
export async function tools({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const policy = createChannelPolicy(settings.policy, settings.channels);
  return withToolBox(settings, async (box) => {
    const listed = box.tools().map((tool) => ({
      id: tool.id,
      server: tool.server,
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
      ...(tool.outputSchema === undefined ? {} : { output_schema: tool.outputSchema }),
      annotations: { ...tool.annotations },
      trusted: tool.trusted,
      decision: policy.decide(tool, {}, "").decision,
    }));
    const down = box.servers().filter((server) => server.status !== "up");
    if (options.json === true) print(JSON.stringify(listed));
    else {
      const width = Math.max(...listed.map((tool) => tool.id.length));
      for (const tool of listed) {
        const [words = ""] = tool.description.split("\n");
        print(`${tool.id.padEnd(width)}  ${tool.decision.padEnd(5)}  ${words.slice(0, 100)}`);
      }
    }
    for (const server of down) process.stderr.write(`${server.name} is down: ${server.error ?? "unknown"}\n`);
    return down.length === 0 ? 0 : 1;
  });
}

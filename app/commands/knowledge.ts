import { once } from "node:events";
import { createInterface } from "node:readline";

import type { CommandCall } from "../command-line.ts";
import { launchKnowledge } from "../knowledge.ts";
import { complain, createProgressLine, print, printJsonLine } from "../output.ts";
import { readSettings } from "../settings.ts";

/** Indexes sources: those that are named, else those of the configuration. */
export async function ingest({ args, options, flags }: CommandCall): Promise<number> {
  const { org, channel } = options;
  const words = [
    "ingest",
    ...(process.stderr.isTTY ? ["--progress"] : []),
    ...(org === undefined ? [] : ["--org", org]),
    ...(channel === undefined ? [] : ["--channel", channel]),
    ...["full", "delete", "json"].flatMap((name) => (flags[name] === true ? [`--${name}`] : [])),
    "--",
    ...args,
  ];
  return run(options, words, flags["json"] === true);
}

/** Serves the index over HTTP until it is stopped. */
export async function serve({ options }: CommandCall): Promise<number> {
  const { port, host } = options;
  return run(options, [
    "serve",
    ...(port === undefined ? [] : ["--port", port]),
    ...(host === undefined ? [] : ["--host", host]),
  ]);
}

/** Tells what is indexed. */
export async function status({ options, flags }: CommandCall): Promise<number> {
  const isJson = flags["json"] === true;
  return run(options, ["status", ...(isJson ? ["--json"] : [])], isJson);
}

/** What the service says goes through `print`, as names of files are in it. */
async function run(options: CommandCall["options"], args: string[], isJson = false): Promise<number> {
  const child = launchKnowledge(await readSettings(options), args, process.env);
  // A terminal tells both of Ctrl-C; whoever ends only this process means both.
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGTERM", forward).on("SIGINT", forward);
  const progress = createProgressLine();
  createInterface({ input: child.stderr }).on("line", complain);
  const ended = once(child, "exit") as Promise<[number | null]>;
  let isUnderWay = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const isProgress = line.startsWith("… ");
    if (isProgress) progress.show(line.slice(2));
    else {
      if (isUnderWay) progress.end();
      await (isJson ? printJsonLine(JSON.parse(line)) : print(line));
    }
    isUnderWay = isProgress;
  }
  const [code] = await ended;
  process.off("SIGTERM", forward).off("SIGINT", forward);
  return code ?? 1;
}

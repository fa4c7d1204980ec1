import { parseArgs } from "node:util";

import { serve } from "../kit/serve.ts";
import { messageOf } from "../kit/tool.ts";
import { reportOf } from "./store/report.ts";
import { createEnsemblesServer } from "./server.ts";
import { listEnsembles, validate } from "./tools/running.ts";
import { invoke, openWorkshop, type Workshop } from "./workshop.ts";

/** `serve` with the options of every bundled server (the default), and three commands for people at a terminal. */
async function main(argv: string[]): Promise<void> {
  const isNamed = ["serve", "run", "validate", "list"].includes(argv[0] ?? "");
  const [command, ...rest] = isNamed ? argv : ["serve", ...argv];
  try {
    const workshop = openWorkshop(process.env);
    if (command === "serve") {
      await serve(() => createEnsemblesServer(workshop), {
        name: "ensembles",
        defaultPort: 8080,
        argv: rest,
      });
      return;
    }
    const { values, positionals } = parseArgs({
      args: rest,
      options: { json: { type: "boolean" } },
      allowPositionals: true,
    });
    process.exitCode = await commands[command as keyof typeof commands](
      workshop,
      positionals,
      values.json === true,
    );
  } catch (error) {
    process.stderr.write(`ensembles: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

const commands = { run, validate: check, list };

async function run(workshop: Workshop, [name = "", ...words]: string[], isJson: boolean): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  process.once("SIGTERM", () => stop.abort(new Error("interrupted")));
  const input = words.length > 0 ? words.join(" ") : process.stdin.isTTY ? "" : await readAll();
  const { run, artifact, warning } = await invoke(workshop, name, input, {
    signal: stop.signal,
    onEvent(event) {
      if (event.type === "agent_started") process.stderr.write(`${event.agent} …\n`);
      if (event.type === "agent_ended")
        process.stderr.write(
          `${event.agent}: ${event.result.status} (${event.completed} of ${event.total})\n`,
        );
      if (event.type === "fallback")
        process.stderr.write(`${event.agent}: ${event.from} failed, so ${event.to} answers\n`);
    },
  });
  if (warning !== undefined) process.stderr.write(`ensembles: ${warning}\n`);
  process.stdout.write(isJson ? toJson({ ...run, artifact }) : reportOf(run));
  return run.status === "completed" ? 0 : 1;
}

function check(workshop: Workshop, names: string[], isJson: boolean): Promise<number> {
  const wanted =
    names.length > 0
      ? names
      : workshop.project.ensembles().flatMap((one) => (one.source === "library" ? [] : [one.name]));
  const checked = wanted.map((name) => validate(workshop, name));
  const words = checked.flatMap(({ ensemble, valid, details }) => [
    `${ensemble}: ${valid ? `valid, ${details.agent_count} agents` : `${details.errors.length} errors`}`,
    ...[...details.errors, ...details.warnings].map((line) => `  ${line}`),
  ]);
  process.stdout.write(
    isJson ? toJson(checked) : `${words.join("\n") || "There are no ensembles here to check."}\n`,
  );
  return Promise.resolve(checked.every(({ valid }) => valid) ? 0 : 1);
}

function list(workshop: Workshop, _: string[], isJson: boolean): Promise<number> {
  const all = listEnsembles(workshop);
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(
    ({ name, source, description, error }) =>
      `${name.padEnd(width)}  ${source.padEnd(7)}  ${error ?? description}`,
  );
  process.stdout.write(isJson ? toJson(all) : `${lines.join("\n")}\n`);
  return Promise.resolve(0);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

async function readAll(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text;
}

await main(process.argv.slice(2));

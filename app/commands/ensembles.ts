import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import type { CommandCall } from "../command-line.ts";
import { answer, complain } from "../output.ts";

const SERVER = fileURLToPath(new URL("../../servers/ensembles/main.ts", import.meta.url));

/** Serves the project's ensembles over MCP, until it is told to stop. */
export async function serve({ options }: CommandCall): Promise<number> {
  const given = ["transport", "port", "host"].flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, options[name]],
  );
  // Standard input and output are the protocol's own, and no text for a terminal.
  return (await runServer(["serve", ...given], [0, 1, "pipe"])).code;
}

/** Runs an ensemble and prints its report; the input is the text, or what comes on stdin. */
export function run(call: CommandCall): Promise<number> {
  return report("run", call);
}

/** Checks one ensemble, or all of the project. */
export function validate(call: CommandCall): Promise<number> {
  return report("validate", call);
}

/** Lists the ensembles of project, machine and library. */
export function list(call: CommandCall): Promise<number> {
  return report("list", call);
}

async function report(command: string, { args, flags }: CommandCall): Promise<number> {
  const json = flags.json === true ? ["--json"] : [];
  const { code, output } = await runServer([command, ...json, "--", ...args], [0, "pipe", "pipe"]);
  if (output !== "")
    answer(flags, flags.json === true ? JSON.parse(output) : undefined, () => output.trimEnd());
  return code;
}

/** The server is a program of its own, so that the product never loads what it needs. */
async function runServer(
  args: string[],
  stdio: [0, 1 | "pipe", "pipe"],
): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [SERVER, ...args], { stdio });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
  if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", complain);
  const output = child.stdout === null ? "" : text(child.stdout);
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? 1, output: await output };
}

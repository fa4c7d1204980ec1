import { pullModel } from "#src/model/ollama.ts";
import { createModels } from "#src/model/providers.ts";

import type { CommandCall } from "../command-line.ts";
import { createProgressLine, print } from "../output.ts";
import { readSettings } from "../settings.ts";

/** Fetches a model onto the Ollama server, telling how far it is. */
export async function pull({ args, options }: CommandCall): Promise<number> {
  const { model: settings } = await readSettings(options);
  const name = args[0] ?? settings.ollama.model;
  const ended = new AbortController();
  process.once("SIGINT", () => ended.abort());
  const progress = createProgressLine();
  let told = "";
  await pullModel(
    settings.ollama.base_url,
    name,
    ({ status, completed, total }) => {
      const share =
        completed === undefined || total === undefined || total === 0
          ? ""
          : ` ${Math.floor((completed / total) * 100)} % of ${toSize(total)}`;
      const line = `${status}${share}`;
      if (line === told) return;
      told = line;
      progress.show(line);
    },
    ended.signal,
  );
  progress.end();
  print(`${name} is on ${settings.ollama.base_url}.`);
  return 0;
}

/** Whether the configured model answers; exit code 1 where it does not. */
export async function check({ options }: CommandCall): Promise<number> {
  const { model: settings } = await readSettings(options);
  const { provider } = settings;
  if (provider === "builtin") {
    print("builtin: plans without a model.");
    return 0;
  }
  const port = createModels(provider === "auto" ? "ollama" : provider, settings);
  const { reachable, reason } = await port.probe();
  print(`${port.provider}, ${port.model}: ${reachable ? "is there." : (reason ?? "is not there.")}`);
  const { embeddings, embed_model: embedModel } = settings.ollama;
  print(
    embeddings
      ? `Embeddings: ${embedModel}, if Ollama has it. A server that keeps one model loads each anew whenever they alternate.`
      : "Embeddings: off, as Ollama keeps one model on a CPU. Where it keeps two: model.ollama.embeddings: true.",
  );
  return reachable ? 0 : 1;
}

function toSize(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}

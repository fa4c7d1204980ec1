import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { loadSettings } from "#src/settings/load.ts";
import type { Settings } from "#src/settings/load.ts";
import { ConfigError } from "#src/settings/problem.ts";
import type { ConfigProblem } from "#src/settings/problem.ts";

export interface LoadText {
  env?: NodeJS.ProcessEnv;
  /** Extension of the file. */
  as?: "yaml" | "json";
}

/** Loads a configuration from a file with this text in a fresh folder. */
export async function loadText(text: string, { env = {}, as = "yaml" }: LoadText = {}): Promise<Settings> {
  const cwd = await mkdtemp(join(tmpdir(), "settings-"));
  const file = `countersign.${as}`;
  await writeFile(join(cwd, file), text);
  return loadSettings({ file, env, cwd });
}

/** The error that a text is refused with; an accepted text is an error of the test. */
export async function refusal(text: string, options?: LoadText): Promise<ConfigError> {
  try {
    await loadText(text, options);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error(`expected a ConfigError, but this was accepted:\n${text}`);
}

/** What a text is refused for. */
export async function problemsOf(text: string, options?: LoadText): Promise<readonly ConfigProblem[]> {
  return (await refusal(text, options)).problems;
}

import { loadSettings, type Settings } from "../settings/load.ts";
import type { OptionValues } from "./command-line.ts";

/** The configuration that `--config` or the environment names. */
export function readSettings(options: OptionValues): Promise<Settings> {
  const file = typeof options.config === "string" ? { file: options.config } : {};
  return loadSettings({ ...file, env: process.env, cwd: process.cwd() });
}

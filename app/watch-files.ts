import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

import { messageOf } from "#src/base/errors.ts";
import type { Settings } from "#src/settings/load.ts";

/** An editor writes a file in several steps; what comes within this belongs together, in milliseconds. */
const QUIET_MS = 300;

/** Tells of changes of the configuration and of all that it reads, where it says so. */
export interface ConfigurationWatch {
  /** Looks at what these settings name from now on. */
  follow(settings: Settings): void;
  stop(): void;
}

export function createConfigurationWatch(
  onChange: () => void,
  log: { warn: (data: object, message: string) => void },
): ConfigurationWatch {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  }

  return {
    stop,
    follow(settings) {
      stop();
      if (!settings.reload.watch) return;
      for (const [folder, isMeant] of placesOf(settings)) {
        const failed = (error: unknown): void =>
          log.warn(
            { folder, error: messageOf(error) },
            "a folder cannot be watched: use SIGHUP after changes",
          );
        try {
          // Folders, as editors and deployments put another file in a file's place.
          const watcher = watch(folder, (_event, name) => {
            if (name === null || isMeant(name)) changed();
          });
          watchers.push(watcher.on("error", failed));
        } catch (error) {
          failed(error);
        }
      }
    },
  };
}

/** The folders, and which of their files count. */
function placesOf({ file, model, channels }: Settings): Map<string, (name: string) => boolean> {
  const places = new Map<string, (name: string) => boolean>();
  const prompts = [model.prompts, ...Object.values(channels).map((channel) => channel.prompts)];
  for (const folder of prompts)
    if (folder !== undefined) places.set(resolve(folder), (name) => name.endsWith(".txt"));
  // Mounted configurations are links that are turned to another folder: `..data` of Kubernetes.
  const own = basename(file);
  const inPrompts = places.get(dirname(file));
  places.set(dirname(file), (name) => name === own || name.startsWith("..") || inPrompts?.(name) === true);
  return places;
}

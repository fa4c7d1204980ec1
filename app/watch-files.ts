import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

import { messageOf } from "#src/base/errors.ts";
import type { Settings } from "#src/settings/load.ts";

/** An editor writes a file in several steps; what comes within this belongs together, in milliseconds. */
const QUIET_MS = 300;

/** The folders, and which of their files count. */
type Places = Map<string, (name: string) => boolean>;

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
  const watchers = new Map<string, FSWatcher>();
  let places: Places = new Map();
  let timer: NodeJS.Timeout | undefined;

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  }

  function open(folder: string): void {
    const failed = (error: unknown): void =>
      log.warn({ folder, error: messageOf(error) }, "a folder cannot be watched: use SIGHUP after changes");
    try {
      // Folders, as editors and deployments put another file in a file's place.
      const watcher = watch(folder, (_event, name) => {
        if (name === null || places.get(folder)?.(name) === true) changed();
      });
      watchers.set(folder, watcher.on("error", failed));
      // What was written between the reading and now.
      changed();
    } catch (error) {
      failed(error);
    }
  }

  return {
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
    follow(settings) {
      const none: Places = new Map();
      places = settings.reload.watch ? placesOf(settings) : none;
      for (const [folder, watcher] of watchers) {
        if (places.has(folder)) continue;
        watcher.close();
        watchers.delete(folder);
      }
      for (const folder of places.keys()) if (!watchers.has(folder)) open(folder);
    },
  };
}

function placesOf({ file, model, channels, people }: Settings): Places {
  const places: Places = new Map();
  function add(folder: string, isMeant: (name: string) => boolean): void {
    const before = places.get(folder);
    places.set(folder, (name) => before?.(name) === true || isMeant(name));
  }
  const prompts = [model.prompts, ...Object.values(channels).map((channel) => channel.prompts)];
  for (const folder of prompts)
    if (folder !== undefined) add(resolve(folder), (name) => name.endsWith(".txt"));
  // Mounted configurations are links that are turned to another folder: `..data` of Kubernetes.
  const named = "file" in people && people.file !== undefined ? [resolve(dirname(file), people.file)] : [];
  for (const path of [file, ...named])
    add(dirname(path), (name) => name === basename(path) || name.startsWith(".."));
  return places;
}

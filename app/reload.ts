import { isDeepStrictEqual } from "node:util";

import { messageOf } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import type { Settings } from "#src/settings/load.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

/** What is taken over while the product runs; whatever else changed needs a restart. */
const LIVE = new Set<string>([
  "model",
  "servers",
  "policy",
  "people",
  "approvals",
  "views",
  "tools",
  "commands",
  "channels",
  "language",
  "privacy",
  "limits",
  "examples",
  "reload",
] satisfies (keyof Settings)[]);

/** Of the environment and the command line, which a running process has once and for all. */
const GIVEN = new Set<string>(["file", "data_dir", "secret_key", "old_secret_keys"]);

/** What a configuration that was read anew comes to. */
export interface TakeOver {
  /** The new one, where that can be taken over; the rest as it was. */
  settings: Settings;
  /** Keys that are taken over. */
  changed: string[];
  /** Keys that were changed and cannot be, such as `http.port` and `servers.jira`. */
  needsRestart: string[];
}

export function takeOver(old: Settings, read: Settings): TakeOver {
  const next: Record<string, unknown> = { ...read };
  const changed: string[] = [];
  const needsRestart: string[] = [];
  for (const key of new Set([...Object.keys(old), ...Object.keys(read)])) {
    const [before, after] = [member(old, key), member(read, key)];
    if (GIVEN.has(key)) next[key] = before;
    else if (isDeepStrictEqual(before, after)) continue;
    else if (key === "servers") {
      const servers = takeServers(old.servers, read.servers);
      next[key] = servers.taken;
      needsRestart.push(...servers.kept.map((name) => `servers.${name}`));
      if (!isDeepStrictEqual(servers.taken, before)) changed.push(key);
    } else if (LIVE.has(key)) changed.push(key);
    else {
      next[key] = before;
      needsRestart.push(...pathsOf(key, before, after));
    }
  }
  return { settings: next as unknown as Settings, changed, needsRestart };
}

/**
 * A server that works with accounts of people stays as it is where what it says of them changed: their connections,
 * and whoever is connecting one, go by what was there at the start.
 */
function takeServers(
  old: readonly ServerSettings[],
  read: readonly ServerSettings[],
): { taken: ServerSettings[]; kept: string[] } {
  const kept: string[] = [];
  const isSame = (one: ServerSettings | undefined, other: ServerSettings | undefined): boolean =>
    isDeepStrictEqual(accountsOf(one), accountsOf(other));
  const taken = read.flatMap((server) => {
    const before = old.find(({ name }) => name === server.name);
    if (isSame(before, server)) return [server];
    kept.push(server.name);
    return before ?? [];
  });
  for (const server of old) {
    if (read.some(({ name }) => name === server.name) || isSame(server, undefined)) continue;
    kept.push(server.name);
    taken.push(server);
  }
  return { taken, kept };
}

function accountsOf(server: ServerSettings | undefined): unknown {
  const { oauth, credentials = {}, site_check: check } = server ?? {};
  return [oauth, credentials, check];
}

/** The keys that differ, at most two deep. */
function pathsOf(key: string, before: unknown, after: unknown): string[] {
  if (key.includes(".") || !isObject(before) || !isObject(after)) return [key];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    isDeepStrictEqual(before[name], after[name]) ? [] : pathsOf(`${key}.${name}`, before[name], after[name]),
  );
}

function member(settings: Settings, key: string): unknown {
  return (settings as unknown as Record<string, unknown>)[key];
}

/** Takes a changed configuration over, or refuses it. */
export interface Reload {
  /** Reads it anew. Whoever asks while another read is under way has it read once more. Never rejects. */
  reload(why: string): Promise<void>;
  /** What an operator should know: why the newest was refused, and what waits for a restart. */
  notices(): string[];
}

export interface ReloadOptions {
  /** As they are; what is taken over is written into it. */
  settings: Settings;
  /** Reads and checks the file; rejects with the reason. */
  read: () => Promise<Settings>;
  /**
   * Makes everything ready for others without changing anything; rejects where something is wrong. `commit` takes
   * them over, and tells what changed beside the file.
   */
  prepare: (next: Settings, changed: readonly string[]) => Promise<{ changed: string[]; commit: () => void }>;
  /** Told once it is taken over. */
  onTaken: (changed: readonly string[]) => void;
  log: {
    info: (data: object, message: string) => void;
    warn: (data: object, message: string) => void;
    error: (data: object, message: string) => void;
  };
}

export function createReload({ settings, read, prepare, onTaken, log }: ReloadOptions): Reload {
  let refused: string | undefined;
  let waiting: string[] = [];
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function once(why: string): Promise<void> {
    try {
      const taken = takeOver(settings, await read());
      const { changed: beside, commit } = await prepare(taken.settings, taken.changed);
      const changed = [...taken.changed, ...beside];
      commit();
      Object.assign(settings, taken.settings);
      refused = undefined;
      waiting = taken.needsRestart;
      if (waiting.length > 0)
        log.warn({ why, needs_restart: waiting }, `needs a restart: ${waiting.join(", ")}`);
      const what = changed.length === 0 ? "nothing changed" : `taken over: ${changed.join(", ")}`;
      log.info({ why, changed }, `configuration read again, ${what}`);
      if (changed.length > 0) onTaken(changed);
    } catch (error) {
      refused = messageOf(error);
      log.error({ why, error: refused }, "configuration refused, what was there before stays");
    }
  }

  return {
    reload(why) {
      next ??= last.then(() => {
        next = undefined;
        return once(why);
      });
      last = next;
      return next;
    },
    notices() {
      const restart = `The configuration was changed, and needs a restart for ${waiting.join(", ")}.`;
      return [
        ...(refused === undefined
          ? []
          : [`The configuration on disk was refused, and the one before stays: ${refused}`]),
        ...(waiting.length === 0 ? [] : [restart]),
      ];
    },
  };
}

import type { Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";

export interface ToolChange {
  tool: string;
  /** Digests of name, description and schemas. */
  before: string;
  after: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface ToolWatchOptions {
  tools: () => Tool[];
  /** The digest of each tool as it was last seen, kept across restarts. */
  known: {
    get(key: string): Promise<Record<string, string> | undefined>;
    set(key: string, digests: Record<string, string>): Promise<unknown>;
  };
  now: () => number;
  log: { warn(data: object, message: string): void };
  /** Told of every change, to record it. */
  onChange: (change: ToolChange) => Promise<void>;
}

/** Sees when a server describes a tool otherwise than it did: what was trusted may now say something else. */
export interface ToolWatch {
  /** Compares with what was last seen. Never rejects; looks that overlap come one after the other. */
  look(): Promise<void>;
  /** What changed since this process began, the newest last. */
  changes(): readonly ToolChange[];
}

const KEY = "all";
const REMEMBERED = 50;

export function createToolWatch(options: ToolWatchOptions): ToolWatch {
  const { known, log } = options;
  const changes: ToolChange[] = [];
  let digests: Record<string, string> | undefined;
  let looking = Promise.resolve();

  async function compare(): Promise<void> {
    digests ??= (await known.get(KEY)) ?? {};
    const next = { ...digests };
    let isNew = false;
    for (const tool of options.tools()) {
      const before = Object.hasOwn(digests, tool.id) ? digests[tool.id] : undefined;
      if (before === tool.digest) continue;
      next[tool.id] = tool.digest;
      isNew = true;
      if (before === undefined) continue;
      const change = { tool: tool.id, before, after: tool.digest, at: options.now() };
      changes.push(change);
      if (changes.length > REMEMBERED) changes.shift();
      log.warn(
        change,
        `the server of ${tool.id} describes it otherwise than before; approvals that wait for it are void`,
      );
      await options.onChange(change);
    }
    if (!isNew) return;
    digests = next;
    await known.set(KEY, next);
  }

  return {
    look() {
      looking = looking
        .then(compare)
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, "could not compare tools"));
      return looking;
    },
    changes: () => changes,
  };
}

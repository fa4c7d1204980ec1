import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { isFailure, messageOf, ToolFailure } from "#servers/kit/tool.ts";

import {
  type ArgumentsOf,
  type Call,
  type Ends,
  type MigrationEvent,
  rowOf,
  type Said,
  type ToolRow,
} from "./registry.ts";

/** What becomes of one thing, known before anything is changed. */
export type Step =
  | { is: "create" | "overwrite" | "duplicate"; as?: string; apply(): Promise<Done> }
  | { is: "skip"; reason: string }
  | { is: "fail"; reason: string };

interface Done {
  target_id?: string | null;
  /** What did not come along, such as a group that is not there. */
  warnings?: string[];
}

/** One thing that is to be migrated. */
export interface Item {
  name: string;
  source_id: string | null;
  /** Looks at both ends; changes nothing. */
  look(): Promise<Step>;
}

const entry = z.looseObject({ name: z.string(), source_id: z.string().nullable() });

const output = {
  dry_run: z.boolean(),
  succeeded: z.array(entry),
  skipped: z.array(entry.extend({ reason: z.string() })),
  failed: z.array(entry.extend({ reason: z.string() })),
  meta: z.looseObject({ kind: z.string(), source: z.string(), target: z.string(), total: z.number() }),
};

/** A tool that copies from one deployment to another. */
export function migration<Shape extends z.ZodRawShape>(
  said: Said<Shape> & {
    /** In the plural, such as `users`. */
    kind: string;
    items(args: ArgumentsOf<Shape>, ends: Ends): Promise<Item[]>;
  },
): ToolRow {
  return {
    ...rowOf(said, "write"),
    output,
    ends: "two",
    async run({ dry_run, ...args }, ends, call) {
      const { batch_size: size = 1, sleep_time: pause = 0 } = args as Partial<Record<string, number>>;
      const items = await said.items(args as ArgumentsOf<Shape>, ends);
      return migrate(items, ends, call, { kind: said.kind, isDryRun: dry_run === true, size, pause });
    },
  };
}

interface Options {
  /** In the plural, such as `users`. */
  kind: string;
  isDryRun: boolean;
  /** After so many there is a pause. */
  size: number;
  /** In seconds. */
  pause: number;
}

/**
 * Migrates one after the other. What is wrong with one never ends it; a cancelled call ends before the next one, and
 * what was done until then is told. A dry run names what would be created, overwritten, duplicated and skipped, and
 * says how far the last run came, whose answer may have been lost.
 */
async function migrate(
  items: readonly Item[],
  { source, target, record }: Ends,
  call: Call,
  { kind, isDryRun, size, pause }: Options,
): Promise<object> {
  const startedAt = Date.now();
  const total = items.length;
  const ends = { kind, source: source.name, target: target.name };
  const succeeded: object[] = [];
  const skipped: object[] = [];
  const failed: object[] = [];
  const planned: Record<string, string[]> = {};
  const counts = (): Record<string, number> => ({
    total,
    succeeded: succeeded.length,
    skipped: skipped.length,
    failed: failed.length,
  });
  const say = (type: MigrationEvent["type"], message: string): Promise<void> =>
    call.say({ type, step: `migrate_${kind}`, message, ...counts() });
  const what = isDryRun ? "Looking at" : "Migrating";
  await say("started", `${what} ${total} ${kind} from ${source.name} to ${target.name}`);

  const run = isDryRun ? undefined : record.begin(items.map(({ name }) => name));
  let tried = 0;
  for (const item of items) {
    if (call.signal.aborted) break;
    if (pause > 0 && tried > 0 && tried % size === 0 && !isDryRun)
      await sleep(pause * 1000, undefined, { signal: call.signal }).catch(() => {});
    if (call.signal.aborted) break;
    const about = { name: item.name, source_id: item.source_id };
    await call.progress(tried, total, `${what} ${item.name}`);
    try {
      const step = await item.look();
      if (step.is === "fail") throw new ToolFailure("cannot", step.reason);
      if (step.is === "skip") {
        skipped.push({ ...about, reason: step.reason });
        run?.note(["skipped"]);
        await say("progress", `Skipped ${item.name}: ${step.reason}`);
      } else if (isDryRun) {
        (planned[step.is] ??= []).push(step.as === undefined ? item.name : `${item.name} as ${step.as}`);
      } else {
        const { warnings = [], target_id: id = null } = await step.apply();
        const as = step.as === undefined ? {} : { as: step.as };
        succeeded.push({
          ...about,
          ...as,
          target_id: id,
          done: step.is,
          ...(warnings.length > 0 && { warnings }),
        });
        run?.note(["done"]);
        for (const warning of warnings) await say("warning", `${item.name}: ${warning}`);
        await say("progress", `Migrated ${item.name} (${step.is})`);
      }
    } catch (error) {
      if (isFailure(error, "unauthorized") && succeeded.length + skipped.length === 0) {
        run?.end("completed");
        throw error;
      }
      // What was being asked when the call was cancelled may have been done.
      const why = messageOf(error);
      const reason = call.signal.aborted ? `cancelled while it was migrated: ${why}` : why;
      failed.push({ ...about, reason });
      run?.note(["failed", reason]);
      await say("error", `Failed: ${item.name}: ${reason}`);
    }
    tried += 1;
  }
  const left = items.slice(tried).map(({ name }) => name);
  run?.end(left.length > 0 ? "cancelled" : "completed");
  const end = left.length > 0 ? `Stopped after ${tried} of ${total} ${kind}` : `${total} ${kind} done`;
  const told = `${end}: ${succeeded.length} migrated, ${skipped.length} skipped, ${failed.length} failed`;
  await call.progress(tried, total, told);
  await say("completed", told);
  const meta = {
    ...ends,
    ...counts(),
    cancelled: left.length > 0,
    ...(left.length > 0 && { not_tried: left }),
    ms: Date.now() - startedAt,
  };
  if (!isDryRun) return { dry_run: false, succeeded, skipped, failed, meta };
  const names = (some: readonly object[]): string[] =>
    some.map((one) => {
      const { name, reason } = one as { name: string; reason: string };
      return `${name} (${reason})`;
    });
  const after = {
    ...planned,
    ...(skipped.length > 0 && { skip: names(skipped) }),
    ...(failed.length > 0 && { fail: names(failed) }),
  };
  const last = record.last();
  const known = last === undefined ? meta : { ...meta, last_run: last };
  return { dry_run: true, before: null, after, succeeded, skipped, failed, meta: known };
}

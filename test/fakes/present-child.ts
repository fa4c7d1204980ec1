import { appendFileSync, existsSync, readFileSync } from "node:fs";

import type { MessagePort, TurnView } from "#contract/present.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import { createProcess } from "#test/present/stage.ts";

/**
 * A process that shows turns: `node present-child.ts FOLDER PLATFORM say|go-on`. PLATFORM is a file with
 * a line of JSON for every call that the platform took, so that it outlives the process. `say` accepts
 * one message and goes on until it is killed; `go-on` runs what is unfinished, shows it and ends.
 */
const [folder = "", file = "", task] = process.argv.slice(2);

/** A line of the platform's file. */
export interface PlatformLine {
  kind: "post" | "edit" | "find";
  ts?: string;
  turnId: string;
  phase?: string;
  reply?: string;
}

const isDone = Promise.withResolvers<void>();

function note(line: PlatformLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

function noted(): PlatformLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as PlatformLine);
}

function told({ turnId, phase, reply }: TurnView): Omit<PlatformLine, "kind"> {
  return { turnId, phase, ...(reply === undefined ? {} : { reply }) };
}

const port: MessagePort = {
  surface: "slack",
  statusDelayMs: () => 0,
  post(_, view) {
    const ts = `${noted().length + 1}`;
    note({ kind: "post", ts, ...told(view) });
    if (view.isSettled) isDone.resolve();
    return Promise.resolve({ ts });
  },
  edit(ref, view) {
    note({ kind: "edit", ts: ref.ts as string, ...told(view) });
    if (view.isSettled) isDone.resolve();
    return Promise.resolve();
  },
  find(_, turnId) {
    const ts = noted().find((line) => line.kind === "post" && line.turnId === turnId)?.ts;
    note({ kind: "find", turnId });
    return Promise.resolve(ts === undefined ? undefined : { ts });
  },
};

const store = await openEmbeddedStore(folder);
const clock = {
  get now(): number {
    return Date.now();
  },
};
const failPoint = createFailPoint(process.env);
const shower = createProcess(store, { clock, port, warnings: [], options: { failPoint } });
await shower.presenter.start();
if (task === "say") {
  await shower.say({ eventId: "E1" });
} else {
  for (const { turnId } of await shower.journal.unfinished()) await shower.answer(turnId, "Still here.");
  await isDone.promise;
  await shower.presenter.stop();
  await store.close();
}

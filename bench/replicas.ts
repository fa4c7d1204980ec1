import { readdir, readFile } from "node:fs/promises";

import { writeCounterConfig } from "#test/chaos/config.ts";
import { type ProductProcess, startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { round, type Row, timeAll } from "./table.ts";

const TURNS = 400;
const AT_ONCE = 32;
/** What a tool and a model would take, in milliseconds, without any computing of ours. */
const TOOL_MS = 250;

/**
 * The same turns over one, two and four replicas of one Postgres: what a turn costs the replicas and the database. On
 * a machine whose processors are all at work more replicas cannot do more; what counts there is what each adds.
 */
export async function benchReplicas(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1, 2, 4]) {
    const folder = await places.folder();
    const databaseUrl = await places.database();
    const replicas: ProductProcess[] = [];
    try {
      // The first makes the tables.
      for (let at = 0; at < count; at += 1) {
        const config = await writeCounterConfig({ folder, owner: `replica${at}`, databaseUrl });
        const replica = startProcess({ config, dataDir: await places.folder() });
        replicas.push(replica);
        if (!(await replica.ready)) throw new Error(replica.tail().join("\n"));
      }
      const urls = await Promise.all(replicas.map((replica) => replica.listening));
      const say = async (session: string): Promise<void> => {
        const response = await fetch(`${urls[Number(session.split("-")[1]) % count]}/agent/turn`, {
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/json" },
          body: JSON.stringify({
            session_id: session,
            message: `/counter read ${session} --delay_ms ${TOOL_MS}`,
          }),
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.body?.cancel();
      };
      const sessions = (name: string, many: number): string[] =>
        Array.from({ length: many }, (_, at) => `${name}-${at}`);
      await timeAll(sessions("warm", 64), AT_ONCE, say);
      const before = await used(replicas);
      const figures = await timeAll(sessions("turn", TURNS), AT_ONCE, say);
      const after = await used(replicas);
      rows.push({
        what: `${count} replica${count === 1 ? "" : "s"}, ${AT_ONCE} at once`,
        figures: {
          ...figures,
          "replicas: processor ms a turn": round((after.product - before.product) / TURNS),
          "Postgres: processor ms a turn": round((after.postgres - before.postgres) / TURNS),
        },
      });
    } finally {
      await Promise.all(replicas.map((replica) => replica.kill()));
    }
  }
  return rows;
}

/** Processor time so far, in milliseconds: of the replicas with their servers, and of the bench's Postgres. */
async function used(replicas: readonly ProductProcess[]): Promise<{ product: number; postgres: number }> {
  const processes = await running();
  const below = (pid: number): number =>
    (processes.get(pid)?.ms ?? 0) +
    [...processes].reduce((sum, [child, { parent }]) => sum + (parent === pid ? below(child) : 0), 0);
  const product = replicas.reduce((sum, { pid }) => sum + below(pid), 0);
  const own = [...processes].filter(([, one]) => one.parent === process.pid && one.name === "postgres");
  return { product, postgres: own.reduce((sum, [pid]) => sum + below(pid), 0) };
}

/** Every process of this machine with the time that it and its ended children have used (proc(5)). */
async function running(): Promise<Map<number, { parent: number; name: string; ms: number }>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = new Map<number, { parent: number; name: string; ms: number }>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    const fields = rest.split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    if (name !== "") found.set(Number(pid), { parent: Number(fields[1]), name, ms: ticks * 10 });
  }
  return found;
}

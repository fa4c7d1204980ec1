import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { writeCounterConfig } from "#test/chaos/config.ts";
import { type ProductProcess, startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { percentile, round, type Row } from "./table.ts";

const TURNS = 200;
/** `/proc` counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** What a turn costs when there are many conversations already, and within a long one. */
export async function benchGrowth(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, conversations, each] of [
    ["1 conversation", 1, 1],
    ["100 conversations", 100, 1],
    ["10,000 conversations", 10_000, 1],
    ["2,000 turns in one", 1, 2_000],
  ] as const) {
    const dataDir = await places.folder();
    const config = await writeCounterConfig({ folder: dataDir, owner: "bench", databaseUrl: "" });
    await withProduct({ config, dataDir }, (say) => say("s-0"));
    multiply(join(dataDir, "countersign.db"), { conversations, each });
    rows.push(
      await withProduct({ config, dataDir }, async (say, { pid }) => {
        for (let at = 0; at < 50; at += 1) await say("s-0");
        const before = await processorMs(pid);
        const ms: number[] = [];
        for (let at = 0; at < TURNS; at += 1) {
          const begun = performance.now();
          await say("s-0");
          ms.push(performance.now() - begun);
        }
        const processor = ((await processorMs(pid)) - before) / TURNS;
        return {
          what,
          figures: { "p50 ms": round(percentile(ms, 0.5)), "processor ms a turn": round(processor) },
        };
      }),
    );
  }
  return rows;
}

async function withProduct<Result>(
  options: { config: string; dataDir: string },
  work: (say: (session: string) => Promise<void>, product: ProductProcess) => Promise<Result>,
): Promise<Result> {
  const product = startProcess(options);
  try {
    const url = await product.listening;
    if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
    return await work(async (session) => {
      const response = await fetch(`${url}/agent/turn`, {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify({ session_id: session, message: "/counter instant one" }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.body?.cancel();
    }, product);
  } finally {
    await product.stop();
  }
}

/** Copies the one turn that is there, with all that belongs to it, into so many conversations of so many turns. */
function multiply(file: string, { conversations, each }: { conversations: number; each: number }): void {
  const db = new DatabaseSync(file);
  const copies = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${conversations * each - 1})`;
  if (conversations * each > 1) {
    db.exec("begin");
    for (const table of ["turns", "events", "steps", "calls"]) {
      const columns = db
        .prepare("select name from pragma_table_info(?)")
        .all(table)
        .map(({ name }) => String(name))
        .filter((name) => name !== "position");
      const copied = columns.map((name) => {
        if (name === "id" || name === "turn_id") return `one.${name} || '-' || n.i`;
        if (name === "conversation_id" && conversations > 1) return "one.conversation_id || '-' || n.i";
        return name === "event_key" ? "null" : `one.${name}`;
      });
      db.exec(
        `${copies} insert into ${table} (${columns.join(", ")}) select ${copied.join(", ")} from ${table} one, n`,
      );
    }
    db.exec("commit");
  }
  db.close();
}

export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * TICK_MS;
}

import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { type Row, timeAll } from "./table.ts";

const TURNS = 200;

/**
 * Whole turns over HTTP with a slash command on a tool that answers at once: what remains is the inbox,
 * the journal, the queue and the answer, each step committed.
 */
export async function benchTurn(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["embedded", "postgres"] as const) {
    const folder = await places.folder();
    const databaseUrl = kind === "postgres" ? await places.database() : "";
    const config = await writeCounterConfig({ folder, owner: "bench", databaseUrl });
    const product = startProcess({ config, dataDir: folder });
    try {
      const url = await product.listening;
      if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
      const say = async (session: string): Promise<void> => {
        const response = await fetch(`${url}/agent/turn`, {
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/json" },
          body: JSON.stringify({ session_id: session, message: `/counter instant ${session}` }),
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.body?.cancel();
      };
      for (let at = 0; at < 20; at += 1) await say(`warm-${at}`);
      for (const atOnce of [1, 16]) {
        const sessions = Array.from({ length: TURNS }, (_, at) => `s${atOnce}-${at}`);
        rows.push({ what: `${kind}, ${atOnce} at once`, figures: await timeAll(sessions, atOnce, say) });
      }
    } finally {
      await product.kill();
    }
  }
  return rows;
}

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { openEmbeddedStoreForReading } from "#src/store/open.ts";
import { ask, type Replica, submit, type WireTurn } from "#test/chaos/client.ts";
import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { round, type Row } from "./table.ts";

const UNFINISHED = 1_000;
const TAKEN_OVER = 24;
/** Messages that are sent at once. */
const WIDTH = 25;

const silentServer = fileURLToPath(new URL("../test/fakes/mcp-fault.ts", import.meta.url));

/** How soon the work of a killed process goes on: after a restart, and on another replica. */
export async function benchRecovery(places: Places): Promise<Row[]> {
  return [await restart(places), await takeover(places)];
}

/** A thousand messages are accepted and none is run when the process is killed; then it starts again. */
async function restart(places: Places): Promise<Row> {
  const folder = await places.folder();
  const config = await writeCounterConfig({ folder, owner: "bench" });
  // While a server does not answer, messages are accepted and wait.
  const waiting = join(folder, "waiting.json");
  const document = JSON.parse(await readFile(config, "utf8")) as { servers: object[] };
  const silent = { name: "silent", command: ["node", silentServer, "--silent"] };
  await writeFile(waiting, JSON.stringify({ ...document, servers: [...document.servers, silent] }));
  const first = startProcess({ config: waiting, dataDir: folder });
  const url = await first.listening;
  if (url === undefined) throw new Error(first.tail().join("\n"));
  let accepted = 0;
  await sendAll({ name: "first", process: first, url }, UNFINISHED, "instant", () => (accepted += 1));
  await first.kill();

  const begun = performance.now();
  const second = startProcess({ config, dataDir: folder });
  try {
    await second.ready;
    const readyMs = performance.now() - begun;
    const store = openEmbeddedStoreForReading(folder);
    const count = async (state: "begun" | "ended"): Promise<number> => {
      const states = state === "ended" ? ["queued", "running"] : ["queued"];
      const rows = await store.db.selectFrom("turns").select("id").where("state", "in", states).execute();
      return rows.length;
    };
    while ((await count("begun")) > 0) await pause(20);
    const resumedMs = performance.now() - begun;
    while ((await count("ended")) > 0) await pause(20);
    const endedMs = performance.now() - begun;
    await store.close();
    return {
      what: "embedded, restart",
      figures: {
        turns: accepted,
        "start to ready s": seconds(readyMs),
        "then all resumed s": seconds(resumedMs - readyMs),
        "then all ended s": seconds(endedMs - readyMs),
      },
    };
  } finally {
    await second.kill();
  }
}

/** Two replicas are in the middle of slow reads when one is killed. */
async function takeover(places: Places): Promise<Row> {
  const folder = await places.folder();
  const databaseUrl = await places.database();
  const replicas: Replica[] = [];
  try {
    for (const owner of ["a", "b"]) {
      const config = await writeCounterConfig({ folder, owner, databaseUrl });
      const process = startProcess({ config, dataDir: join(folder, owner) });
      const url = await process.listening;
      if (url === undefined) throw new Error(process.tail().join("\n"));
      replicas.push({ name: owner, process, url });
    }
    await Promise.all(replicas.map((replica) => replica.process.ready));
    const [victim, heir] = replicas;
    if (victim === undefined || heir === undefined) throw new Error("expected two replicas");
    const turns = await sendAll(heir, TAKEN_OVER, "read --delay_ms 2500", () => undefined);
    const begunBy = async (): Promise<string[]> =>
      (await readFile(join(folder, "begun.log"), "utf8").catch(() => "")).split("\n").slice(0, -1);
    while ((await begunBy()).length < TAKEN_OVER) await pause(20);
    const mine = (await begunBy()).filter((line) => line.endsWith(" a")).length;
    await victim.process.kill();
    const begun = performance.now();
    while ((await begunBy()).length < TAKEN_OVER + mine) await pause(50);
    const resumedMs = performance.now() - begun;
    for (const turnId of turns) {
      while ((await ask<WireTurn>(heir, "GET", `/agent/turns/${turnId}`))?.body.state !== "done")
        await pause(50);
    }
    return {
      what: "postgres, takeover",
      figures: {
        turns: mine,
        "then all resumed s": seconds(resumedMs),
        "then all ended s": seconds(performance.now() - begun),
      },
    };
  } finally {
    await Promise.all(replicas.map((replica) => replica.process.kill()));
  }
}

async function sendAll(
  replica: Replica,
  count: number,
  words: string,
  onAccepted: () => void,
): Promise<string[]> {
  const turns: string[] = [];
  const [tool = "", ...rest] = words.split(" ");
  for (let at = 0; at < count; at += WIDTH) {
    const batch = Array.from({ length: Math.min(WIDTH, count - at) }, (_, offset) => at + offset);
    await Promise.all(
      batch.map(async (number) => {
        const turnId = await submit(replica, {
          session: `s${number}`,
          eventId: `e${number}`,
          actor: "ana",
          text: ["/counter", tool, `r${number}`, ...rest].join(" "),
        });
        if (turnId === undefined) return;
        turns.push(turnId);
        onAccepted();
      }),
    );
  }
  return turns;
}

function seconds(ms: number): number {
  return round(ms / 100) / 10;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { openEmbeddedStoreForReading } from "#src/store/open.ts";
import { ask, type Replica, submit, type WireTurn } from "#test/chaos/client.ts";
import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { type Row, toSeconds } from "./table.ts";

const UNFINISHED = 1_000;
const TAKEN_OVER = 24;
/** Messages that are sent at once. */
const WIDTH = 25;
/** Shorter than the product waits for a silent server, in milliseconds. */
const ACCEPTING_MS = 7_000;

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
  let accepted = 0;
  while (accepted < UNFINISHED) {
    const product = startProcess({ config: waiting, dataDir: folder });
    try {
      const url = await product.listening;
      if (url === undefined) throw new Error(product.tail().join("\n"));
      const until = performance.now() + ACCEPTING_MS;
      while (accepted < UNFINISHED && performance.now() < until) {
        const count = Math.min(WIDTH, UNFINISHED - accepted);
        const replica = { name: "first", process: product, url };
        accepted += (await sendAll(replica, accepted, count, "instant")).length;
      }
    } finally {
      await product.kill();
    }
  }

  const begun = performance.now();
  let upMs = 0;
  let takenUpMs = 0;
  const second = startProcess({
    config,
    dataDir: folder,
    onLine({ msg }) {
      if (msg === "server is up") upMs = performance.now() - begun;
      if (msg === "unfinished turns taken up") takenUpMs = performance.now() - begun;
    },
  });
  try {
    await second.ready;
    const store = openEmbeddedStoreForReading(folder);
    const count = async (state: "begun" | "ended"): Promise<number> => {
      const states = state === "ended" ? ["queued", "running"] : ["queued"];
      const rows = await store.db.selectFrom("turns").select("id").where("state", "in", states).execute();
      return rows.length;
    };
    while ((await count("begun")) > 0) await pause(20);
    const begunMs = performance.now() - begun;
    while ((await count("ended")) > 0) await pause(20);
    const endedMs = performance.now() - begun;
    await store.close();
    return {
      what: "embedded, restart",
      figures: {
        turns: accepted,
        "servers up s": toSeconds(upMs),
        "then taken up s": toSeconds(takenUpMs - upMs),
        "then all begun s": toSeconds(begunMs - upMs),
        "then all ended s": toSeconds(endedMs - upMs),
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
    const turns = await sendAll(heir, 0, TAKEN_OVER, "read --delay_ms 2500");
    const begunBy = async (): Promise<string[]> =>
      (await readFile(join(folder, "begun.log"), "utf8").catch(() => "")).split("\n").slice(0, -1);
    while ((await begunBy()).length < TAKEN_OVER) await pause(20);
    const mine = (await begunBy()).filter((line) => line.endsWith(" a")).length;
    await victim.process.kill();
    const begun = performance.now();
    while ((await begunBy()).length < TAKEN_OVER + mine) await pause(50);
    const begunMs = performance.now() - begun;
    for (const turnId of turns) {
      while ((await ask<WireTurn>(heir, "GET", `/agent/turns/${turnId}`))?.body.state !== "done")
        await pause(50);
    }
    return {
      what: "postgres, takeover",
      figures: {
        turns: mine,
        "then all begun s": toSeconds(begunMs),
        "then all ended s": toSeconds(performance.now() - begun),
      },
    };
  } finally {
    await Promise.all(replicas.map((replica) => replica.process.kill()));
  }
}

/** Sends so many messages at once, each in a conversation of its own; resolves to their turns. */
async function sendAll(replica: Replica, from: number, count: number, words: string): Promise<string[]> {
  const [tool = "", ...rest] = words.split(" ");
  const turns = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      submit(replica, {
        session: `s${from + at}`,
        eventId: `e${from + at}`,
        actor: "ana",
        text: ["/counter", tool, `r${from + at}`, ...rest].join(" "),
      }),
    ),
  );
  return turns.filter((turnId) => turnId !== undefined);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

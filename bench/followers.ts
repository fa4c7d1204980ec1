import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import type { Row } from "./table.ts";

const server = fileURLToPath(import.meta.resolve("./followed-server.ts"));
const child = fileURLToPath(import.meta.resolve("./followers-child.ts"));

/** How often another request is made meanwhile. */
const PAUSE_MS = 10;

/**
 * Many event streams on one turn, held by a process of their own, and how long other requests take at worst:
 * while the streams are opened, and while the turn goes on and ends.
 */
export async function benchFollowers(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  const sizes = (process.env.FOLLOWERS ?? "1,300,1000,2000,5000").split(",").map(Number);
  for (const kind of ["embedded", "postgres"] as const) {
    for (const many of sizes)
      rows.push({ what: `${kind}, ${many} followers`, figures: await one(places, kind, many) });
  }
  return rows;
}

async function one(places: Places, kind: "embedded" | "postgres", many: number): Promise<Row["figures"]> {
  const folder = await places.folder();
  const config = join(folder, "countersign.json");
  const settings = {
    model: { provider: "builtin" },
    servers: [
      {
        name: "followed",
        command: ["node", server],
        env: { FOLLOWED_FOLDER: folder },
        use_persistent_session: true,
        trust_annotations: true,
        timeout_ms: 300_000,
      },
    ],
    commands: { followed: { server: "followed", subcommands: { work: "work" } } },
    store: { url: kind === "postgres" ? await places.database() : "" },
  };
  await writeFile(config, JSON.stringify(settings));
  const product = startProcess({ config, dataDir: folder });
  try {
    const url = await product.listening;
    if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
    const turn = await begin(url);
    const followers = spawn(process.execPath, [child, url, turn, String(many)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: followers.stdout })[Symbol.asyncIterator]();
    const opening = await worstUntil(url, lines.next());
    await writeFile(join(folder, "go"), "");
    const summary = lines.next();
    const going = await worstUntil(url, once(followers, "close"));
    const { ended, whole, events } = JSON.parse(String((await summary).value)) as Record<string, number>;
    if (ended !== many || whole !== many)
      throw new Error(
        `expected ${many} followers with all events, got ${ended} of which ${whole} have all ${events}`,
      );
    return {
      "worst while opening, ms": Math.round(opening.worst),
      "worst while going on, ms": Math.round(going.worst),
      "other requests": opening.asked + going.asked,
    };
  } finally {
    await product.kill();
  }
}

/** Starts the turn; resolves with its id once it runs. */
async function begin(url: string): Promise<string> {
  const response = await fetch(`${url}/agent/turn`, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ session_id: "followed", message: "/followed work" }),
  });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const [, id] = /"turn_id":"([^"]+)"[^\n]*it waits/.exec(text) ?? [];
    if (id !== undefined) return id;
  }
  throw new Error(`expected a turn that waits, got:\n${text}`);
}

/** Asks for something else again and again until then. */
async function worstUntil(url: string, end: Promise<unknown>): Promise<{ worst: number; asked: number }> {
  const over = new AbortController();
  void end.finally(() => over.abort());
  const found = { worst: 0, asked: 0 };
  while (!over.signal.aborted) {
    const begun = performance.now();
    const response = await fetch(`${url}/approvals?state=pending`);
    await response.arrayBuffer();
    found.worst = Math.max(found.worst, performance.now() - begun);
    found.asked += 1;
    await sleep(PAUSE_MS);
  }
  return found;
}

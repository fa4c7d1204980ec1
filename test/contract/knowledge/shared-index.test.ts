import { randomBytes } from "node:crypto";

import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { type Document, type Index, openIndex } from "#servers/knowledge/service/index-store.ts";
import { beginJob, recordJob, type Worker } from "#servers/knowledge/service/jobs.ts";
import { createService } from "#servers/knowledge/service/service.ts";
import { joinPostgres, type PostgresServer } from "#test/fakes/postgres.ts";

let cluster: PostgresServer | undefined;
let url = "";
beforeAll(async () => {
  cluster = await joinPostgres();
  url = await cluster.createDatabase();
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

async function open(): Promise<Index> {
  const index = await openIndex({ KNOWLEDGE_DATABASE_URL: url });
  onTestFinished(() => index.close());
  return index;
}

function documentOf(path: string, content: string, title = "Notes"): Document {
  const chunk = {
    type: "docs" as const,
    source_id: path,
    title,
    content,
    metadata: { at: path },
    facets: [],
  };
  return { path, hash: "1", chunks: [chunk], definitions: [], relations: [] };
}

async function sourceOf(index: Index, organisation: string): Promise<number> {
  const told = { organisation, key: "files:/srv", name: "srv", channels: [], origin: "command" as const };
  return (await index.write((tables) => tables.source(told))).id;
}

it("[knowledge.service] replicas make the tables once, and find what another of them wrote, nothing of it earlier", async () => {
  const [first, second] = await Promise.all([open(), open()]);
  const service = createService(second, undefined);
  const found = async (): Promise<number> =>
    (await service.query({ query: "walrus", org_id: "acme" })).total_results;
  expect(await found()).toBe(0);
  const source = await sourceOf(first, "acme");
  await first.write(async (tables) => {
    await tables.put(source, [documentOf("a.md", "About the walrus.")], 1);
    expect(await found()).toBe(0);
  });
  expect(await found()).toBe(1);
  const failed = first.write(async (tables) => {
    await tables.removeUnseen(source);
    throw new Error("the process had a mishap");
  });
  await expect(failed).rejects.toThrow("the process had a mishap");
  expect(await createService(first, undefined).query({ query: "walrus", org_id: "acme" })).toMatchObject({
    total_results: 1,
  });
});

it("[knowledge.ingest] one of several replicas has a job, and one that lost it writes nothing more", async () => {
  const [first, second] = await Promise.all([open(), open()]);
  const workers = ["one", "two"].map((id): Worker => ({ id, host: `machine-${id}`, pid: 1 }));
  const asked = { organisation: "acme", source: "git:/srv/shop", definition: {}, mode: "full" as const };
  const begun = await Promise.allSettled([
    beginJob(first, asked, workers[0]),
    beginJob(second, asked, workers[1]),
  ]);
  expect(begun.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const [mine] = begun.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (mine === undefined) throw new Error("expected a job");
  const [winner, loser] = begun[0]?.status === "fulfilled" ? workers : workers.toReversed();
  await first.run("UPDATE jobs SET beat_at = 0");
  expect((await beginJob(second, asked, loser)).id).toBe(mine.id);
  const source = await sourceOf(first, "beta");
  const late = first.write(async (tables) => {
    await tables.put(source, [documentOf("late.md", "Too late.")], mine.id);
    await recordJob(tables, mine, winner);
  });
  await expect(late).rejects.toThrow("was taken over");
  expect(await first.all("SELECT id FROM documents WHERE source = ?", source)).toEqual([]);
});

it("[knowledge.ingest] whatever a text holds is stored and found", async () => {
  const index = await open();
  const source = await sourceOf(index, "texts");
  const long = Array.from({ length: 60_000 }, () => randomBytes(8).toString("hex")).join(" ");
  const texts = {
    "nul.md": "before\0after zebra",
    "half.md": "half of a pair \ud83d zebra",
    "long.md": `zebra ${long}`,
    "signs.md": "' \\ : & | ! <-> zebra's ?",
    "word.md": `zebra ${"ﷺ".repeat(500)} ${"a".repeat(5_000)}`,
    "ünïcode-ﬁ.md": "Ärger mit dem Zebra",
  };
  await index.write((tables) =>
    tables.put(
      source,
      Object.entries(texts).map(([path, text]) => documentOf(path, text)),
      1,
    ),
  );
  const service = createService(index, undefined);
  const paths = async (query: string): Promise<string[]> =>
    (await service.query({ query, org_id: "texts", top_k: 50 })).results
      .map((hit) => hit.source_id)
      .toSorted();
  expect(await paths("zebra")).toEqual(Object.keys(texts).toSorted());
  expect(await paths("ärger")).toEqual(["ünïcode-ﬁ.md"]);
  expect(await paths("' | zebra:* & (")).toHaveLength(6);
});

it("[knowledge.search] of many vectors the nearest are found, by their signs first and then exactly", async () => {
  const index = await open();
  const source = await sourceOf(index, "vectors");
  // Two clouds of directions; the wanted ones stand in a row by how near they are.
  const vectorOf = (at: number): Float32Array =>
    Float32Array.from(
      { length: 64 },
      (_, i) => Math.sin(i + 1) + (at < 20 ? at / 40 : 3) * Math.cos(7 * i + at),
    );
  const count = 1_500;
  await index.write(async (tables) => {
    await tables.put(
      source,
      Array.from({ length: count }, (_, at) => documentOf(`${at}.md`, `Number ${at}`)),
      1,
    );
    const { chunks, total } = await tables.withoutVectors(source, "sines", count);
    expect(total).toBe(count);
    await tables.putVectors(
      source,
      "sines",
      chunks.map(({ id, content }) => ({ chunk: id, vector: vectorOf(Number(content.slice(7))) })),
    );
  });
  const narrowed = { sources: [source], types: ["docs" as const], facets: [] };
  const near = await index.byMeaning({ model: "sines", values: vectorOf(0) }, narrowed, 10);
  const rows = await index.all<{ id: number; source_id: string }>(
    `SELECT id, source_id FROM chunks WHERE id IN (${near.join(",")})`,
  );
  const names = new Map(rows.map(({ id, source_id: path }) => [id, path]));
  expect(near.map((id) => names.get(id))).toEqual(Array.from({ length: 10 }, (_, at) => `${at}.md`));
  // Another model's vectors say nothing of these.
  expect(await index.byMeaning({ model: "other", values: vectorOf(0) }, narrowed, 10)).toEqual([]);
  expect(await index.byMeaning({ model: "sines", values: Float32Array.of(1) }, narrowed, 10)).toEqual([]);
});

it("[knowledge.service] a database that is not there, or goes away, is told without its password", async () => {
  const nowhere = openIndex({ KNOWLEDGE_DATABASE_URL: "postgres://ana:geheim42@127.0.0.1:1/none" });
  await expect(nowhere).rejects.toThrow(/^the index in Postgres .* ECONNREFUSED/);
  await expect(nowhere).rejects.not.toThrow("geheim42");
  const index = await open();
  const source = await sourceOf(index, "gone");
  const cut = index.write(async (tables) => {
    const [own] = await tables.all<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const other = new pg.Client(url);
    await other.connect();
    await other.query("SELECT pg_terminate_backend($1)", [own?.pid]);
    await other.end();
    await tables.put(source, [documentOf("a.md", "Never there.")], 1);
  });
  await expect(cut).rejects.toThrow("the index in Postgres (knowledge.store_url) cannot be used");
  // Through another connection it goes on.
  expect(await index.all("SELECT id FROM documents WHERE source = ?", source)).toEqual([]);
  await index.write((tables) => tables.put(source, [documentOf("a.md", "There now.")], 1));
  expect(await index.all("SELECT id FROM documents WHERE source = ?", source)).toHaveLength(1);
});

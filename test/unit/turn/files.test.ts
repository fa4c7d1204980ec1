import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { createFiles } from "#src/turn/files.ts";

let folder: string;
let store: Store;
let now = 1_800_000_000_000;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "files-"));
  store = await openEmbeddedStore(folder);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function file(name: string, bytes: number) {
  return { name, mediaType: "image/png", bytes, data: Buffer.alloc(bytes, 7).toString("base64") };
}

it("keeps files apart from the record of the call, up to 32 MB, and forgets them after 30 days", async () => {
  const files = createFiles({ db: store.db, now: () => now, log: { warn() {} } });
  const kept = await files.keep("turn_1", "a.b", [file("small.png", 10), file("huge.png", 33 * 1024 * 1024)]);
  expect(kept).toEqual([
    { name: "small.png", mediaType: "image/png", bytes: 10, id: expect.stringMatching(/^file_/) },
    { name: "huge.png", mediaType: "image/png", bytes: 33 * 1024 * 1024 },
  ]);
  const id = kept[0]?.id ?? "";
  const stored = await files.get(id);
  expect(stored).toMatchObject({ turnId: "turn_1", name: "small.png", bytes: 10 });
  expect(Buffer.from(stored?.data ?? [])).toEqual(Buffer.alloc(10, 7));

  now += 31 * 24 * 3_600_000;
  await files.keep("turn_2", "a.b", []);
  expect(await files.get(id)).toBeUndefined();
});

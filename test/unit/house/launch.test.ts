import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { bundleOf } from "../../../launch.js";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "launch-"));
  await mkdir(join(root, "dist/a"), { recursive: true });
  await writeFile(join(root, "dist/a/jira.js"), "");
  await writeFile(join(root, "source.ts"), "one");
  const { size, mtimeMs } = await stat(join(root, "source.ts"));
  const bundle = { folder: "a", sources: { "source.ts": [size, mtimeMs] } };
  await writeFile(join(root, "dist/current.json"), JSON.stringify(bundle));
});

afterEach(() => rm(root, { recursive: true, force: true }));

it("runs the bundle of the sources that are there", () => {
  expect(bundleOf(root, "jira")).toBe(join(root, "dist/a/jira.js"));
});

it.each([
  ["a source that was written anew, of the same size", () => utimes(join(root, "source.ts"), 1, 1)],
  ["a source of another size", () => writeFile(join(root, "source.ts"), "longer")],
  ["a bundle from before there was the program", () => rm(join(root, "dist/a/jira.js"))],
  ["a source that is gone", () => rm(join(root, "source.ts"))],
  ["no bundle", () => rm(join(root, "dist"), { recursive: true })],
  ["a bundle that was not written to its end", () => writeFile(join(root, "dist/current.json"), '{"fol')],
])("runs the sources beside %s", async (_what, change) => {
  await change();
  expect(bundleOf(root, "jira")).toBeUndefined();
});

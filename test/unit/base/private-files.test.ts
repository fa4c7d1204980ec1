import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { makePrivateFile } from "#src/base/private-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "private-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("narrows a file that others can read, also behind a link, and says so once", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o644);
  const link = join(folder, "link");
  symlinkSync(file, link);
  const told: string[] = [];
  makePrivateFile(link, (words) => told.push(words));
  makePrivateFile(link, (words) => told.push(words));
  expect(modeOf(file)).toBe(0o600);
  expect(told).toEqual([`others could read ${link} until now; it is for its owner alone again`]);
});

it("leaves what is no file as it is: a log or a history may lead to /dev/null", async () => {
  const pipe = join(folder, "pipe");
  const server = createServer().listen(pipe);
  await once(server, "listening");
  chmodSync(pipe, 0o666);
  const link = join(folder, "history");
  symlinkSync(pipe, link);
  const told: string[] = [];
  makePrivateFile(link, (words) => told.push(words));
  expect(modeOf(pipe)).toBe(0o666);
  expect(told).toEqual([]);
  server.close();
});

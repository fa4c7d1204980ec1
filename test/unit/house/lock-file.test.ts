import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { missingEntries } from "../../../scripts/complete-lock.ts";
import type { LockEntry } from "../../../scripts/complete-lock.ts";
import { root } from "./lint.ts";

const text = await readFile(join(root, "package-lock.json"), "utf8");

it("names no registry", () => {
  expect(text).not.toContain('"resolved"');
});

it("lists the optional packages of every platform, or else `npm ci` refuses it (npm run lock)", () => {
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  expect([...missingEntries(packages).keys()]).toEqual([]);
});

it("finds what is missing, and where it would run", () => {
  const packages = {
    "": {},
    "node_modules/tool": {
      version: "1.0.0",
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64-musl": "1.0.0",
        "tool-windows-arm64": "1.0.0",
        "tool-wasm": "1.0.0",
        "tool-loose": "^1.0.0",
        "tool-here": "1.0.0",
      },
    },
    "node_modules/tool/node_modules/tool-here": { version: "1.0.0" },
  };
  expect(Object.fromEntries(missingEntries(packages))).toEqual({
    "node_modules/@tool/linux-x64-musl": {
      version: "1.0.0",
      dev: true,
      optional: true,
      os: ["linux"],
      cpu: ["x64"],
      libc: ["musl"],
    },
    "node_modules/tool-windows-arm64": {
      version: "1.0.0",
      dev: true,
      optional: true,
      os: ["win32"],
      cpu: ["arm64"],
    },
    "node_modules/tool-wasm": { version: "1.0.0", dev: true, optional: true },
  });
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { changesOf, isFree, licencesPage, licensed, openFaults } from "../../../scripts/supply.ts";
import { VERSION } from "#servers/kit/tool.ts";

import { root } from "./lint.ts";

const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
const packages = licensed(JSON.parse(await read("package-lock.json")));

it("every package at run time has a licence that asks for no more than to be named", () => {
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(({ licence }) => !isFree(licence))).toEqual([]);
});

it.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-or-later)", true],
  ["MIT AND AGPL-3.0-only", false],
  ["", false],
  ["SEE LICENSE IN LICENSE", false],
])("of the licence %j it says %j", (licence, free) => {
  expect(isFree(licence)).toBe(free);
});

it("docs/licences.md is what `npm run licences` writes", async () => {
  expect(await read("docs/licences.md")).toBe(licencesPage(packages));
});

it("tells the faults of packages that nobody has given a reason for, and those whose reason is over", () => {
  const via = (id: string, severity: string): object => ({
    title: `Fault ${id}`,
    url: `https://advisories.example/${id}`,
    severity,
  });
  const report = {
    vulnerabilities: {
      one: {
        severity: "high",
        via: [via("GHSA-1", "high"), via("GHSA-2", "low"), via("GHSA-3", "critical")],
      },
      two: { severity: "high", via: ["one"] },
    },
  };
  const reason = "the product does not call it";
  const exceptions = { "GHSA-1": { reason, until: "2026-12-01" }, "GHSA-3": { reason, until: "2026-01-01" } };
  expect(openFaults(report, exceptions, "2026-11-23")).toEqual([
    "one: Fault GHSA-3 (https://advisories.example/GHSA-3)",
  ]);
  expect(() => openFaults({ error: {} }, {}, "2026-11-23")).toThrow("expected a report of npm audit");
  expect(() => openFaults(report, { "GHSA-1": { until: "2026-12-01" } }, "2026-11-23")).toThrow("reason");
});

it("has one version: of the package, the bundled servers, the changelog and the example of Kubernetes", async () => {
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  expect(VERSION).toBe(version);
  expect(changesOf(await read("CHANGELOG.md"), version)).not.toBe("");
  expect(await read("docs/kubernetes.yaml")).toContain(`image: countersign:${version}\n`);
});

it("finds one version's part of the changelog", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\nnext\n\n## 0.2.0 - 2026-11-23\n\n- this\n\n## 0.1.0\n\nfirst\n";
  expect(changesOf(changelog, "0.2.0")).toBe("- this");
  expect(changesOf(changelog, "0.1.0")).toBe("first");
  expect(() => changesOf(changelog, "0.3.0")).toThrow('expected a heading "## 0.3.0"');
});

/**
 * What the product is made of: `npm run licences` writes docs/licences.md, `npm run audit` fails for a known fault of a
 * package that scripts/audit-exceptions.yaml gives no reason for, `npm run release` prints the notes of a release.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { parse } from "yaml";
import { z } from "zod";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);

/** Licences that ask for no more than to be named, or for the source, or another name, of what was changed. */
export const FREE: ReadonlySet<string> = new Set(
  "0BSD Apache-2.0 Bitstream-Vera BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 MPL-2.0 Python-2.0 Unlicense Zlib".split(
    " ",
  ),
);

/** What packages write that is none of the names of https://spdx.org/licenses. */
const MEANT: Readonly<Record<string, string>> = {
  "Apache License": "Apache-2.0",
  "MIT OR Apache": "MIT OR Apache-2.0",
};

/** Packages that name a file: what it says. */
const READ: Readonly<Record<string, string>> = { "dejavu-fonts-ttf": "Bitstream-Vera" };

const LOCK = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), dev: z.boolean().optional() }),
  ),
});

export interface Licensed {
  name: string;
  version: string;
  licence: string;
}

/** The packages that come with `npm ci --omit=dev`, by name, as the lock file has them. */
export function licensed(lock: unknown): Licensed[] {
  return Object.entries(LOCK.parse(lock).packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .map(([path, { version = "", license = "" }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return { name, version, licence: READ[name] ?? MEANT[license] ?? license };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether one of the licences that a package offers is free. */
export function isFree(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((offer) => offer.split(" AND ").every((one) => FREE.has(one)));
}

export function licencesPage(packages: readonly Licensed[]): string {
  const kinds = Map.groupBy(packages, ({ licence }) => licence);
  const sections = [...kinds]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([licence, those]) => {
      const names = [...new Set(those.map(({ name, version }) => `\`${name}\` ${version}`))];
      return `## ${licence === "" ? "Not named" : licence} (${names.length})\n\n${names.join(", ")}\n`;
    });
  return [
    "# Licences\n",
    "Countersign is under the [MIT licence](../LICENSE). These packages come with `npm ci --omit=dev`, under the licences that they name; `npm run licences` makes this page of package-lock.json, and a test fails for a licence that asks for more than to be named. `npm sbom --omit=dev --sbom-format=cyclonedx` lists them for machines.\n",
    ...sections,
  ].join("\n");
}

const REPORT = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), via: z.array(z.unknown()), range: z.string().optional() }),
  ),
});
const VIA = z.object({ url: z.string(), title: z.string(), severity: z.string() });
const EXCEPTIONS = z.record(z.string(), z.strictObject({ reason: z.string().min(10), until: z.iso.date() }));

/**
 * The faults of high or critical severity that no exception covers today: "NAME: title (url)". Throws with what was
 * answered when it is no report of `npm audit --json`.
 */
export function openFaults(report: unknown, exceptions: unknown, today: string): string[] {
  const excepted = EXCEPTIONS.parse(exceptions ?? {});
  const read = REPORT.safeParse(report);
  if (!read.success)
    throw new Error(
      `expected a report of npm audit, got ${JSON.stringify(report)
        .replaceAll(/https?:[^"\s]+/g, "…")
        .slice(0, 200)}`,
    );
  return Object.entries(read.data.vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((cause) => {
      const fault = VIA.safeParse(cause);
      if (!fault.success || !["high", "critical"].includes(fault.data.severity)) return [];
      const { url, title } = fault.data;
      const exception = excepted[url.slice(url.lastIndexOf("/") + 1)];
      return exception !== undefined && exception.until >= today ? [] : [`${name}: ${title} (${url})`];
    }),
  );
}

/** One version's part of the changelog. */
export function changesOf(changelog: string, version: string): string {
  const start = changelog.indexOf(`\n## ${version}`);
  if (start === -1) throw new Error(`expected a heading "## ${version}" in CHANGELOG.md, found none`);
  const end = changelog.indexOf("\n## ", start + 1);
  return changelog.slice(changelog.indexOf("\n", start + 1), end === -1 ? undefined : end).trim();
}

async function audit(): Promise<number> {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { encoding: "utf8" });
  const exceptions: unknown = parse(await readFile(at("scripts/audit-exceptions.yaml"), "utf8"));
  let faults: string[];
  try {
    faults = openFaults(JSON.parse(stdout), exceptions, new Date().toISOString().slice(0, 10));
  } catch (error) {
    // A registry that answers no such question is no fault of the packages.
    console.error(`The packages were not audited: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  for (const fault of faults) console.error(fault);
  return faults.length === 0 ? 0 : 1;
}

/** The changes of this version, and where what is released comes from. */
async function release(): Promise<string> {
  const { version } = JSON.parse(await readFile(at("package.json"), "utf8")) as { version: string };
  const digest = async (path: string): Promise<string> =>
    createHash("sha256")
      .update(await readFile(at(path)))
      .digest("hex");
  const git = (...args: string[]): string =>
    execFileSync("git", args, { encoding: "utf8", cwd: at("") }).trim();
  if (git("status", "--porcelain") !== "")
    throw new Error("expected a clean checkout: commit or leave out the changes first");
  return `${changesOf(await readFile(at("CHANGELOG.md"), "utf8"), version)}

## Provenance

- version ${version}, commit ${git("rev-parse", "HEAD")} of ${git("log", "-1", "--format=%cI")}
- built by \`npm ci\` with Node ${process.version}; package-lock.json has SHA-256 ${await digest("package-lock.json")}
- packages and licences: docs/licences.md, SHA-256 ${await digest("docs/licences.md")}
`;
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  if (positionals[0] === "licences") {
    const lock: unknown = JSON.parse(await readFile(at("package-lock.json"), "utf8"));
    await writeFile(at("docs/licences.md"), licencesPage(licensed(lock)));
  } else if (positionals[0] === "audit") process.exitCode = await audit();
  else if (positionals[0] === "release") console.log(await release());
  else throw new Error(`expected licences, audit or release, got ${positionals[0] ?? "nothing"}`);
}

/**
 * Gathers what the product runs of, without an install and without what reads TypeScript but for a few workers:
 * `node scripts/runtime.ts FOLDER`. The container image is made of it.
 */
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Bundle, bundleOf } from "../launch.js";
import { GRAMMARS } from "../servers/knowledge/ingest/code-language.ts";
import { build } from "./build.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Programs, texts that people are shown, and the sources: workers run of them, and the demo searches them. */
const PARTS =
  "countersign.js serve.js launch.js package.json manifest.yml LICENSE README.md ARCHITECTURE.md SECURITY.md CHANGELOG.md adapters app config docs prompts servers src views".split(
    " ",
  );

/** What the bundle does not hold: loaded when it is first needed, in a worker, or not JavaScript. */
const PACKAGES = [
  "@joplin/turndown-plugin-gfm",
  "@resvg/resvg-js",
  "@vscode/tree-sitter-wasm",
  "chrono-node",
  "dejavu-fonts-ttf",
  "domhandler",
  "echarts",
  "htmlparser2",
  "sqlite-vec",
  "string-width",
  "turndown",
  "unpdf",
];

/** Writes the folder; a start there takes the bundle, however old its files seem. */
export async function gatherRuntime(to: string): Promise<void> {
  await build();
  const { folder } = JSON.parse(await readFile(join(root, "dist/current.json"), "utf8")) as Bundle;
  if (bundleOf(root, "countersign") === undefined) throw new Error("expected a bundle in dist, found none");
  await mkdir(join(to, "dist"), { recursive: true });
  await cp(join(root, "dist", folder), join(to, "dist", folder), { recursive: true });
  await writeFile(join(to, "dist/current.json"), JSON.stringify({ folder, sources: {} } satisfies Bundle));
  for (const part of PARTS)
    await cp(join(root, part), join(to, part), { recursive: true, filter: isNoPicture });
  const found = new Map<string, string>();
  for (const name of PACKAGES) await findPackage(name, root, found);
  for (const [path, from] of found) await cp(from, join(to, path), { recursive: true, filter: isUsed });
}

function isNoPicture(path: string): boolean {
  return !/docs\/.*\.(?:png|jpg|svg|html)$/.test(path);
}

/** Of packages that hold far more than what is loaded, what is, by path within them. */
const PARTLY: Readonly<Record<string, RegExp>> = {
  "@vscode/tree-sitter-wasm": new RegExp(
    String.raw`^(?:package\.json|wasm(?:/tree-sitter\.(?:js|wasm))?|wasm/tree-sitter-(?:${Object.values(
      GRAMMARS,
    )
      .map(({ wasm }) => wasm)
      .join("|")})\.wasm)$`,
  ),
  "dejavu-fonts-ttf": /^(?:package\.json|LICENSE|ttf|ttf\/DejaVuSans\.ttf)$/,
  echarts: /^(?:package\.json|LICENSE|NOTICE|dist|dist\/echarts\.esm\.min\.m?js)$/,
  // Its code is in that file of echarts.
  zrender: /^package\.json$/,
};

/** Without sources and tests of packages, and what describes them. */
function isUsed(path: string): boolean {
  const [, name = "", within = ""] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(path) ?? [];
  if (within === "") return true;
  const part = PARTLY[name];
  return part?.test(within) ?? !/\.(?:map|ts|md|markdown)$|\/(?:chrono-node\/src|test)$/.test(path);
}

/** A package and all that it needs, by path from the root, as they are installed. */
async function findPackage(name: string, from: string, found: Map<string, string>): Promise<void> {
  const folder = await installed(name, from);
  if (folder === undefined || found.has(folder.slice(root.length))) return;
  found.set(folder.slice(root.length), folder);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  ) as { dependencies?: object; optionalDependencies?: object };
  for (const one of Object.keys({ ...dependencies, ...optionalDependencies }))
    await findPackage(one, folder, found);
}

/** Where a package stands that another one needs; undefined for an optional one of another machine. */
async function installed(name: string, from: string): Promise<string | undefined> {
  const folder = join(from, "node_modules", name);
  const isThere = await stat(join(folder, "package.json")).catch(() => undefined);
  if (isThere) return folder;
  return from.length <= root.length ? undefined : await installed(name, dirname(from));
}

if (import.meta.main) {
  const [to] = process.argv.slice(2);
  if (to === undefined) throw new Error("expected: node scripts/runtime.ts FOLDER");
  if ((await readdir(to).catch(() => [])).length > 0) throw new Error(`expected ${to} to be empty or new`);
  await gatherRuntime(to);
}

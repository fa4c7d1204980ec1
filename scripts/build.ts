/**
 * Bundles the product and its servers into `dist`, which `launch.js` runs as long as the sources are those it
 * was made of. Each build has a folder of its own, so that a running product still finds what it
 * loads late. `--if-possible`: where the bundler is not installed, the sources run as they are.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { Plugin } from "rolldown";

import { type Bundle, bundleOf } from "../launch.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const PROGRAMS = {
  countersign: "app/main.ts",
  jira: "servers/jira/run.ts",
  confluence: "servers/confluence/run.ts",
  sisense: "servers/sisense/run.ts",
  sql: "servers/sql/run.ts",
  web: "servers/web/run.ts",
  knowledge: "servers/knowledge/run.ts",
  "knowledge-service": "servers/knowledge/service/run.ts",
  ensembles: "servers/ensembles/run.ts",
};

/** Builds, unless what is there is of these sources. */
export async function build(): Promise<void> {
  if (bundleOf(root, "countersign") !== undefined) return;
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: root,
    input: PROGRAMS,
    platform: "node",
    plugins: [places, oneByte],
    onLog(level, log, defaultHandler) {
      // Optional parts of libraries, which they look for themselves, and an eval of theirs.
      if (log.code === "UNRESOLVED_IMPORT" || log.code === "EVAL") return;
      defaultHandler(level, log);
    },
  });
  const folder = `${Date.now().toString(36)}-${process.pid}`;
  await bundle.write({
    dir: join(root, "dist", folder),
    format: "esm",
    // The engine keeps the text of what it runs. Names stay, for stack traces.
    minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
  });
  const sources = await describeSources(await bundle.watchFiles);
  await bundle.close();
  const next = join(root, "dist", `next-${process.pid}.json`);
  await writeFile(next, JSON.stringify({ folder, sources } satisfies Bundle));
  await rename(next, join(root, "dist/current.json"));
  await removeOld(folder);
}

/** Files beside a source are found where the source is, and not beside the bundle. */
const places: Plugin = {
  name: "places",
  transform(code, id) {
    if (id.includes("node_modules") || !code.includes("import.meta.")) return undefined;
    const from = (path: string): string => JSON.stringify(`../../${relative(root, path)}`);
    return [
      'import { fileURLToPath as pathOfUrl } from "node:url";',
      code
        .replaceAll("import.meta.url", `new URL(${from(id)}, import.meta.url).href`)
        .replaceAll("import.meta.dirname", `pathOfUrl(new URL(${from(dirname(id))}, import.meta.url))`),
    ].join("\n");
  },
};

/** Where an escape would be another text: behind a backslash, and in raw templates. */
const WRITTEN_OUT = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/;

/** One character beyond Latin-1 has the engine keep a file's whole text in two bytes a character. */
const oneByte: Plugin = {
  name: "one-byte",
  generateBundle(_options, chunks) {
    for (const chunk of Object.values(chunks)) {
      if (chunk.type !== "chunk" || WRITTEN_OUT.test(chunk.code)) continue;
      chunk.code = chunk.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
  },
};

/** The project's own files, and the list of the versions of everything else. */
async function describeSources(files: string[]): Promise<Bundle["sources"]> {
  const own = files.filter((path) => path.startsWith(root) && !path.includes("node_modules"));
  const paths = [
    ...own.map((path) => relative(root, path)),
    "launch.js",
    "scripts/build.ts",
    "package.json",
    "package-lock.json",
  ];
  const described = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(join(root, path));
    return [path, [size, mtimeMs]] as const;
  });
  return Object.fromEntries(await Promise.all(described)) as Bundle["sources"];
}

/** The build before this one stays: a product of it may run. */
async function removeOld(current: string): Promise<void> {
  const folders = (await readdir(join(root, "dist"), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name !== current)
    .map(({ name }) => name)
    .toSorted();
  for (const name of folders.slice(0, -1))
    await rm(join(root, "dist", name), { recursive: true, force: true });
}

if (import.meta.main) {
  await mkdir(join(root, "dist"), { recursive: true });
  try {
    await build();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !process.argv.includes("--if-possible")) throw error;
    console.log("The bundler is not installed: the sources run as they are.");
  }
}

// In JavaScript, as loading what reads TypeScript takes an eighth of the start that this file is there to save.
import { readFileSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a start has left behind is given back so long after it began, in milliseconds. */
const SETTLED_MS = 3_000;

/**
 * By how much what is in use may grow before it is collected. The engine's own choice is up to four times, as old
 * values are rare in most programs; of a turn many live for as long as it does, and are garbage when it ends.
 */
const GROWING_PERCENT = 30;

/**
 * How often a pattern is interpreted before it is compiled a second time, to machine code. A first message meets over a
 * thousand patterns, most of them once or twice: half of what reading it took was compiling them twice. A text of more
 * than a thousand characters has its pattern compiled at once.
 */
const INTERPRETED_TIMES = 50;

/**
 * Runs a program: its bundle, which starts in half the time and takes a quarter less memory, or its sources
 * where they have changed since and where there is no bundle.
 */
export async function launch(program, sources) {
  // Most of a start is compiling, and a server may be started for every call: what one process compiled, the
  // next one reads. Imports are compiled first, so the program itself is imported after this.
  enableCompileCache(join(import.meta.dirname, "node_modules/.cache/compile"));
  startLean();
  const bundle = bundleOf(import.meta.dirname, program);
  await (bundle === undefined ? sources() : import(pathToFileURL(bundle).href));
}

/**
 * Nothing runs often enough during a start to be worth optimizing, and the optimizing compilers alone take 10 MB:
 * they come with the work, but for the middle one, which is never idle. What a start leaves behind the engine would
 * keep for as long as little is done.
 */
function startLean() {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  setFlagsFromString(`--regexp-tier-up-ticks=${INTERPRETED_TIMES}`);
  for (const name of ["opt", "maglev", "sparkplug"]) setFlagsFromString(`--no-${name}`);
  setTimeout(() => {
    for (const name of ["opt", "sparkplug"]) setFlagsFromString(`--${name}`);
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")({ type: "major", execution: "sync", flavor: "last-resort" });
  }, SETTLED_MS).unref();
}

/** The path of a program's bundle; undefined where there is none, or one of other sources than those that are there. */
export function bundleOf(root, program) {
  try {
    const { folder, sources } = JSON.parse(readFileSync(join(root, "dist/current.json"), "utf8"));
    const isFresh = Object.entries(sources).every(([path, [bytes, modifiedMs]]) => {
      const { size, mtimeMs } = statSync(join(root, path));
      return size === bytes && mtimeMs === modifiedMs;
    });
    const bundle = join(root, "dist", folder, `${program}.js`);
    // A build from before the program was there has the sources, and not the program.
    return isFresh && statSync(bundle).isFile() ? bundle : undefined;
  } catch {
    // Nothing was built, or a source is gone.
    return undefined;
  }
}

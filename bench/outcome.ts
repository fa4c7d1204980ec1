// node bench/outcome.ts                   what people say, and what comes of it: the demo and other servers' tools
// node bench/outcome.ts --demo            the demo alone; --catalogues the other servers, --referents what "it" is
// node bench/outcome.ts --described       every issue named by words of its title; --otherwise what waits wished otherwise
// node bench/outcome.ts --spoken          orders and questions with what people say before and behind them
// node bench/outcome.ts --tuned           only the cases that a planner may be tuned on; --blind only the others
// node bench/outcome.ts --NAME            only the set of this name, such as --regulars: `demo-NAME.yaml` and
//                                         `catalogues/*.NAME.yaml`. What ends in -held stays unread: --wrong
//                                         prints nothing of it
// node bench/outcome.ts --only WORD       cases whose class or id holds the word
// node bench/outcome.ts --wrong           prints what failed; of blind cases only together with --blind
// node bench/outcome.ts --json FILE       everything, as data
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { type Case, readCatalogue, readCatalogueCases, readDemoCases } from "./outcome/cases.ts";
import { playCatalogues, playDemo, type Played } from "./outcome/play.ts";
import { answeredCases } from "./outcome/answered.ts";
import { askedCases } from "./outcome/asked.ts";
import { chainedCases } from "./outcome/chained.ts";
import { createdCases } from "./outcome/created.ts";
import { describedCases } from "./outcome/described.ts";
import { listedCases } from "./outcome/listed.ts";
import { otherwiseCases } from "./outcome/otherwise.ts";
import { referentCases } from "./outcome/referents.ts";
import { spokenCases } from "./outcome/spoken.ts";
import { terseCases } from "./outcome/terse.ts";
import { wordedCases } from "./outcome/worded.ts";
import { printScores, printWrong, writeScores } from "./outcome/report.ts";

if (process.argv[2] === "knowledge") {
  // Another evaluation of this name: what the knowledge server finds.
  process.argv.splice(2, 1);
  await import("./knowledge/questions.ts").then(({ printKnowledge }) =>
    printKnowledge(process.argv.includes("--wrong")),
  );
  process.exit();
}

const fixtures = fileURLToPath(new URL("../test/fixtures/outcome/", import.meta.url));
const catalogues = join(fixtures, "catalogues");

const SET = /^(?:demo-|.*\.)(.+)\.yaml$/;
const sets = [
  ...new Set(
    [fixtures, catalogues]
      .flatMap((folder) => readdirSync(folder))
      .flatMap((name) => SET.exec(name)?.[1] ?? []),
  ),
];
const GENERATED = {
  referents: () => referentCases({ everyWording: true }),
  described: describedCases,
  otherwise: otherwiseCases,
  spoken: spokenCases,
  chained: chainedCases,
  terse: terseCases,
  asked: askedCases,
  listed: listedCases,
  created: createdCases,
  worded: wordedCases,
  answered: answeredCases,
};
const flag = { type: "boolean", default: false } as const;
const { values: flags } = parseArgs({
  options: {
    demo: flag,
    catalogues: flag,
    wrong: flag,
    only: { type: "string" },
    json: { type: "string" },
    ...Object.fromEntries([...Object.keys(GENERATED), ...sets].map((name) => [name, flag])),
  },
});
const given = new Map<string, unknown>(Object.entries(flags));
const generated = Object.entries(GENERATED).filter(([name]) => given.get(name) === true);
const isAll = !flags.demo && !flags.catalogues && generated.length === 0;
const named = sets.filter((name) => given.get(name) === true);
const halves = named.length > 0 ? named : ["blind", "tuned"];
const parts = new Map<string, Played[]>();

// Whoever reads only the first lines of what is printed still gets the file.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

for (const half of halves) {
  if (isAll || flags.demo) {
    const files = [`demo-${half}.yaml`, ...(half === "tuned" ? ["demo-more.yaml"] : [])];
    const cases = files
      .map((name) => join(fixtures, name))
      .filter((file) => existsSync(file))
      .flatMap((file) => readDemoCases(file))
      .filter(isWanted);
    await play(`demo, ${half}`, half, () => playDemo(cases));
  }
  if (isAll || flags.catalogues) {
    for (const file of filesOf(half)) {
      const cases = readCatalogueCases(join(catalogues, file), readList).filter(isWanted);
      await play(file.replace(/\.ya?ml$/, ""), half, () => playCatalogues(cases));
    }
  }
}
for (const [name, cases] of generated) await play(name, "tuned", () => playDemo(cases().filter(isWanted)));
// Where nothing was played the file says so.
await write();

async function play(name: string, half: string, run: () => Promise<Played[]>): Promise<void> {
  const played = await run();
  if (played.length === 0) return;
  parts.set(name, played);
  // A run that is broken off keeps what it has played.
  await write();
  // Whoever reads what failed has seen the cases, and they are blind no more.
  const isUnread = half.endsWith("-held") || (half === "blind" && !named.includes("blind"));
  if (flags.wrong && !isUnread) printWrong(played);
  printScores(name, played);
}

async function write(): Promise<void> {
  if (flags.json !== undefined) await writeScores(flags.json, parts);
}

function filesOf(half: string): string[] {
  if (!existsSync(catalogues)) return [];
  return readdirSync(catalogues)
    .filter((name) => name.endsWith(`.${half}.yaml`))
    .toSorted();
}

function readList(name: string): ReturnType<typeof readCatalogue> {
  return readCatalogue(join(catalogues, `${name}.json`));
}

function isWanted(one: Case): boolean {
  return flags.only === undefined || `${one.class} ${one.id}`.includes(flags.only);
}

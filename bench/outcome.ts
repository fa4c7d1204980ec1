// node bench/outcome.ts                   what people say, and what comes of it: the demo and other servers' tools
// node bench/outcome.ts --demo            the demo alone; --catalogues the other servers, --referents what "it" is
// node bench/outcome.ts --tuned           only the cases that a planner may be tuned on; --blind only the others
// node bench/outcome.ts --fresh           only those of a new team, which no other run plays
// node bench/outcome.ts --unseen          only those that nothing was tuned on
// node bench/outcome.ts --newcomers       only those of ten more voices, which no other run plays
// node bench/outcome.ts --arrivals        only those of another new team; --arrivals-held the half
//                                         that stays unread: --wrong prints nothing of it
// node bench/outcome.ts --guests          only those of twelve people on an ordinary day; --guests-held the
//                                         half that stays unread: --wrong prints nothing of it
// node bench/outcome.ts --visitors        only those of twenty more people; --visitors-held the half that stays
//                                         unread: --wrong prints nothing of it
// node bench/outcome.ts --neighbours      only those of a team that has used it for a month; --neighbours-held the
//                                         half that stays unread: --wrong prints nothing of it
// node bench/outcome.ts --regulars        only those of ordinary working days; --regulars-held the half that stays
//                                         unread: --wrong prints nothing of it
// node bench/outcome.ts --changes         only changes as people say them; --reads only questions, most to the wiki
// node bench/outcome.ts --only WORD       cases whose class or id holds the word
// node bench/outcome.ts --wrong           prints what failed; of blind cases only together with --blind
// node bench/outcome.ts --json FILE       everything, as data
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { type Case, readCatalogue, readCatalogueCases, readDemoCases } from "./outcome/cases.ts";
import { playCatalogues, playDemo, type Played } from "./outcome/play.ts";
import { referentCases } from "./outcome/referents.ts";
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

const flag = { type: "boolean", default: false } as const;
const { values: flags } = parseArgs({
  options: {
    demo: flag,
    catalogues: flag,
    referents: flag,
    tuned: flag,
    blind: flag,
    fresh: flag,
    unseen: flag,
    newcomers: flag,
    arrivals: flag,
    "arrivals-held": flag,
    guests: flag,
    "guests-held": flag,
    visitors: flag,
    "visitors-held": flag,
    neighbours: flag,
    "neighbours-held": flag,
    regulars: flag,
    "regulars-held": flag,
    changes: flag,
    reads: flag,
    wrong: flag,
    only: { type: "string" },
    json: { type: "string" },
  },
});
const isAll = !flags.demo && !flags.catalogues && !flags.referents;
const named = (
  [
    "blind",
    "tuned",
    "fresh",
    "unseen",
    "newcomers",
    "arrivals",
    "arrivals-held",
    "guests",
    "guests-held",
    "visitors",
    "visitors-held",
    "neighbours",
    "neighbours-held",
    "regulars",
    "regulars-held",
    "changes",
    "reads",
  ] as const
).filter((half) => flags[half]);
const halves = named.length > 0 ? named : ["blind", "tuned"];
const demoFiles: Readonly<Record<string, readonly string[]>> = {
  blind: ["demo-blind"],
  tuned: ["demo-tuned", "demo-more"],
  fresh: ["demo-fresh"],
  unseen: ["demo-unseen"],
  newcomers: ["demo-newcomers"],
  arrivals: ["demo-arrivals"],
  "arrivals-held": ["demo-arrivals-held"],
  guests: ["demo-guests"],
  "guests-held": ["demo-guests-held"],
  visitors: ["demo-visitors"],
  "visitors-held": ["demo-visitors-held"],
  neighbours: ["demo-neighbours"],
  "neighbours-held": ["demo-neighbours-held"],
  regulars: ["demo-regulars"],
  "regulars-held": ["demo-regulars-held"],
  changes: ["demo-changes"],
  reads: ["demo-reads"],
};
const parts = new Map<string, Played[]>();

// Whoever reads only the first lines of what is printed still gets the file.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

for (const half of halves) {
  if (isAll || flags.demo) {
    const cases = (demoFiles[half] ?? [])
      .flatMap((name) => readDemoCases(join(fixtures, `${name}.yaml`)))
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
if (flags.referents)
  await play("referents", "tuned", () => playDemo(referentCases({ everyWording: true }).filter(isWanted)));
// Where nothing was played the file says so.
await write();

async function play(name: string, half: string, run: () => Promise<Played[]>): Promise<void> {
  const played = await run();
  if (played.length === 0) return;
  parts.set(name, played);
  // A run that is broken off keeps what it has played.
  await write();
  // Whoever reads what failed has seen the cases, and they are blind no more.
  const isUnread = half.endsWith("-held") || (half === "blind" && !flags.blind);
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

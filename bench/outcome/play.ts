import pLimit from "p-limit";

import type { Case, CatalogueCase, Expectation } from "./cases.ts";
import { canonicalDemoCall, fillIn } from "./demo-calls.ts";
import { readDemo } from "./demo-data.ts";
import { expects, judge, type Judgement, rowOf, type Verdict, type World } from "./judge.ts";
import type { Call } from "./match.ts";
import { openCatalogues, openDemo, type Site, type TurnOutcome } from "./site.ts";

export interface Played extends Judgement {
  case: Case;
  outcomes: TurnOutcome[];
  /** Of a useless one: what pressing the button that offers a change comes to. */
  offered?: Verdict;
}

/** Sessions of one product at a time. */
const AT_ONCE = 4;

/** Plays cases on the demo. What needs several changes approved has a product of its own. */
export async function playDemo(cases: readonly Case[]): Promise<Played[]> {
  const shared = cases.filter((one) => changesOf(one.expect) < 2);
  const alone = cases.filter((one) => changesOf(one.expect) >= 2);
  const products = pLimit(2);
  const played = await Promise.all([
    products(() => playOnDemo(shared)),
    ...alone.map((one) => products(() => playOnDemo([one]))),
  ]);
  return inOrder(cases, played.flat());
}

async function playOnDemo(cases: readonly Case[]): Promise<Played[]> {
  if (cases.length === 0) return [];
  const site = await openDemo();
  try {
    return await playDemoAt(site, cases);
  } finally {
    await site.close();
  }
}

/** Plays cases, each in a session of its own, on a demo that runs. */
export async function playDemoAt(site: Site, cases: readonly Case[]): Promise<Played[]> {
  const demo = readDemo(new Date());
  return playAll(site, cases, (one) => ({
    tools: site.tools,
    demo,
    canonical: canonicalDemoCall(demo, one.as),
  }));
}

/** Cases of functions have a server each; that many of them share a product. */
const SERVERS_AT_ONCE = 20;

/** Plays cases on servers made up of tool lists. */
export async function playCatalogues(cases: readonly CatalogueCase[]): Promise<Played[]> {
  const groups: CatalogueCase[][] = [];
  const own = cases.filter(isFunctionCase);
  for (let at = 0; at < own.length; at += SERVERS_AT_ONCE) groups.push(own.slice(at, at + SERVERS_AT_ONCE));
  const together = Map.groupBy(
    cases.filter((one) => !isFunctionCase(one)),
    (one) => JSON.stringify([one.catalogues.map(({ server }) => server), one.answers]),
  );
  const products = pLimit(2);
  const played = await Promise.all(
    [...groups, ...together.values()].map((group) => products(() => playGroup(group))),
  );
  return inOrder(cases, played.flat());
}

function isFunctionCase({ catalogues }: CatalogueCase): boolean {
  return catalogues.length === 1 && /^f\d+$/.test(catalogues[0]?.server ?? "");
}

async function playGroup(cases: readonly CatalogueCase[]): Promise<Played[]> {
  const catalogues = new Map(cases.flatMap((one) => one.catalogues.map((list) => [list.server, list])));
  const only = cases.flatMap((one) =>
    isFunctionCase(one) ? [[one.id, one.catalogues[0]?.server ?? ""] as const] : [],
  );
  const site = await openCatalogues([...catalogues.values()], cases[0]?.answers ?? {}, new Map(only));
  try {
    return await playAll(site, cases, () => ({ tools: site.tools, canonical: (call) => call }));
  } finally {
    await site.close();
  }
}

async function playAll(site: Site, cases: readonly Case[], worldOf: (one: Case) => World): Promise<Played[]> {
  const sessions = pLimit(AT_ONCE);
  return Promise.all(cases.map((one) => sessions(() => play(site, one, worldOf(one)))));
}

async function play(site: Site, one: Case, world: World): Promise<Played> {
  const session = one.id.slice(0, 128);
  const outcomes: TurnOutcome[] = [];
  for (const turn of one.turns) outcomes.push(await site.say(session, turn, one.as));
  const expect = filledIn(one.expect, world.demo?.now ?? new Date(), outcomes);
  const last = outcomes.at(-1);
  if (last !== undefined && changesOf(expect) > 1)
    last.proposals = await site.approveAll(session, one.as, (call) => expects(expect, call, world));
  const judged = { said: one.turns, outcomes, expect, changesBefore: one.changesBefore };
  const judgement = judge(judged, world);
  const [offer] = last?.offers ?? [];
  if (last === undefined || offer === undefined || judgement.verdict !== "useless")
    return { case: one, outcomes, ...judgement };
  const proposals = await site.press(session, offer.at, one.as);
  const pressed = { ...judged, outcomes: [...outcomes.slice(0, -1), { ...last, results: [], proposals }] };
  return { case: one, outcomes, ...judgement, offered: judge(pressed, world).verdict };
}

function filledIn(expect: Expectation, now: Date, outcomes: TurnOutcome[]): Expectation {
  const fill = (call: Call): Call => ({
    ...call,
    args: fillIn(call.args, now, (at) => rowOf(outcomes, at)) as Call["args"],
  });
  return {
    ...expect,
    calls: expect.calls?.map(fill),
    one_of: expect.one_of?.map((one) => filledIn(one, now, outcomes)),
  };
}

/** How many changes are expected at most. Reads among them count, which costs no more than a look at approvals. */
function changesOf(expect: Expectation): number {
  return Math.max(expect.calls?.length ?? 0, ...(expect.one_of ?? []).map(changesOf));
}

function inOrder(cases: readonly Case[], played: Played[]): Played[] {
  const places = new Map(cases.map((one, at) => [one, at]));
  return played.toSorted((a, b) => (places.get(a.case) ?? 0) - (places.get(b.case) ?? 0));
}

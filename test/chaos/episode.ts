import type { FailPointName } from "#src/base/fail-point.ts";

import { type Case, createCase } from "./cases.ts";
import { checkInvariants } from "./check.ts";
import { NoAnswerError } from "./client.ts";
import { clickPending, stopTurns, submitAll } from "./people.ts";
import { failPoints } from "./fail-points.ts";
import { createRandom, type Random } from "./random.ts";
import { countKills, emptyReport, type EpisodeReport } from "./report.ts";
import { settle, settleUnknown } from "./settle.ts";
import { createWorld, type World } from "./world.ts";

export interface EpisodeOptions {
  seed: number;
  /** Processes to kill before everything is left to settle. */
  kills: number;
  /** An empty database; without it the embedded store is used. */
  databaseUrl?: string;
  /** No further kill after this time, in milliseconds since the epoch. */
  until?: number;
}

/** How long a round goes on after its people are done, waiting for the fail point, in milliseconds. */
const LINGER_MS = { embedded: 900, postgres: 1_800 };
const LONGEST_DELAY_MS = 900;
/** Messages of one conversation; few, so that one slow turn holds up few others. */
const CASES_PER_SESSION = 3;

/** Kills the product again and again under load, lets it settle, and checks what is left. */
export async function runEpisode(options: EpisodeOptions): Promise<EpisodeReport> {
  const random = createRandom(options.seed);
  const world = await createWorld(options.databaseUrl);
  const report = emptyReport(options.seed);
  const cases: Case[] = [];
  try {
    let left: FailPointName[] = [];
    while (countKills(report) < options.kills) {
      if (options.until !== undefined && Date.now() > options.until) break;
      if (left.length === 0) left = random.shuffled(failPoints);
      const failPoint = random.chance(0.8) ? left.pop() : undefined;
      // All at once now and then, as when the power fails: nobody is left to take over.
      const victims = random.chance(0.5) ? world.names : [random.pick(world.names)];
      const killers = await runRound({ world, random, cases, failPoint, victims });
      for (const killer of killers) report.kills[killer] = (report.kills[killer] ?? 0) + 1;
    }
    const begun = Date.now();
    await settle(world, cases, random);
    report.settleMs = Date.now() - begun;
    Object.assign(report, await checkInvariants(world, cases));
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    report.violations.push(`${error.message}\n${tails(world)}`);
  } finally {
    await world.close();
  }
  report.acknowledged = cases.filter((one) => one.turnId !== undefined).length;
  report.clicks = cases.reduce((sum, one) => sum + one.answers.length, 0);
  report.stops = cases.filter((one) => one.stopAcknowledged).length;
  report.violations = report.violations.map((text) => `seed ${options.seed}: ${text}`);
  return report;
}

interface Round {
  world: World;
  random: Random;
  cases: Case[];
  /** Undefined: killed from outside at a random time. */
  failPoint: FailPointName | undefined;
  victims: string[];
}

/** One life of the victims, from start to kill; resolves to what killed each. */
async function runRound({ world, random, cases, failPoint, victims }: Round): Promise<string[]> {
  // Drawn before anything runs, so that timing changes nothing in the order of the draws.
  const passes = 1 + random.below(3);
  const delay = random.below(LONGEST_DELAY_MS);
  const fresh = Array.from({ length: 2 + random.below(3) }, (_, at) => {
    const number = cases.length + at;
    const session = `s${Math.floor(number / CASES_PER_SESSION)}`;
    return createCase({ id: `c${number}`, session, random });
  });
  const comesEarly = failPoint === undefined || random.chance(0.5);
  const people = createRandom(random.below(2 ** 31));
  cases.push(...fresh);

  await Promise.all(
    world.names.map(async (name) => {
      const isVictim = victims.includes(name);
      if (!isVictim && world.process(name)?.isOver() === false) return;
      await world.process(name)?.kill();
      await world.start(name, isVictim && failPoint !== undefined ? `${failPoint}:${passes}` : undefined);
    }),
  );
  const processes = victims.flatMap((name) => world.process(name) ?? []);
  const isOver = (): boolean => processes.every((process) => process.isOver());
  const timer =
    failPoint === undefined
      ? setTimeout(() => processes.forEach((process) => process.signal("SIGKILL")), delay)
      : undefined;
  // Half of the lives begin with messages that come before the servers are up.
  if (!comesEarly) await Promise.all(processes.map((process) => process.ready));
  if (!isOver()) await live(world, cases, people, isOver);
  await Promise.race([Promise.all(processes.map((process) => process.ended)), pause(LINGER_MS[world.store])]);
  clearTimeout(timer);
  return Promise.all(
    processes.map(async (process) => {
      const isSelf = process.isOver() && failPoint !== undefined;
      await process.kill();
      return isSelf ? failPoint : "delay";
    }),
  );
}

/** What people do during a round. */
async function live(world: World, cases: Case[], random: Random, isOver: () => boolean): Promise<void> {
  await submitAll(world, cases, random);
  // What was asked for in this round is decided in it, once the cards are there.
  for (let look = 0; look < 3 && !isOver(); look += 1) {
    await clickPending(world, cases, random);
    await stopTurns(world, cases, random);
    await settleUnknown(world, cases, random, { mayDie: true });
    if (!isOver()) await pause(60);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function tails(world: World): string {
  return world.names.map((name) => `${name}: ${world.process(name)?.tail().join("\n") ?? ""}`).join("\n");
}

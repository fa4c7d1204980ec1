import type { Case } from "./cases.ts";
import { ask, NoAnswerError, type WireApproval, type WireTurn } from "./client.ts";
import { readEffects } from "./effects.ts";
import { clickPending, submitAll } from "./people.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** How long everything may take to come to rest, in milliseconds: the lease of a dead replica runs first. */
const REST_MS = { embedded: 45_000, postgres: 150_000 };
const LOOK_EVERY_MS = 150;

/** Brings every process up for good and waits until no turn runs any more. */
export async function settle(world: World, cases: Case[], random: Random): Promise<void> {
  for (const name of world.names) {
    await world.process(name)?.kill();
    await world.start(name);
  }
  await world.ready();
  await submitAll(world, cases, random);
  await clickPending(world, cases, random);
  await rest(world, cases);
  // Requests that came up late are decided as well; what is then still pending waits for a person.
  await clickPending(world, cases, random);
  await rest(world, cases);
  await settleUnknown(world, cases, random, { mayDie: false });
  await rest(world, cases);
}

/** Waits until every turn has ended or waits for a person, as it says itself. */
async function rest(world: World, cases: Case[]): Promise<void> {
  const until = Date.now() + REST_MS[world.store];
  let open = cases;
  for (;;) {
    open = (await Promise.all(open.map(async (one) => ((await isAtRest(world, one)) ? [] : [one])))).flat();
    if (open.length === 0) return;
    if (Date.now() > until) {
      const states = await Promise.all(open.map((one) => describe(world, one)));
      throw new NoAnswerError(`${open.length} turns did not come to rest:\n${states.join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function isAtRest(world: World, one: Case): Promise<boolean> {
  const turn = await readTurn(world, one);
  if (turn.state === "queued" || turn.state === "running") return false;
  if (turn.state !== "pending_confirmation") return true;
  const waiting = turn.result?.pending_confirmation?.state;
  return waiting === "pending" || waiting === "unknown";
}

export async function readTurn(world: World, one: Case): Promise<WireTurn> {
  const [replica] = world.living();
  if (replica === undefined) throw new NoAnswerError("no process lives");
  const reply = await ask<WireTurn>(replica, "GET", `/agent/turns/${one.turnId}`);
  if (reply?.status !== 200) throw new NoAnswerError(`turn ${one.turnId} of ${one.id} is not there any more`);
  return reply.body;
}

async function describe(world: World, one: Case): Promise<string> {
  const turn = await readTurn(world, one);
  const waiting = turn.result?.pending_confirmation;
  return `${one.message.text}: turn ${turn.turn_id} is ${turn.state}, its request ${waiting?.state ?? "none"}`;
}

/**
 * People look at the source of half of the unknown outcomes and say what they found. An answer that does
 * not come is lost with a process; once all live for good, that is a fault.
 */
export async function settleUnknown(
  world: World,
  cases: Case[],
  random: Random,
  { mayDie }: { mayDie: boolean },
): Promise<void> {
  const [replica] = world.living();
  if (replica === undefined) {
    if (mayDie) return;
    throw new NoAnswerError("no process lives");
  }
  const listed = await ask<{ approvals: WireApproval[] }>(replica, "GET", "/approvals?state=unknown");
  const effects = await readEffects(world.folder);
  const byId = new Map(cases.map((one) => [one.id, one]));
  for (const approval of listed?.body.approvals ?? []) {
    const id = approval.args.id ?? "";
    const one = byId.get(id);
    if (one === undefined || random.chance(0.5)) continue;
    const outcome = effects.happened(id) > 0 ? "happened" : "did_not";
    // What arrived may still happen: a server takes its time, also over a call that was stopped.
    if (outcome === "did_not" && effects.sent(id) > 0) continue;
    const reply = await ask<{ approval: WireApproval }>(
      replica,
      "POST",
      `/approvals/${approval.approval_id}/settle`,
      { outcome, actor: one.message.actor },
    );
    if (reply === undefined && mayDie) return;
    // Settled in an earlier life whose answer was lost.
    if (reply?.status === 409 && mayDie) continue;
    const expected = outcome === "happened" ? "done" : "failed";
    if (reply?.body.approval.state !== expected) {
      throw new NoAnswerError(
        `settling ${id} as ${outcome} was answered with ${JSON.stringify(reply?.body)}`,
      );
    }
  }
}

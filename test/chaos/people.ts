import type { Case } from "./cases.ts";
import { ask, NoAnswerError, type Replica, submit, type WireApproval, type WireDecision } from "./client.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

const DECISIONS = new Set([
  "approved",
  "recorded",
  "denied",
  "already_decided",
  "not_eligible",
  "expired",
  "void",
]);

/** Sends every message that has no acknowledgement yet, and some again that have one. */
export async function submitAll(world: World, cases: Case[], random: Random): Promise<void> {
  const open = cases.filter((one) => one.turnId === undefined || random.chance(0.02));
  await Promise.all(open.map((one) => submitOne(one, pickLiving(world, random))));
}

async function submitOne(one: Case, replica: Replica | undefined): Promise<void> {
  const turnId = replica === undefined ? undefined : await submit(replica, one.message);
  if (turnId === undefined) return;
  if (one.turnId !== undefined && one.turnId !== turnId) {
    throw new NoAnswerError(`${one.message.eventId} started a second turn: ${one.turnId}, then ${turnId}`);
  }
  one.turnId = turnId;
}

/** Everybody who means to decide a pending request does so at once, each on any replica. */
export async function clickPending(world: World, cases: Case[], random: Random): Promise<void> {
  const replica = pickLiving(world, random);
  if (replica === undefined) return;
  const listed = await ask<{ approvals: WireApproval[] }>(replica, "GET", "/approvals?state=pending");
  const byId = new Map(cases.map((one) => [one.id, one]));
  const decided: Promise<void>[] = [];
  for (const approval of listed?.body.approvals ?? []) {
    const one = byId.get(approval.args.id ?? "");
    if (one === undefined || one.isDecided || one.clicks.length === 0) continue;
    const clicks = one.clicks.map((click) => ({ click, at: pickLiving(world, random) }));
    decided.push(decide(one, approval.approval_id, clicks));
  }
  await Promise.all(decided);
}

async function decide(
  one: Case,
  approvalId: string,
  clicks: { click: Case["clicks"][number]; at: Replica | undefined }[],
): Promise<void> {
  const answers = await Promise.all(
    clicks.map(async ({ click, at }) => {
      if (at === undefined) return false;
      const reply = await ask<WireDecision>(at, "POST", `/approvals/${approvalId}/decision`, click);
      if (reply === undefined) return false;
      const { outcome } = reply.body;
      if (!DECISIONS.has(outcome)) {
        throw new NoAnswerError(`a click was answered with ${reply.status} ${JSON.stringify(reply.body)}`);
      }
      one.answers.push({ click, outcome, approvalId });
      return true;
    }),
  );
  // Who got no answer clicks again on what is still pending.
  one.isDecided = answers.every(Boolean);
}

/** Stops the turns of cases that are to be stopped, once each. */
export async function stopTurns(world: World, cases: Case[], random: Random): Promise<void> {
  const wanted = cases.filter((one) => one.isStopped && one.turnId !== undefined && !one.stopAcknowledged);
  await Promise.all(
    wanted.map(async (one) => {
      const replica = pickLiving(world, random);
      if (replica === undefined) return;
      const path = `/agent/turns/${one.turnId}/stop`;
      const reply = await ask<{ stopped: boolean }>(replica, "POST", path, { actor: one.message.actor });
      if (reply?.body.stopped === true) one.stopAcknowledged = true;
    }),
  );
}

function pickLiving(world: World, random: Random): Replica | undefined {
  const living = world.living();
  const at = random.below(1_000);
  return living.length === 0 ? undefined : living[at % living.length];
}

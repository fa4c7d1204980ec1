import { createCase } from "./cases.ts";
import { ask, NoAnswerError, submit, type Replica, type WireApproval } from "./client.ts";
import { readEffects } from "./effects.ts";
import { createRandom } from "./random.ts";
import { createWorld, type World } from "./world.ts";

/** The change answers while its sender is frozen. */
const SLOW_MS = 2_000;
/** The heartbeat of the job, the lease of the call and the looks at both, with room for a busy machine. */
const TAKEOVER_MS = 120_000;
const LOOK_EVERY_MS = 200;

export interface FreezeReport {
  /** From the freeze until another replica said that nobody knows the outcome. */
  takeoverMs: number;
  violations: string[];
}

/**
 * Two replicas; the one that sends a slow change is frozen (SIGSTOP) until the other has taken over
 * after the lease, and thawed. The change must not run again, and its late result is kept as evidence.
 */
export async function runFreeze(databaseUrl: string): Promise<FreezeReport> {
  const world = await createWorld(databaseUrl);
  const violations: string[] = [];
  try {
    const replicas = await Promise.all(world.names.map((name) => world.start(name)));
    await world.ready();
    const [first] = replicas;
    if (first === undefined) throw new NoAnswerError("the product did not start");
    const approvalId = await approveSlowChange(first);
    const begun = await waitFor(
      "the change to be sent",
      async () => (await readEffects(world.folder)).begun[0],
    );
    const frozen = world.living().find((replica) => replica.name === begun.owner);
    const other = world.living().find((replica) => replica.name !== begun.owner);
    if (frozen === undefined || other === undefined) throw new NoAnswerError("two replicas were expected");
    frozen.process.signal("SIGSTOP");
    const at = Date.now();
    await waitFor("the takeover", async () => (await stateOf(other, approvalId)) === "unknown" || undefined);
    const takeoverMs = Date.now() - at;
    frozen.process.signal("SIGCONT");
    await waitFor("the late result", async () => (await hasEvidence(world, approvalId)) || undefined);
    const state = await stateOf(frozen, approvalId);
    if (state !== "unknown") violations.push(`after the late result it is ${state}, expected unknown`);
    const effects = await readEffects(world.folder);
    if (effects.sent("frozen") !== 1 || effects.happened("frozen") !== 1) {
      violations.push(
        `it was sent ${effects.sent("frozen")} times and happened ${effects.happened("frozen")} times`,
      );
    }
    const verdict = await world.command("audit", "verify");
    if (verdict.code !== 0) violations.push(`the audit chain does not verify: ${verdict.stdout}`);
    return { takeoverMs, violations };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { takeoverMs: -1, violations: [...violations, error.message] };
  } finally {
    await world.close();
  }
}

async function approveSlowChange(replica: Replica): Promise<string> {
  const { message } = createCase({ id: "frozen", session: "frozen", random: createRandom(1) });
  const text = `/counter append frozen --delay_ms ${SLOW_MS}`;
  await submit(replica, { ...message, actor: "ana", text });
  const { approval_id } = await waitFor("the request", async () => {
    const listed = await ask<{ approvals: WireApproval[] }>(replica, "GET", "/approvals?state=pending");
    return listed?.body.approvals[0];
  });
  await ask(replica, "POST", `/approvals/${approval_id}/decision`, { actor: "ana", decision: "approve" });
  return approval_id;
}

async function stateOf(replica: Replica, approvalId: string): Promise<string | undefined> {
  return (await ask<WireApproval>(replica, "GET", `/approvals/${approvalId}`))?.body.state;
}

async function hasEvidence(world: World, approvalId: string): Promise<boolean> {
  const { stdout } = await world.command("audit", "export");
  return stdout
    .split("\n")
    .some((line) => line.includes('"approval.late_result"') && line.includes(approvalId));
}

async function waitFor<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const until = Date.now() + TAKEOVER_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new NoAnswerError(`waited ${TAKEOVER_MS} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

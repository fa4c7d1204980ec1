import type { Case } from "./cases.ts";
import { ask, NoAnswerError, type WireApproval, type WireTurn } from "./client.ts";
import { type Effects, readEffects } from "./effects.ts";
import type { EpisodeReport } from "./report.ts";
import { readTurn } from "./settle.ts";
import type { World } from "./world.ts";

/** The states in which the change never ran. */
const NEVER_RAN = new Set(["pending", "denied", "expired", "void", "superseded"]);
const AT_REST = new Set(["pending", "done", "failed", "unknown", "denied", "expired", "void", "superseded"]);

interface AuditLine {
  kind: string;
  approval_id: string | null;
  turn_id: string | null;
}

type Findings = Pick<EpisodeReport, "violations" | "approvals" | "effects" | "auditEntries">;

/** Compares what the product says with what happened. Ends all processes. */
export async function checkInvariants(world: World, cases: Case[]): Promise<Findings> {
  const violations: string[] = [];
  const shown: { one: Case; turn: WireTurn; approvals: WireApproval[] }[] = [];
  const listings = new Map<string, WireApproval[]>();
  for (const one of cases) {
    const { session } = one.message;
    if (!listings.has(session)) listings.set(session, await listApprovals(world, session));
    const approvals = (listings.get(session) ?? []).filter((approval) => approval.args.id === one.id);
    shown.push({ one, turn: await readTurn(world, one), approvals });
  }
  await world.killAll();
  const effects = await readEffects(world.folder);
  const audit = await readAudit(world);
  const states: Record<string, number> = {};
  for (const { one, turn, approvals } of shown) {
    for (const approval of approvals) states[approval.state] = (states[approval.state] ?? 0) + 1;
    const faults = [
      ...faultsOfTurn(turn, approvals),
      ...faultsOfChange(one, approvals, effects),
      ...faultsOfClicks(one, approvals),
      ...approvals.flatMap((approval) => faultsOfAudit(one, approval, audit)),
    ];
    for (const fault of faults) {
      violations.push(
        `${fault}: ${JSON.stringify({ case: one, turn: { ...turn, events: undefined }, approvals })}`,
      );
    }
  }
  const verdict = await world.command("audit", "verify", "--json");
  if (verdict.code !== 0)
    violations.push(`the audit chain does not verify: ${verdict.stdout}${verdict.stderr}`);
  const changes = cases.filter((one) => one.kind !== "read");
  const happened = changes.reduce((sum, one) => sum + effects.happened(one.id), 0);
  return { violations, approvals: states, effects: happened, auditEntries: audit.length };
}

function faultsOfTurn(turn: WireTurn, approvals: WireApproval[]): string[] {
  const faults: string[] = [];
  if (turn.events.some((event, at) => event.seq !== at + 1)) faults.push("its events have a gap");
  const last = turn.events.at(-1);
  if (last?.event !== "result" && last?.event !== "error") faults.push("its last event is no result");
  const isFinal = turn.state !== "pending_confirmation";
  if (
    isFinal &&
    turn.events.filter((event) => event.event === "status" && event.data.phase === "done").length > 1
  )
    faults.push("it ended more than once");
  const waiting = turn.result?.pending_confirmation;
  const current = approvals.find((approval) => approval.approval_id === waiting?.approval_id);
  if (!isFinal && current?.state !== "pending" && current?.state !== "unknown")
    faults.push("it waits for a request that does not wait");
  if (turn.state === "failed" && turn.error?.code !== "turn_abandoned")
    faults.push("it failed for no reason of its own");
  const results = turn.result?.tool_results ?? [];
  const done = approvals.filter((approval) => approval.state === "done").length;
  if (turn.state === "done" && approvals.length > 0 && results.filter((result) => result.ok).length !== done)
    faults.push("its results do not agree with its requests");
  return faults;
}

function faultsOfChange(one: Case, approvals: WireApproval[], effects: Effects): string[] {
  const faults: string[] = [];
  if (approvals.length > 1) faults.push("one message made several requests");
  if (one.kind === "read") return faults;
  const happened = effects.happened(one.id);
  const state = approvals[0]?.state;
  if (one.kind !== "again" && effects.sent(one.id) > 1)
    faults.push(`it was sent ${effects.sent(one.id)} times`);
  if (one.kind !== "again" && happened > 1) faults.push(`it happened ${happened} times`);
  if (state === undefined && happened > 0) faults.push("it happened without a request");
  if (state === "done" && happened === 0) faults.push("it is done and did not happen");
  if (state === "failed" && happened > 0) faults.push("it failed and did happen");
  if (state !== undefined && NEVER_RAN.has(state) && effects.sent(one.id) > 0)
    faults.push(`it is ${state} and was sent`);
  if (state !== undefined && !AT_REST.has(state)) faults.push(`it is ${state} while nothing runs`);
  return faults;
}

function faultsOfClicks(one: Case, approvals: WireApproval[]): string[] {
  const faults: string[] = [];
  const [approval] = approvals;
  const count = (outcome: string): number =>
    one.answers.filter((answer) => answer.outcome === outcome).length;
  if (count("approved") + count("denied") > 1) faults.push("two clicks were told that they decided it");
  if (one.answers.some(({ click, outcome }) => click.actor === "mallory" && outcome === "approved"))
    faults.push("a stranger decided it");
  const votes = (approval?.approvals ?? []).filter((vote) => vote.decision === "approve");
  if (new Set(votes.map((vote) => vote.actor)).size !== votes.length)
    faults.push("somebody was counted twice");
  if (approval?.state === "done" && one.kind !== "free" && votes.length < approval.quorum)
    faults.push("it is done with too few approvals");
  if (count("approved") > 0 && (approval?.state === "denied" || approval?.state === "pending"))
    faults.push(`a click was told approved and it is ${approval.state}`);
  if (count("denied") > 0 && approval?.state !== "denied")
    faults.push("a click was told denied and it is not");
  return faults;
}

function faultsOfAudit(one: Case, approval: WireApproval, audit: AuditLine[]): string[] {
  const entries = audit.filter((entry) => entry.approval_id === approval.approval_id);
  const count = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
  const faults: string[] = [];
  if (count("approval.executing") > 1) faults.push("it was taken for execution twice");
  const opened = count("approval.pending") + count("approval.allowed_by_policy");
  if (opened !== 1) faults.push(`the audit tells of its request ${opened} times`);
  if (one.kind !== "free" && approval.state !== "pending" && count(`approval.${approval.state}`) !== 1)
    faults.push(`the audit does not tell that it is ${approval.state}`);
  return faults;
}

async function listApprovals(world: World, session: string): Promise<WireApproval[]> {
  const [replica] = world.living();
  const reply =
    replica === undefined
      ? undefined
      : await ask<{ approvals: WireApproval[] }>(replica, "GET", `/approvals?session_id=${session}`);
  if (reply === undefined) throw new NoAnswerError("no process lives");
  return reply.body.approvals;
}

async function readAudit(world: World): Promise<AuditLine[]> {
  const { stdout } = await world.command("audit", "export");
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditLine);
}

import { isDeepStrictEqual } from "node:util";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, CallTarget, EditRequest } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ArgSource, ArgSources } from "#contract/plan.ts";
import type { Statement } from "#contract/statement.ts";
import type { Tool } from "#contract/tool.ts";

import { targetsData, targetsText } from "../base/call-targets.ts";
import { CountersignError } from "../base/errors.ts";
import { actorName, newId, newOrderedId } from "../base/ids.ts";
import { digest } from "../base/json.ts";
import { en } from "../base/words/en.ts";
import type { Tx } from "../store/schema.ts";
import { useGrant } from "./grants.ts";
import type { Moves, ReadyTurn } from "./moves.ts";
import { noteNotice } from "./notices.ts";
import { type ApprovalDraft, existingApproval, toStatement, withVotes } from "./rows.ts";
import type { AuditNote, Transact } from "./transact.ts";

/**
 * Adds a request: `pending`, or `approved` where policy allows the change, so that both are executed
 * by the same claim. Pending requests of the conversation that it leaves no room for are superseded: for the very
 * same change, and of the same person those that set the same of the same record.
 */
export async function addRequest(
  tx: Tx,
  note: AuditNote,
  draft: ApprovalDraft,
  { moves, now }: { moves: Moves; now: () => number },
): Promise<{ approval: Approval; superseded: ReadyTurn[] }> {
  const { tool, args, targets, decision, turnId } = draft;
  const key = approvalKey(tool.id, args, targets);
  const superseded = await supersede(tx, note, draft, key, moves);
  const id = newOrderedId("appr");
  const at = now();
  const isAllowed = decision.decision === "allow";
  const mayUseGrant = !isAllowed && draft.mayUseGrant !== false;
  const grant = mayUseGrant ? await useGrant(tx, note, draft, id, at) : undefined;
  const isApproved = isAllowed || grant !== undefined;
  const row = await tx
    .insertInto("approvals")
    .values({
      id,
      turn_id: turnId,
      call_id: draft.callId,
      conversation_id: draft.conversationId,
      channel: draft.channel,
      key,
      binding: bindingOf(tool, args, decision.rule, targets),
      tool_id: tool.id,
      tool_description: tool.description,
      tool_digest: tool.digest,
      args: JSON.stringify(args),
      sources: jsonOrNull(draft.sources),
      targets: targetsText(targets),
      effect: jsonOrNull(draft.effect),
      statement: JSON.stringify(draft.statement),
      state: isApproved ? "approved" : "pending",
      rule: decision.rule,
      requested_by: draft.requestedBy,
      approvers: JSON.stringify(decision.approvers),
      exclude_requester: decision.excludeRequester ? 1 : 0,
      reason_required: decision.reasonRequired ? 1 : 0,
      // A change that policy allows needs no approval.
      quorum: isAllowed ? 0 : decision.quorum,
      created_at: at,
      expires_at: at + decision.ttlMs,
      remind_at: decision.remindMs === undefined ? null : at + decision.ttlMs - decision.remindMs,
      decided_at: isApproved ? at : null,
      lookup: jsonOrNull(decision.lookup),
      grants: jsonOrNull(decision.grants),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.updateTable("calls").set({ approval_id: id }).where("id", "=", draft.callId).execute();
  if (grant !== undefined) {
    const reason = `grant ${grant.id}, use ${grant.uses} of ${grant.maxUses}`;
    await tx
      .insertInto("votes")
      .values({ approval_id: id, actor: grant.grantedBy, decision: "approve", reason, at })
      .execute();
  }
  if (!isApproved)
    await noteNotice(tx, {
      kind: "asked",
      approval: { id, turnId, conversationId: draft.conversationId, channel: draft.channel },
      at,
    });
  const how = grant === undefined ? "pending" : "granted";
  note({
    kind: `approval.${isAllowed ? "allowed_by_policy" : how}`,
    turnId,
    approvalId: id,
    actor: draft.requestedBy,
    data: { tool: tool.id, key, args, ...targetsData(targets), rule: decision.rule },
  });
  const [approval] = await withVotes(tx, [row]);
  if (approval === undefined) throw new TypeError(`expected the request ${id}, got none`);
  return { approval, superseded };
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

async function supersede(
  tx: Tx,
  note: AuditNote,
  { conversationId, turnId, requestedBy, tool, statement }: ApprovalDraft,
  key: string,
  moves: Moves,
): Promise<ReadyTurn[]> {
  const pending = await tx
    .selectFrom("approvals")
    .select(["id", "key", "turn_id", "tool_id", "args", "requested_by", "statement"])
    .where("conversation_id", "=", conversationId)
    .where("state", "=", "pending")
    .execute();
  const same = pending.filter((one) => one.key === key);
  const otherwise = pending.filter(
    (one) =>
      one.key !== key &&
      one.turn_id !== turnId &&
      one.requested_by === requestedBy &&
      one.tool_id === tool.id &&
      setsAgain(toStatement(one), statement),
  );
  return [
    ...(await supersedeAll(tx, note, same, en.recorded.askedAgain(), moves)),
    ...(await supersedeAll(tx, note, otherwise, en.recorded.askedOtherwise(), moves)),
  ];
}

/**
 * Of the newest of the turns before in the conversation that asked for something, what the same person asked for and
 * still waits is not wished any more.
 */
export async function supersedeBefore(
  tx: Tx,
  note: AuditNote,
  { id, conversationId, actor }: { id: string; conversationId: string; actor: ActorId },
  moves: Moves,
): Promise<ReadyTurn[]> {
  const earlier = tx
    .selectFrom("turns")
    .select("id")
    .where("conversation_id", "=", conversationId)
    .where("position", "<", tx.selectFrom("turns").select("position").where("id", "=", id))
    .orderBy("position", "desc")
    .limit(TURNS_LOOKED_AT);
  // What was only looked at since then asked for nothing.
  const asked = await tx
    .selectFrom("approvals")
    .innerJoin("turns", "turns.id", "approvals.turn_id")
    .select("approvals.turn_id")
    .where("approvals.turn_id", "in", earlier)
    .orderBy("turns.position", "desc")
    .limit(1)
    .executeTakeFirst();
  if (asked === undefined) return [];
  const pending = await tx
    .selectFrom("approvals")
    .select("id")
    .where("turn_id", "=", asked.turn_id)
    .where("requested_by", "=", actor)
    .where("state", "=", "pending")
    .execute();
  return supersedeAll(tx, note, pending, en.recorded.askedOtherwise(), moves);
}

/** So many messages back something can be asked for otherwise. */
const TURNS_LOOKED_AT = 3;

async function supersedeAll(
  tx: Tx,
  note: AuditNote,
  pending: readonly { id: string }[],
  why: string,
  moves: Moves,
): Promise<ReadyTurn[]> {
  const woken: ReadyTurn[] = [];
  for (const { id } of pending) {
    const old = await moves.lock(tx, id);
    // Somebody decided it since it was read.
    if (old.state !== "pending") continue;
    if ((await moves.move(tx, note, old, "superseded", { note: why })) === undefined) continue;
    await moves.refuseCall(tx, id, "superseded");
    await moves.wake(tx, old);
    woken.push({ turnId: old.turnId, conversationId: old.conversationId });
  }
  return woken;
}

/** Whether a change sets all that another one would set, of the same record: nobody can want both. */
function setsAgain(old: Statement, next: Statement): boolean {
  const { object, form, changes } = old;
  const { kind, label } = next.object ?? {};
  if (label === undefined || object?.label !== label || object.kind !== kind) return false;
  if (!SETS.has(form?.is ?? "") || !SETS.has(next.form?.is ?? "") || changes.length === 0) return false;
  return changes.every(({ label }) => next.changes.some((change) => change.label === label));
}

/** Of what is set one value stands; what is added stands beside the rest. */
const SETS: ReadonlySet<string> = new Set(["assign", "unassign", "change", "move", "rename", "rewrite"]);

/** What `approved_keys` of the HTTP API name: the tool, the canonical arguments, and where it acts. */
export function approvalKey(toolId: string, args: JsonObject, targets?: CallTarget[]): string {
  return digest({ tool: toolId, args, ...targetsData(targets) });
}

/**
 * What an approval is bound to. When any of it differs at dispatch, the approval is void: the server,
 * the tool and its description and schemas, the arguments as validated, the rule that asked, and where it acts.
 */
export function bindingOf(tool: Tool, args: JsonObject, rule: string, targets: CallTarget[] = []): string {
  const where = targets.length === 0 ? {} : { targets };
  return digest({ server: tool.server, tool: tool.id, args, tool_digest: tool.digest, rule, ...where });
}

/** The edited call as policy sees it now, and what people are asked. */
export type EditedCall = Pick<ApprovalDraft, "tool" | "decision" | "effect" | "statement"> & {
  targets: CallTarget[];
};

/**
 * Replaces a pending request by one with other arguments: a new key, a new binding, no votes. The editor
 * is its requester, so that a rule which excludes the requester excludes them. Rejects with `not_pending`.
 */
export async function replaceRequest(
  transact: Transact,
  { approvalId, actor, args }: EditRequest,
  edited: EditedCall,
  deps: { moves: Moves; now: () => number },
): Promise<Approval> {
  return transact(async (tx, note) => {
    const old = await deps.moves.lock(tx, approvalId);
    const state = old.state === "pending" && old.expiresAt <= deps.now() ? "expired" : old.state;
    if (state !== "pending") {
      throw new CountersignError("not_pending", en.recorded.onlyPendingEdited(state));
    }
    const change = { actor, note: en.recorded.editedBy(actorName(actor)) };
    await deps.moves.move(tx, note, old, "superseded", change);
    await deps.moves.refuseCall(tx, old.id, "edited");
    const sources = sourcesAfterEdit(old, args);
    const next = { ...edited, args, sources, requestedBy: actor };
    const approval = await putInPlace(tx, note, old, next, deps);
    // The turn goes on to show the new request, or to run it where policy allows the edited call.
    await deps.moves.wake(tx, old);
    return approval;
  });
}

/**
 * Asks again for an approved call whose record changed since it was asked for: the request that was approved is
 * void, and one for the same call as it is now takes its place. Whoever moved the request first decides.
 */
export async function renewRequest(
  transact: Transact,
  approvalId: string,
  { why, ...now }: EditedCall & { why: string },
  deps: { moves: Moves; now: () => number },
): Promise<Approval> {
  return transact(async (tx, note) => {
    const old = await deps.moves.lock(tx, approvalId);
    if (old.state !== "approved") return old;
    if ((await deps.moves.move(tx, note, old, "void", { note: why })) === undefined)
      return existingApproval(tx, approvalId);
    await deps.moves.refuseCall(tx, old.id, why);
    const { args, sources = {}, requestedBy } = old;
    return putInPlace(tx, note, old, { ...now, args, sources, requestedBy, mayUseGrant: false }, deps);
  });
}

type NextRequest = EditedCall &
  Pick<ApprovalDraft, "args" | "requestedBy" | "mayUseGrant"> & { sources: ArgSources };

/** Puts another call of the same step in the place of a request that ended, and asks for it. */
async function putInPlace(
  tx: Tx,
  note: AuditNote,
  old: Approval,
  next: NextRequest,
  deps: { moves: Moves; now: () => number },
): Promise<Approval> {
  const oldCall = await tx
    .selectFrom("calls")
    .selectAll()
    .where("approval_id", "=", old.id)
    .executeTakeFirstOrThrow();
  const last = await tx
    .selectFrom("calls")
    .select((eb) => eb.fn.max("place").as("place"))
    .where("turn_id", "=", old.turnId)
    .where("step", "=", oldCall.step)
    .executeTakeFirst();
  const callId = newId("call");
  await tx
    .insertInto("calls")
    .values({
      ...oldCall,
      id: callId,
      place: (last?.place ?? oldCall.place) + 1,
      args: JSON.stringify(next.args),
      sources: JSON.stringify(next.sources),
      state: "planned",
      approval_id: null,
      outcome: null,
      started_at: null,
      ended_at: null,
    })
    .execute();
  const { turnId, conversationId, channel } = old;
  const { approval } = await addRequest(tx, note, { turnId, callId, conversationId, channel, ...next }, deps);
  await tx.updateTable("approvals").set({ replaced_by: approval.id }).where("id", "=", old.id).execute();
  return approval;
}

/** What was changed comes from the form; all else from where it came from before. */
function sourcesAfterEdit(old: Pick<Approval, "args" | "sources">, args: JsonObject): ArgSources {
  const edited: ArgSource = { from: "form", ref: "edit" };
  const before = new Map(Object.entries(old.args));
  const sources = new Map(Object.entries(old.sources ?? {}));
  for (const [name, value] of Object.entries(args))
    if (!isDeepStrictEqual(before.get(name), value)) sources.set(name, edited);
  // What the product fills in is no argument of the request, and stays.
  const isGone = (name: string): boolean => before.has(name) && !Object.hasOwn(args, name);
  return Object.fromEntries([...sources].filter(([name]) => !isGone(name)));
}

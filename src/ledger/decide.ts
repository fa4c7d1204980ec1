import type { Approval, DecideReply, DecideRequest } from "#contract/approval.ts";

import { CountersignError } from "../base/errors.ts";
import { actorName, isSamePerson } from "../base/ids.ts";
import { canonicalJson } from "../base/json.ts";
import { en } from "../base/words/en.ts";
import type { Tx } from "../store/schema.ts";
import { approversOf, mayWithdraw, nobodyKnown, whyNotCounted, whyNotEligible } from "./eligibility.ts";
import { addGrant } from "./grants.ts";
import type { LedgerOptions, Moves } from "./moves.ts";
import { existingApproval, withVotes } from "./rows.ts";
import type { AuditNote } from "./transact.ts";

export interface Decider {
  decide(request: DecideRequest): Promise<DecideReply>;
  /** Closes requests that nobody decided in time; resolves to how many. */
  expireDue(): Promise<number>;
}

/** How many due requests are closed in one sweep. */
const SWEEP_SIZE = 500;

/** With what the person is called. */
type Signed = DecideRequest & { name: string };

/** Records what people decide: one transaction each, and an answer to every click. */
export function createDecider(options: LedgerOptions, moves: Moves): Decider {
  const { db, transact, membership, now, failPoint, onContinue, nameOf = nobodyKnown } = options;

  async function expire({ id }: Approval): Promise<Approval> {
    failPoint("expire.before");
    const { current, expired } = await transact(async (tx, note) => {
      const current = await moves.lock(tx, id);
      const expired = current.state === "pending" ? await expireWithin(tx, note, current) : undefined;
      return { current, expired };
    });
    failPoint("expire.after");
    if (expired !== undefined) onContinue(expired);
    return expired ?? current;
  }

  async function expireWithin(tx: Tx, note: AuditNote, approval: Approval): Promise<Approval | undefined> {
    const expired = await moves.move(tx, note, approval, "expired", { note: en.recorded.nobodyInTime() });
    if (expired === undefined) return undefined;
    await moves.refuseCall(tx, approval.id, "expired");
    await moves.wake(tx, approval);
    return expired;
  }

  /** Reads the request once: what the reply says of it follows from what is written here. */
  async function decideWithin(
    tx: Tx,
    note: AuditNote,
    request: Signed,
    { seen, refusal }: { seen: Approval; refusal: string | undefined },
  ): Promise<DecideReply | "seen too early"> {
    const { actor, decision, reason, via } = request;
    const approval = await moves.lock(tx, request.approvalId);
    const about = { turnId: approval.turnId, approvalId: approval.id, actor };
    if (approval.state !== "pending") return replyToLateClick(approval);
    // Asking a platform who the person is takes time, and so may the lock. This moment decides: what it
    // approves is sent, also when the request's time ends before that (`SEND_GRACE_MS`).
    const at = now();
    if (approval.expiresAt <= at)
      return replyToLateClick((await expireWithin(tx, note, approval)) ?? approval);
    if (canonicalJson(whoDecides(seen)) !== canonicalJson(whoDecides(approval)))
      throw new CountersignError("internal_error", `Expected what was read of ${approval.id}, got another.`);
    // Whether they are one person with somebody who approved meanwhile was not asked yet.
    const judged = new Set(approversOf(seen).map((one) => one.actor));
    if (decision === "approve" && approversOf(approval).some((one) => !judged.has(one.actor)))
      return "seen too early";
    if (refusal !== undefined) {
      note({ kind: "approval.refused_click", ...about, data: { decision, why: refusal } });
      return { outcome: "not_eligible", message: refusal, approval };
    }
    if (approval.reasonRequired && (reason === undefined || reason.trim() === "")) {
      throw new CountersignError("reason_required", en.recorded.reasonMissing());
    }
    const earlier = approval.votes.find((vote) => isSamePerson(vote.actor, actor));
    if (earlier !== undefined && earlier.decision === "approve" && decision === "deny") {
      // Who approved and thinks better of it before it runs stops it.
      await tx
        .deleteFrom("votes")
        .where("approval_id", "=", approval.id)
        .where("actor", "=", earlier.actor)
        .execute();
      note({ kind: "approval.withdrawn", ...about });
    } else if (earlier !== undefined) {
      const message = en.recorded.decidedAlready(String(countApprovals(approval)), String(approval.quorum));
      return { outcome: "recorded", message, approval };
    }
    await tx
      .insertInto("votes")
      .values({ approval_id: approval.id, actor, decision, reason: reason ?? null, via: via ?? null, at })
      .execute();
    note({ kind: "approval.vote", ...about, data: { decision, reason: reason ?? null } });
    const said = { ...(reason === undefined ? {} : { reason }), ...(via === undefined ? {} : { via }) };
    const vote = { actor, decision, ...said, at };
    const votes = [...approval.votes.filter((one) => one !== earlier), vote];
    const counted = { ...approval, votes: votes.toSorted((a, b) => a.at - b.at) };
    return (decision === "deny" ? deny : approve)(tx, note, counted, request);
  }

  async function deny(
    tx: Tx,
    note: AuditNote,
    counted: Approval,
    { actor, reason, name }: Signed,
  ): Promise<DecideReply> {
    const change = { actor, ...(reason === undefined ? {} : { note: reason }) };
    const denied = await moves.move(tx, note, counted, "denied", change);
    await moves.refuseCall(tx, counted.id, "denied");
    await moves.wake(tx, counted);
    const message = en.recorded.deniedBy(name);
    return { outcome: "denied", message, approval: denied ?? counted };
  }

  async function approve(
    tx: Tx,
    note: AuditNote,
    counted: Approval,
    { actor, grant, name }: Signed,
  ): Promise<DecideReply> {
    const given = grant && (await addGrant(tx, note, counted, { actor, ...grant, at: now() }));
    const count = countApprovals(counted);
    if (count < counted.quorum) {
      const message = en.recorded.recorded(String(count), String(counted.quorum));
      return { outcome: "recorded", message, approval: counted };
    }
    const approved = await moves.move(tx, note, counted, "approved", { actor });
    await moves.wake(tx, counted);
    return {
      outcome: "approved",
      message: en.recorded.runsNow(name),
      approval: { ...(approved ?? counted), ...(given === undefined ? {} : { standing: given }) },
    };
  }

  /** Nobody has to be asked to want less: who asked may deny the request even where somebody else has to approve it. */
  async function whyRefused(request: DecideRequest, approval: Approval): Promise<string | undefined> {
    const question = { ...approval, actor: request.actor };
    if (request.decision === "deny" && (await mayWithdraw(question, membership))) return undefined;
    const refusal = await whyNotEligible(question, membership, nameOf);
    if (refusal !== undefined || request.decision === "deny") return refusal;
    return whyNotCounted(request, approversOf(approval), approval.quorum, membership);
  }

  /** What a surface has just read spares a reading, but only a reading of its own says that it is too late. */
  function isOpen(seen: Approval | undefined, { approvalId }: DecideRequest): seen is Approval {
    return seen?.id === approvalId && seen.state === "pending" && seen.expiresAt > now();
  }

  return {
    async decide(request) {
      const { actor } = request;
      let seen = isOpen(request.seen, request)
        ? request.seen
        : await existingApproval(db, request.approvalId);
      let reply: DecideReply | "seen too early";
      do {
        if (seen.state === "pending" && seen.expiresAt <= now()) return replyToLateClick(await expire(seen));
        const judged = seen;
        // Asked outside the transaction: a platform may have to be called for it.
        const refusal = await whyRefused(request, judged);
        failPoint("decision.before");
        const signed = { ...request, name: (await nameOf(actor)) ?? actorName(actor) };
        reply = await transact((tx, note) => decideWithin(tx, note, signed, { seen: judged, refusal }));
        failPoint("decision.after");
        if (reply === "seen too early") seen = await existingApproval(db, request.approvalId);
      } while (reply === "seen too early");
      if (["approved", "denied", "expired"].includes(reply.outcome)) onContinue(reply.approval);
      return reply;
    },

    async expireDue() {
      const due = await db
        .selectFrom("approvals")
        .selectAll()
        .where("state", "=", "pending")
        .where("expires_at", "<=", now())
        .limit(SWEEP_SIZE)
        .execute();
      for (const approval of await withVotes(db, due)) await expire(approval);
      return due.length;
    },
  };
}

/** What eligibility is judged by; it never changes for a request. */
function whoDecides({ channel, requestedBy, approvers, excludeRequester }: Approval): object {
  return { channel, requestedBy, approvers, excludeRequester };
}

function countApprovals({ votes }: Approval): number {
  return votes.filter((vote) => vote.decision === "approve").length;
}

/** The answer to a click on a request that is no longer pending. */
export function replyToLateClick(approval: Approval): DecideReply {
  const say = en.recorded;
  const when = approval.decidedAt === undefined ? "" : clockTime(approval.decidedAt);
  const isVoid = (note: string): DecideReply => ({
    outcome: "void",
    message: en.recorded.noLongerValid(approval.note ?? note),
    approval,
  });
  switch (approval.state) {
    case "expired": {
      // What was approved has the time of that decision; why it was too late is in the note.
      const isApproved = countApprovals(approval) >= approval.quorum;
      const why = isApproved ? approval.note : undefined;
      const early = when === "" ? say.expiredAlone() : say.expiredAt(when);
      return { outcome: "expired", message: why === undefined ? early : say.expiredWhy(why), approval };
    }
    case "void":
      return isVoid(en.recorded.dependsChanged());
    case "superseded":
      return isVoid(en.recorded.newerReplaced());
    default: {
      return { outcome: "already_decided", message: verdict(approval, when), approval };
    }
  }
}

/** `when` is empty where it is not known. */
function verdict({ state, votes }: Approval, when: string): string {
  const { alreadyAllowed, alreadyApproved, alreadyDenied } = en.recorded;
  if (state !== "denied" && votes.length === 0) return alreadyAllowed(when);
  const wanted = state === "denied" ? "deny" : "approve";
  const names = votes.filter((vote) => vote.decision === wanted).map((vote) => actorName(vote.actor));
  return (state === "denied" ? alreadyDenied : alreadyApproved)(en.and(names), when);
}

/** Hours and minutes in UTC, for sentences that are read within a day. */
function clockTime(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}

import type { Context, Hono } from "hono";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, DecideReply } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import { APPROVAL_STATES } from "#src/base/approval-states.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#src/base/time.ts";

import { ApiError, notFound } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf, signedBy, viewerOf } from "../identity.ts";
import { actorBody, actorField, editBody, noteText, readBody, readFilter } from "./bodies.ts";
import { approvalToWire, conversationOf, grantToWire, toolResultToWire } from "./wire.ts";

const STATUS_OF_OUTCOME: Record<DecideReply["outcome"], 200 | 403 | 409> = {
  approved: 200,
  recorded: 200,
  denied: 200,
  already_decided: 409,
  expired: 409,
  void: 409,
  not_eligible: 403,
};

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** `30m` and the like, in milliseconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,6}[smhd]$/, "expected a duration such as 30s, 30m, 24h or 7d")
  .transform((text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0));

const decisionBody = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    actor: actorField,
    reason: noteText.optional(),
    grant: z.strictObject({ ttl: duration, uses: z.int().min(1).max(1_000_000).optional() }).optional(),
  })
  .refine((body) => body.grant === undefined || body.decision === "approve", {
    path: ["grant"],
    message: "goes with approve only",
  });

const decisionsBody = z.strictObject({
  decision: z.enum(["approve", "deny"]),
  approval_ids: z.array(z.string().min(1).max(100)).min(1).max(50),
  actor: actorField,
  reason: noteText.optional(),
});

const settleBody = z.strictObject({
  outcome: z.enum(["happened", "did_not"]),
  actor: actorField,
  note: noteText.optional(),
});

/** Reading, deciding, editing, looking up and settling approvals. */
export function addApprovalRoutes(app: Hono<HttpEnv>): void {
  app.get("/approvals", async (c) => {
    const waitingFor = c.req.query("waiting_for");
    const { core } = offerOf(c);
    const approvals =
      waitingFor === undefined
        ? await core.approvals(readFilter(c, APPROVAL_STATES))
        : await core.approvalsFor(readWaitingFor(c, waitingFor));
    return c.json({ approvals: approvals.map(approvalToWire) });
  });

  app.get("/approvals/:id", async (c) =>
    c.json(approvalToWire(await findApproval(offerOf(c).core, c.req.param("id")))),
  );

  app.post("/approvals/:id/decision", async (c) => {
    const { decision, actor, reason = "", grant } = await readBody(c, decisionBody);
    const { core } = offerOf(c);
    const { id, grants } = await findApproval(core, c.req.param("id"));
    const { outcome, message, approval } = await core.decide({
      approvalId: id,
      actor,
      decision,
      ...signedBy(c),
      ...(reason.trim() !== "" && { reason: reason.trim() }),
      // Without a number of uses: as many as the rule allows.
      ...(grant && { grant: { ttlMs: grant.ttl, uses: grant.uses ?? grants?.maxUses ?? 1 } }),
    });
    const shown = { outcome, message, approval: approvalToWire(approval), turn_id: approval.turnId };
    return c.json(shown, STATUS_OF_OUTCOME[outcome]);
  });

  /** Several as they were shown: where one of them is decided or replaced by then, none of them is decided. */
  app.post("/approvals/decisions", async (c) => {
    const { decision, actor, approval_ids: ids, reason = "" } = await readBody(c, decisionsBody);
    const { core } = offerOf(c);
    const seen = await Promise.all([...new Set(ids)].map((id) => findApproval(core, id)));
    if (seen.some(({ state }) => state !== "pending"))
      throw new ApiError(
        409,
        "other_requests",
        "Other requests wait by now than were shown, so nothing was decided. Look at them again.",
      );
    const why = reason.trim();
    if (why === "" && seen.some(({ reasonRequired }) => reasonRequired))
      throw new ApiError(400, "reason_required", "A reason is required: say why, and decide again.");
    const decisions: object[] = [];
    for (const one of seen) {
      const request = { approvalId: one.id, actor, decision, ...signedBy(c), seen: one };
      const { outcome, message } = await core.decide(why === "" ? request : { ...request, reason: why });
      decisions.push({ approval_id: one.id, outcome, message });
    }
    return c.json({ decisions });
  });

  app.post("/approvals/:id/edit", async (c) => {
    const { actor, args } = await readBody(c, editBody);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    return c.json(approvalToWire(await core.edit({ approvalId: id, actor, args })));
  });

  app.post("/approvals/:id/lookup", async (c) => {
    const { actor } = await readBody(c, actorBody);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    return c.json({ tool_result: toolResultToWire(await core.lookup(id, actor)) });
  });

  app.post("/approvals/:id/settle", async (c) => {
    const { actor, outcome, note } = await readBody(c, settleBody);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    const settled = await core.settle({
      approvalId: id,
      actor,
      outcome,
      ...(note !== undefined && { note }),
    });
    return c.json({ approval: approvalToWire(settled), turn_id: settled.turnId });
  });
}

/** Standing approvals: what is or was allowed for a while, and taking it back. */
export function addGrantRoutes(app: Hono<HttpEnv>): void {
  app.get("/grants", async (c) => {
    const session = c.req.query("session_id");
    const grants = await offerOf(c).core.grants(session === undefined ? undefined : conversationOf(session));
    return c.json({ grants: grants.map(grantToWire) });
  });

  app.post("/grants/:id/revoke", async (c) => {
    const { actor } = await readBody(c, actorBody);
    const grant = await offerOf(c).core.revokeGrant(c.req.param("id"), actor);
    return c.json({ grant: grantToWire(grant) });
  });
}

/** Whose inbox a query means: the asker's with `me`; in open mode also that of whom it names. */
function readWaitingFor(c: Context<HttpEnv>, given: string): ActorId {
  return given === "me" ? viewerOf(c) : actorOf(c.get("identity"), given);
}

export async function findApproval(core: Core, id: string): Promise<Approval> {
  const approval = await core.approval(id);
  if (approval === undefined) throw notFound("approval", id);
  return approval;
}

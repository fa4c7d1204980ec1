import type { Hono } from "hono";

import type { Approval, ApprovalState, DecideReply } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";

import { ApiError } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf } from "../identity.ts";
import { actorBody, decisionBody, editBody, readBody, settleBody } from "./bodies.ts";
import { approvalToWire, conversationOf, grantToWire, toolResultToWire } from "./wire.ts";

const STATES: ReadonlySet<string> = new Set<ApprovalState>([
  "pending",
  "approved",
  "executing",
  "done",
  "failed",
  "unknown",
  "denied",
  "expired",
  "void",
  "superseded",
]);

const STATUS_OF_OUTCOME: Record<DecideReply["outcome"], 200 | 403 | 409> = {
  approved: 200,
  recorded: 200,
  denied: 200,
  already_decided: 409,
  expired: 409,
  void: 409,
  not_eligible: 403,
};

/** Reading, deciding, editing, looking up and settling approvals. */
export function addApprovalRoutes(app: Hono<HttpEnv>): void {
  app.get("/approvals", async (c) => {
    const state = readState(c.req.query("state"));
    const session = c.req.query("session_id");
    const approvals = await offerOf(c).core.approvals({
      ...(state === undefined ? {} : { state }),
      ...(session === undefined ? {} : { conversationId: conversationOf(session) }),
    });
    return c.json({ approvals: approvals.map(approvalToWire) });
  });

  app.get("/approvals/:id", async (c) =>
    c.json(approvalToWire(await findApproval(offerOf(c).core, c.req.param("id")))),
  );

  app.post("/approvals/:id/decision", async (c) => {
    const body = await readBody(c, decisionBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id, grants } = await findApproval(core, c.req.param("id"));
    const reason = body.reason?.trim();
    const { grant } = body;
    const reply = await core.decide({
      approvalId: id,
      actor,
      decision: body.decision,
      ...(reason === undefined || reason === "" ? {} : { reason }),
      // Without a number of uses: as many as the rule allows.
      ...(grant === undefined
        ? {}
        : { grant: { ttlMs: grant.ttl, uses: grant.uses ?? grants?.maxUses ?? 1 } }),
    });
    return c.json(
      {
        outcome: reply.outcome,
        message: reply.message,
        approval: approvalToWire(reply.approval),
        turn_id: reply.approval.turnId,
      },
      STATUS_OF_OUTCOME[reply.outcome],
    );
  });

  app.post("/approvals/:id/edit", async (c) => {
    const body = await readBody(c, editBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    return c.json(approvalToWire(await core.edit({ approvalId: id, actor, args: body.args })));
  });

  app.post("/approvals/:id/lookup", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    return c.json({ tool_result: toolResultToWire(await core.lookup(id, actor)) });
  });

  app.post("/approvals/:id/settle", async (c) => {
    const body = await readBody(c, settleBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    const settled = await core.settle({
      approvalId: id,
      actor,
      outcome: body.outcome,
      ...(body.note === undefined ? {} : { note: body.note }),
    });
    return c.json({ approval: approvalToWire(settled), turn_id: settled.turnId });
  });
}

export async function findApproval(core: Core, id: string): Promise<Approval> {
  const approval = await core.approval(id);
  if (approval !== undefined) return approval;
  throw new ApiError(404, "not_found", `approval_id: no approval ${JSON.stringify(id.slice(0, 80))}`);
}

function readState(given: string | undefined): ApprovalState | undefined {
  if (given === undefined || STATES.has(given)) return given as ApprovalState | undefined;
  throw new ApiError(
    400,
    "bad_request",
    `state: expected one of ${[...STATES].join(", ")}, got ${JSON.stringify(given.slice(0, 40))}`,
    { details: { field: "state" } },
  );
}

/** Standing approvals: what is or was allowed for a while, and taking it back. */
export function addGrantRoutes(app: Hono<HttpEnv>): void {
  app.get("/grants", async (c) => {
    const session = c.req.query("session_id");
    const grants = await offerOf(c).core.grants(session === undefined ? undefined : conversationOf(session));
    return c.json({ grants: grants.map((grant) => grantToWire(grant, Date.now())) });
  });

  app.post("/grants/:id/revoke", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const grant = await offerOf(c).core.revokeGrant(c.req.param("id"), actor);
    return c.json({ grant: grantToWire(grant, Date.now()) });
  });
}

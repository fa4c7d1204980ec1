import type { ActorId } from "#contract/actor.ts";
import type { Approval, EditRequest, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallRequest, Tool, ToolBox } from "#contract/tool.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { jsonFault } from "../base/json.ts";
import { unmask } from "../base/redact.ts";
import { namedTool, toolById } from "../base/tool-names.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Transact } from "../ledger/transact.ts";
import type { PreviewEffect } from "./dispatch.ts";
import type { TurnCredentials } from "./inbox.ts";
import { presentCalls, type ResultContext } from "./results.ts";

export interface ApprovalCallDeps extends ResultContext {
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  ledger: Ledger;
  transact: Transact;
  preview: PreviewEffect;
  check: (
    tool: Tool,
    args: JsonObject,
  ) => { ok: true; args: JsonObject } | { ok: false; fields: string[]; message: string };
  now: () => number;
  /** What the person gave for the turn's calls. */
  credentials: TurnCredentials["of"];
}

/** The longest a call that a person waits for at a card may take, in milliseconds. */
const CARD_CALL_MS = 30_000;

/** Calls that people make at an approval card: looking up an unknown outcome, and editing arguments. */
export function createApprovalCalls(deps: ApprovalCallDeps): {
  lookup(approvalId: string, actor: ActorId): Promise<ToolCallResult>;
  edit(request: EditRequest): Promise<Approval>;
} {
  const { tools, policy, ledger } = deps;

  /** As the turn's own calls: whoever decides about them lends nobody their own access. */
  async function onBehalfOf({
    turnId,
    requestedBy,
    channel,
  }: Approval): Promise<Pick<CallRequest, "actor" | "channel" | "credentials">> {
    const credentials = await deps.credentials(turnId);
    return { actor: requestedBy, channel, ...(credentials === undefined ? {} : { credentials }) };
  }

  function readNamed(name: string): Tool | undefined {
    try {
      return namedTool(tools, name);
    } catch (error) {
      throw new CountersignError("no_lookup", messageOf(error), { cause: error });
    }
  }

  return {
    async lookup(approvalId, actor) {
      const approval = await ledger.requireConcerned(approvalId, actor);
      if (approval.state !== "unknown") {
        throw new CountersignError(
          "not_unknown",
          `Only an unknown outcome is looked up; this request is ${approval.state}.`,
        );
      }
      const tool = approval.lookup === undefined ? undefined : readNamed(approval.lookup.tool);
      if (
        approval.lookup === undefined ||
        tool === undefined ||
        policy(tool, approval.lookup.args, approval.channel).decision !== "allow"
      ) {
        const message = `${approval.rule} names no read that policy allows; look at the source of ${approval.toolId} yourself.`;
        throw new CountersignError("no_lookup", message);
      }
      const { args } = approval.lookup;
      const startedAt = deps.now();
      const signal = AbortSignal.timeout(CARD_CALL_MS);
      const outcome = await tools.call({ tool, args, ...(await onBehalfOf(approval)), signal });
      await deps.transact((_, note) => {
        note({
          kind: "approval.looked_up",
          turnId: approval.turnId,
          approvalId,
          actor,
          data: { tool: tool.id, args, ok: outcome.ok },
        });
        return Promise.resolve();
      });
      const call = {
        id: newId("call"),
        step: 0,
        place: 0,
        toolId: tool.id,
        server: tool.server,
        args,
        state: outcome.ok ? ("done" as const) : ("failed" as const),
        outcome,
        startedAt,
        endedAt: deps.now(),
      };
      const [presented] = presentCalls([call], deps);
      if (presented === undefined)
        throw new CountersignError("internal_error", "the look-up brought no result");
      return presented.result;
    },

    async edit(request) {
      const old = await ledger.requireConcerned(request.approvalId, request.actor);
      const tool = toolById(tools, old.toolId);
      if (tool === undefined)
        throw new CountersignError(
          "not_offered",
          `${old.toolId} is not offered now; its server may be down.`,
        );
      const fault = jsonFault(request.args, { texts: true });
      if (fault !== undefined)
        throw new CountersignError("bad_args", `${fault.field ?? "arguments"}: ${fault.why}`, {
          details: { fields: fault.field === undefined ? [] : [fault.field] },
        });
      // Whoever edits has seen the secrets masked: what they left untouched is sent as it was.
      const checked = deps.check(tool, unmask(request.args, old.args, deps.redactor));
      if (!checked.ok)
        throw new CountersignError("bad_args", `${tool.id}: ${checked.message}`, {
          details: { fields: checked.fields },
        });
      const decision = policy(tool, checked.args, old.channel);
      if (decision.decision === "deny") {
        throw new CountersignError(
          "denied_by_policy",
          `${decision.rule} denies ${tool.id} with these arguments.`,
        );
      }
      const preview = await deps.preview(
        tool,
        checked.args,
        await onBehalfOf(old),
        AbortSignal.timeout(CARD_CALL_MS),
      );
      if (preview.refused !== undefined) {
        throw new CountersignError(
          "bad_args",
          `${tool.id} refuses this: ${preview.refused.error?.message ?? "no reason given"}`,
        );
      }
      const effect = preview.effect === undefined ? {} : { effect: preview.effect };
      return ledger.edit({ ...request, args: checked.args }, { tool, decision, ...effect });
    },
  };
}

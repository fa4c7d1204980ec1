import type { ActorId } from "#contract/actor.ts";
import type { Approval, EditRequest, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { targetArguments } from "../base/call-targets.ts";
import { CountersignError, messageOf } from "../base/errors.ts";
import { withFixed, withoutFixed } from "../base/fixed-arguments.ts";
import { jsonFault } from "../base/json.ts";
import { unmask } from "../base/redact.ts";
import { alreadyText } from "../base/statement.ts";
import { namedTool, toolById } from "../base/tool-names.ts";
import { en } from "../base/words/en.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Transact } from "../ledger/transact.ts";
import { type CallIdentity, identityOf, type TurnCredentials } from "./inbox.ts";
import { type ResultContext, toToolResult } from "./results.ts";
import { canPreview, type ReviewCall } from "./review.ts";

export interface ApprovalCallDeps extends ResultContext {
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  ledger: Ledger;
  transact: Transact;
  review: ReviewCall;
  check: (
    tool: Tool,
    args: JsonObject,
  ) => { ok: true; args: JsonObject } | { ok: false; fields: string[]; message: string };
  /** Puts accounts for the people whom an editor named. Rejects with `bad_args` where nobody knows who is meant. */
  people?: (
    tool: Tool,
    args: JsonObject,
    by: { editor: ActorId; requestedBy: ActorId; channel: string },
  ) => Promise<JsonObject>;
  now: () => number;
  /** What the person gave for the turn's calls. */
  credentials: TurnCredentials["of"];
}

/** The longest a call that a person waits for at a card may take, in milliseconds. */
const CARD_CALL_MS = 30_000;

/** It was made already, before people were asked. */
function isOwnDryRun({ toolId, args, lookup }: Approval, tool: Tool): boolean {
  return tool.id === toolId && lookup?.args["dry_run"] === true && canPreview(tool, args);
}

/** Calls that people make at an approval card: looking up an unknown outcome, and editing arguments. */
export function createApprovalCalls(deps: ApprovalCallDeps): {
  lookup(approvalId: string, actor: ActorId): Promise<ToolCallResult>;
  edit(request: EditRequest): Promise<Approval>;
} {
  const { tools, policy, ledger, now } = deps;

  function callerOf({ turnId, requestedBy, channel }: Approval): Promise<CallIdentity> {
    return identityOf(turnId, { actor: requestedBy, channel }, deps.credentials);
  }

  /** Undefined where its server is not there. */
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
      const { state, lookup, rule, channel, toolId, turnId } = approval;
      if (state !== "unknown") {
        throw new CountersignError("not_unknown", en.recorded.onlyUnknownLookedUp(state));
      }
      const tool = lookup && readNamed(lookup.tool);
      if (
        lookup === undefined ||
        tool === undefined ||
        !(isOwnDryRun(approval, tool) || policy(tool, lookup.args, channel).decision === "allow")
      ) {
        const message = `${rule} names no read that policy allows; look at the source of ${toolId} yourself.`;
        throw new CountersignError("no_lookup", message);
      }
      const { args } = lookup;
      const startedAt = now();
      const signal = AbortSignal.timeout(CARD_CALL_MS);
      const outcome = await tools.call({ tool, args, ...(await callerOf(approval)), signal });
      await deps.transact((_, note) => {
        const data = { tool: tool.id, args, ok: outcome.ok };
        note({ kind: "approval.looked_up", turnId, approvalId, actor, data });
        return Promise.resolve();
      });
      return toToolResult(
        { toolId: tool.id, server: tool.server, args, outcome, startedAt, endedAt: now() },
        { ...deps, spoken: approval.statement.language },
      );
    },

    async edit(request) {
      const old = await ledger.requireConcerned(request.approvalId, request.actor);
      const tool = toolById(tools, old.toolId);
      if (tool === undefined)
        throw new CountersignError(
          "not_offered",
          `${old.toolId} is not offered now; its server may be down.`,
        );
      const badArgs = (fields: string[], message: string): CountersignError =>
        new CountersignError("bad_args", message, { details: { fields } });
      const given = withoutFixed(tool, request.args);
      const fault = jsonFault(given, { texts: true });
      if (fault !== undefined) {
        const { field, why } = fault;
        throw badArgs(field === undefined ? [] : [field], `${field ?? "arguments"}: ${why}`);
      }
      // They are shown with the others, and filled in again.
      const filled = targetArguments(old);
      const own = Object.entries(given).filter(([name]) => !Object.hasOwn(filled, name));
      const other = Object.keys(filled).find(
        (name) => Object.hasOwn(request.args, name) && request.args[name] !== filled[name],
      );
      if (other !== undefined)
        throw badArgs(
          [other],
          `${other}: it is the site that this was asked for with; ask again with another`,
        );
      // An editor has seen the secrets masked: what stayed as it was shown is sent as it was.
      const checked = deps.check(tool, unmask(Object.fromEntries(own), old.args, deps.redactor));
      if (!checked.ok) throw badArgs(checked.fields, `${tool.id}: ${checked.message}`);
      const { requestedBy, channel } = old;
      const by = { editor: request.actor, requestedBy, channel };
      const named = (await deps.people?.(tool, checked.args, by)) ?? checked.args;
      const args = withFixed(tool, named, { turnId: old.turnId, channel, actor: requestedBy });
      const decision = policy(tool, args, old.channel);
      if (decision.decision === "deny") {
        throw new CountersignError("denied_by_policy", en.recorded.denies(decision.rule, tool.id));
      }
      const signal = AbortSignal.timeout(CARD_CALL_MS);
      const reviewed = await deps.review(tool, args, await callerOf(old), signal);
      if (reviewed.refused !== undefined) {
        const why = reviewed.refused.error?.message ?? "no reason given";
        throw new CountersignError("bad_args", `${tool.id} refuses this: ${why}`);
      }
      const { statement, effect, targets, unchanged } = reviewed;
      if (unchanged !== undefined)
        throw badArgs([], `${alreadyText(statement)}, so there is nothing to ask for.`);
      const { later } = old.statement;
      const asked = later === undefined ? statement : { ...statement, later };
      const found = { statement: asked, targets, ...(effect === undefined ? {} : { effect }) };
      return ledger.edit({ ...request, args }, { tool, decision, ...found });
    },
  };
}

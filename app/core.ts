import type { Logger } from "pino";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, Grant } from "#contract/approval.ts";
import type { CommandInfo, Core, Health } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolBox } from "#contract/tool.ts";
import type { TurnRequest } from "#contract/turn.ts";
import type { Redactor } from "#src/base/redact.ts";
import { toolById } from "#src/base/tool-names.ts";
import { readAuditHead } from "#src/ledger/audit.ts";
import { approvalsWaitingFor, type Membership, withNames } from "#src/ledger/eligibility.ts";
import type { Ledger } from "#src/ledger/ledger.ts";
import { maskApproval } from "#src/ledger/rows.ts";
import type { Recorder } from "#src/observe/metrics.ts";
import { parseCommand } from "#src/plan/commands.ts";
import type { ChannelPolicy } from "#src/policy/channels.ts";
import type { Db, Tx } from "#src/store/schema.ts";
import { readEvents, type TurnSignals } from "#src/turn/events.ts";
import type { Changes } from "#src/turn/changes.ts";
import {
  type ConversationChanges,
  listConversations,
  readConversation,
  readTurnPage,
} from "#src/turn/conversations.ts";
import { keepRating, readRatings } from "#src/turn/feedback.ts";
import { followEvents } from "#src/turn/follow.ts";
import type { Inbox } from "#src/turn/inbox.ts";
import { type Journal, maskSteps, withoutPrompts } from "#src/turn/journal.ts";
import type { Runner } from "#src/turn/runner.ts";

import type { Turns } from "./turns.ts";

export interface CoreParts extends Pick<
  Turns,
  "checker" | "runner" | "approvalCalls" | "questions" | "files"
> {
  db: Db;
  submit: Core["submit"];
  signals: TurnSignals;
  journal: Journal;
  tools: ToolBox;
  policy: ChannelPolicy["decide"];
  ledger: Ledger;
  membership: Membership;
  /** What people are called, by actor, as far as it is known. */
  /** See Persons.knownName. */
  knownName: (actor: ActorId) => Promise<string | undefined>;
  namesOf: (actors: ReadonlySet<ActorId>) => Promise<Record<string, string>>;
  privacy: Pick<Core, "privacy" | "setPrivacy">;
  changes: Changes;
  conversations: ConversationChanges;
  commands: () => CommandInfo[];
  redactor: Redactor;
  record: Pick<Recorder, "decided">;
  now: () => number;
  /** Whether operators may see prompts and raw answers of models. */
  inspect: () => boolean;
  health: () => Promise<Health>;
}

/** What surfaces may ask, out of the rooms; secrets in what they show are masked. */
export function createCore(parts: CoreParts): Core {
  const { db, journal, tools, policy, checker, ledger, approvalCalls, questions, commands, redactor } = parts;
  const masked = (approval: Approval): Approval => maskApproval(approval, redactor);
  /** With what the people are called, as far as that is known without asking a platform. */
  const named = async (approvals: Approval[]): Promise<Approval[]> =>
    withNames(approvals.map(masked), parts.knownName);
  const maskedGrant = (grant: Grant): Grant => ({
    ...grant,
    args: redactor.json(grant.args) as JsonObject,
  });
  return {
    submit: parts.submit,
    events: followEvents(parts),
    eventsSoFar: (turnId) => readEvents(db, turnId, 0),
    turn: (turnId) => journal.turn(turnId),
    async record(turnId) {
      const [turn, journaled] = await Promise.all([journal.turn(turnId), journal.steps(turnId)]);
      const { steps, text } = maskSteps(journaled, redactor);
      const message = text(turn?.message ?? "");
      return { message, steps: parts.inspect() ? steps : withoutPrompts(steps) };
    },
    conversation: (id) => readConversation(db, id),
    turnPage: (id, place, limit) => readTurnPage(db, id, place, limit),
    conversations: (filter) => listConversations(db, filter),
    renameConversation: (request) => parts.conversations.rename(request),
    deleteConversation: (request) => parts.conversations.remove(request),
    lastChange: async () => (await readAuditHead(db)).seq,
    changes: (options) => parts.changes.follow(options),
    stop: (turnId, actor) => parts.runner.stop(turnId, actor),
    rate: (rating) => keepRating(db, rating, parts.now()),
    ratings: (filter) => readRatings(db, filter),
    tools: () => tools.tools().map((tool) => ({ tool, decision: policy(tool, {}, "").decision })),
    health: parts.health,
    approvals: async (filter) => named(await ledger.list(filter)),
    async approval(id) {
      const approval = await ledger.get(id);
      return approval && (await named([approval]))[0];
    },
    async decide(request) {
      const reply = await ledger.decide(request);
      if (reply.outcome === "approved" || reply.outcome === "denied") parts.record.decided(reply.approval);
      return { ...reply, approval: masked(reply.approval) };
    },
    edit: async (request) => masked(await approvalCalls.edit(request)),
    lookup: (approvalId, actor) => approvalCalls.lookup(approvalId, actor),
    grants: async (conversationId, takenPartBy) =>
      (await ledger.grants(conversationId, takenPartBy)).map(maskedGrant),
    async grant(id) {
      const grant = await ledger.grant(id);
      return grant === undefined ? undefined : maskedGrant(grant);
    },
    revokeGrant: async (grantId, actor) => maskedGrant(await ledger.revokeGrant(grantId, actor)),
    settle: async (request) => masked(await ledger.settle(request)),
    file: (id) => parts.files.get(id),
    questions: (filter) => questions.list(filter),
    question: (id) => questions.get(id),
    answer: (request) => questions.answer(request),
    commands,
    readCommand(message) {
      const parsed = parseCommand(message, commands(), tools);
      if (parsed === undefined) return undefined;
      if (parsed.kind === "help") {
        const { message: _inOneLine, ...help } = parsed;
        return help;
      }
      const checked = checker.check(parsed.tool, parsed.args);
      return { ...parsed, missing: checked.ok ? [] : checked.fields };
    },
    checkCall(call) {
      const tool = toolById(tools, call.tool);
      if (tool === undefined) {
        const message = `${call.tool} is not there now; its server may be down.`;
        return { ok: false, message, faults: [] };
      }
      const checked = checker.check(tool, call.args);
      return checked.ok ? checked : { ok: false, message: checked.message, faults: checked.faults };
    },
    async approvalsFor(actor) {
      const pending = await ledger.list({ state: "pending" });
      const waiting = await approvalsWaitingFor(actor, pending, parts.membership);
      const names = await parts.namesOf(new Set(waiting.map(({ requestedBy }) => requestedBy)));
      return waiting.map((approval) => ({ ...masked(approval), names }));
    },
    ...parts.privacy,
    onChange: (listener) => parts.changes.onChange(listener),
  };
}

/** Core.submit; `also` writes in the same transaction, see Inbox.accept. */
export type Accept = (
  request: TurnRequest,
  also?: (tx: Tx, turnId: string) => Promise<void>,
) => Promise<{ turnId: string; duplicate: boolean }>;

/** Takes messages in, under the privacy of their channel. */
export function createAccept(parts: {
  inbox: Inbox;
  privacy: Pick<Core, "privacy">;
  runner: Pick<Runner, "wake">;
  record: Pick<Recorder, "duplicate">;
  log: Logger;
}): Accept {
  const { inbox, runner, record, log } = parts;
  return async (request, also) => {
    const { summarize } = await parts.privacy.privacy(request.channel);
    const allowSummarization = request.allowSummarization !== false && summarize;
    const accepted = await inbox.accept({ ...request, allowSummarization }, also);
    log.info(
      { turn: accepted.turnId, conversation: request.conversationId, actor: request.actor },
      "turn accepted",
    );
    const { turnId, duplicate, ready } = accepted;
    if (ready === undefined) record.duplicate(request.surface);
    else runner.wake(ready);
    return { turnId, duplicate };
  };
}

import type { Logger } from "pino";

import type { Approval, Grant } from "#contract/approval.ts";
import type { CommandInfo, Core, Health } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { TurnRequest } from "#contract/turn.ts";
import type { Redactor } from "#src/base/redact.ts";
import { toolById } from "#src/base/tool-names.ts";
import { approvalsWaitingFor, type Membership } from "#src/ledger/eligibility.ts";
import type { Ledger } from "#src/ledger/ledger.ts";
import { maskApproval } from "#src/ledger/rows.ts";
import type { ArgumentChecker } from "#src/plan/arguments.ts";
import { parseCommand } from "#src/plan/commands.ts";
import type { ChannelPolicy } from "#src/policy/channels.ts";
import type { Db, Tx } from "#src/store/schema.ts";
import type { createApprovalCalls } from "#src/turn/approval-calls.ts";
import { readEvents, type TurnSignals } from "#src/turn/events.ts";
import type { Files } from "#src/turn/files.ts";
import { type Changes, followEvents } from "#src/turn/follow.ts";
import { listConversations, readConversation } from "#src/turn/history.ts";
import type { Inbox } from "#src/turn/inbox.ts";
import { type Journal, maskSteps, withoutPrompts } from "#src/turn/journal.ts";
import type { Questions } from "#src/turn/questions.ts";
import type { TurnQueue } from "#src/turn/queue.ts";
import type { Runner } from "#src/turn/runner.ts";

export interface CoreParts {
  db: Db;
  submit: Core["submit"];
  signals: TurnSignals;
  journal: Journal;
  runner: Runner;
  tools: ToolBox;
  policy: ChannelPolicy["decide"];
  checker: ArgumentChecker;
  ledger: Ledger;
  membership: Membership;
  cardCalls: ReturnType<typeof createApprovalCalls>;
  files: Files;
  questions: Questions;
  privacy: Pick<Core, "privacy" | "setPrivacy">;
  changes: Changes;
  commands: CommandInfo[];
  redactor: Redactor;
  /** Whether operators may see prompts and raw answers of models. */
  inspect: boolean;
  health: () => Promise<Health>;
}

/** What surfaces may ask, out of the rooms; secrets in what they show are masked. */
export function createCore(parts: CoreParts): Core {
  const { db, signals, journal, runner, tools, policy, checker, ledger, membership } = parts;
  const { cardCalls, files, questions, privacy, changes, commands, redactor, health } = parts;
  const masked = (approval: Approval): Approval => maskApproval(approval, redactor);
  const maskedGrant = (grant: Grant): Grant => ({
    ...grant,
    args: redactor.json(grant.args) as JsonObject,
  });
  return {
    submit: parts.submit,
    events: followEvents({ db, signals }),
    eventsSoFar: (turnId) => readEvents(db, turnId, 0),
    turn: (turnId) => journal.turn(turnId),
    async record(turnId) {
      const [turn, journaled] = await Promise.all([journal.turn(turnId), journal.steps(turnId)]);
      const { steps, text } = maskSteps(journaled, redactor);
      const message = text(turn?.message ?? "");
      return { message, steps: parts.inspect ? steps : withoutPrompts(steps) };
    },
    conversation: (id) => readConversation(db, id),
    conversations: (surface, limit, takenPartBy) => listConversations(db, surface, limit, takenPartBy),
    stop: (turnId, actor) => runner.stop(turnId, actor),
    tools: () => tools.tools().map((tool) => ({ tool, decision: policy(tool, {}, "").decision })),
    health,
    approvals: async (filter) => (await ledger.list(filter)).map(masked),
    async approval(id) {
      const approval = await ledger.get(id);
      return approval === undefined ? undefined : masked(approval);
    },
    async decide(request) {
      const reply = await ledger.decide(request);
      return { ...reply, approval: masked(reply.approval) };
    },
    edit: async (request) => masked(await cardCalls.edit(request)),
    lookup: (approvalId, actor) => cardCalls.lookup(approvalId, actor),
    grants: async (conversationId, takenPartBy) =>
      (await ledger.grants(conversationId, takenPartBy)).map(maskedGrant),
    async grant(id) {
      const grant = await ledger.grant(id);
      return grant === undefined ? undefined : maskedGrant(grant);
    },
    revokeGrant: async (grantId, actor) => maskedGrant(await ledger.revokeGrant(grantId, actor)),
    settle: async (request) => masked(await ledger.settle(request)),
    file: (id) => files.get(id),
    questions: (filter) => questions.list(filter),
    question: (id) => questions.get(id),
    answer: (request) => questions.answer(request),
    commands: () => commands,
    ...createCommandReader({ commands, tools, checker }),
    approvalsFor: async (actor) =>
      (await approvalsWaitingFor(actor, await ledger.list({ state: "pending" }), membership)).map(masked),
    ...privacy,
    onChange: (listener) => changes.onChange(listener),
  };
}

interface CommandReaderOptions {
  commands: readonly CommandInfo[];
  tools: { find(name: string): Tool | undefined };
  checker: ArgumentChecker;
}

/** Slash commands and filled-in calls, for surfaces that ask for what is missing before a turn begins. */
function createCommandReader({
  commands,
  tools,
  checker,
}: CommandReaderOptions): Pick<Core, "readCommand" | "checkCall"> {
  return {
    readCommand(message) {
      const parsed = parseCommand(message, commands, tools);
      if (parsed === undefined) return undefined;
      const { command } = parsed;
      if (parsed.kind === "help") {
        return {
          kind: "help",
          command,
          ...(parsed.problem === undefined ? {} : { problem: parsed.problem }),
        };
      }
      const { tool, args } = parsed;
      const checked = checker.check(tool, args);
      return { kind: "call", command, tool, args, missing: checked.ok ? [] : checked.fields };
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
  queue: TurnQueue;
  log: Logger;
}): Accept {
  const { inbox, queue, log } = parts;
  return async (request, also) => {
    const { summarize } = await parts.privacy.privacy(request.channel);
    const allowSummarization = request.allowSummarization !== false && summarize;
    const accepted = await inbox.accept({ ...request, allowSummarization }, also);
    log.info(
      { turn: accepted.turnId, conversation: request.conversationId, actor: request.actor },
      "turn accepted",
    );
    if (!accepted.duplicate) queue.wake({ turnId: accepted.turnId, conversationId: request.conversationId });
    return accepted;
  };
}

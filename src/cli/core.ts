import type { Approval, Grant } from "#contract/approval.ts";
import type { CommandInfo, Core, Health } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolBox } from "#contract/tool.ts";

import type { Redactor } from "../base/redact.ts";
import { waitingFor } from "../ledger/deciders.ts";
import type { Membership } from "../ledger/eligibility.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { maskApproval } from "../ledger/mask.ts";
import type { ArgumentChecker } from "../plan/arguments.ts";
import type { ChannelPolicy } from "../policy/channels.ts";
import type { Db } from "../store/schema.ts";
import type { createCardCalls } from "../turn/card-calls.ts";
import type { Changes } from "../turn/changes.ts";
import { readEvents } from "../turn/events.ts";
import type { Files } from "../turn/files.ts";
import type { Inbox } from "../turn/inbox.ts";
import { createFollowing } from "../turn/follow.ts";
import { maskSteps, withoutPrompts } from "../turn/inspect.ts";
import type { Journal } from "../turn/journal-port.ts";
import type { Questions } from "../turn/questions.ts";
import type { Runner } from "../turn/runner.ts";
import type { TurnSignals } from "../turn/signals.ts";
import { createCommandReader } from "./command-reader.ts";

export interface CoreParts {
  db: Db;
  submit: Core["submit"];
  signals: TurnSignals;
  journal: Journal;
  inbox: Inbox;
  runner: Runner;
  tools: ToolBox;
  policy: ChannelPolicy["decide"];
  checker: ArgumentChecker;
  ledger: Ledger;
  membership: Membership;
  cardCalls: ReturnType<typeof createCardCalls>;
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
  const { db, signals, journal, inbox, runner, tools, policy, checker, ledger, membership } = parts;
  const { cardCalls, files, questions, privacy, changes, commands, redactor, health } = parts;
  const masked = (approval: Approval): Approval => maskApproval(approval, redactor);
  const maskedGrant = (grant: Grant): Grant => ({
    ...grant,
    args: redactor.json(grant.args) as JsonObject,
  });
  return {
    submit: parts.submit,
    events: createFollowing({ db, signals }),
    eventsSoFar: (turnId) => readEvents(db, turnId, 0),
    turn: (turnId) => journal.turn(turnId),
    async record(turnId) {
      const [turn, journaled] = await Promise.all([journal.turn(turnId), journal.steps(turnId)]);
      const { steps, text } = maskSteps(journaled, redactor);
      const message = text(turn?.message ?? "");
      return { message, steps: parts.inspect ? steps : withoutPrompts(steps) };
    },
    conversation: (id) => inbox.conversation(id),
    conversations: (surface, limit, takenPartBy) => inbox.conversations(surface, limit, takenPartBy),
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
      (await waitingFor(actor, await ledger.list({ state: "pending" }), membership)).map(masked),
    ...privacy,
    onChange: (listener) => changes.onChange(listener),
  };
}

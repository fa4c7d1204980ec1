import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { TurnEvent, TurnPhase, TurnResult } from "#contract/turn.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { actorName } from "../base/ids.ts";
import { canonicalJson } from "../base/json.ts";
import { pauseAfter } from "../base/time.ts";
import { oneLine } from "../base/text.ts";
import { toolById } from "../base/tool-names.ts";
import { titledChoices } from "../base/tool-words.ts";
import { en, type Words } from "../base/words/en.ts";
import { recordedText } from "../base/words/recorded.ts";
import { wordsOf } from "../base/words/words.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import { type ApprovalDraft, existingApproval, maskApproval } from "../ledger/rows.ts";
import type { AuditNote } from "../ledger/transact.ts";
import type { Tx } from "../store/schema.ts";
import { isStoreDamage, isStoreTrouble } from "../store/store-errors.ts";
import { type Dispatcher, isOpen, type NeededApproval } from "./dispatch.ts";
import type { TurnEnding } from "./journal.ts";
import { mendQuestion } from "./mend.ts";
import { type NextDeps, nextSteps } from "./next.ts";
import { rowsBefore } from "./pages.ts";
import { createPlanning, observationsOf, type PlanningDeps, toPlanInput } from "./planning.ts";
import {
  approvalReply,
  inMarkdown,
  localReply,
  questionReply,
  statusReply,
  waitingReply,
} from "./replies.ts";
import {
  isModelFree,
  plannerOf,
  presentCalls,
  type PresentedCall,
  toTurnResult,
  type TurnRecord,
} from "./results.ts";
import type { CallRecord, StoredTurn } from "./rows.ts";

export interface OrchestratorDeps extends PlanningDeps, Omit<NextDeps, "say"> {
  ledger: Ledger;
  dispatcher: Dispatcher;
  /** Turns that became ready while another was worked on, see LedgerOptions.onContinue. */
  onContinue: (turn: ReadyTurn) => void;
}

/** Why a run was cut short; the `reason` of the abort signal. */
export type StopReason = { by: ActorId } | "shutdown";

/** Gives a turn up after this many runs that recorded nothing: it may be what kills the process. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a turn from wherever its journal says it stands, until it ends or waits for a person. Never
 * rejects for what the turn did: failures end the turn with an error event.
 */
export function createOrchestrator(
  deps: OrchestratorDeps,
): (turnId: string, signal: AbortSignal) => Promise<void> {
  const { journal, ledger, planner, now } = deps;
  const planOf = createPlanning(deps, statusEvent);
  /** Turns whose last run here ended as the store took nothing, which says nothing of the turn. */
  const stalled = new Set<string>();

  async function run(turnId: string, signal: AbortSignal): Promise<void> {
    const turn = await journal.begin(turnId, { isCounted: !stalled.has(turnId) });
    stalled.delete(turnId);
    if (turn === undefined) return;
    try {
      // The stop was promised before the process died that had to make it.
      if (turn.stoppedBy !== undefined) return await endStopped(turn, turn.stoppedBy);
      if (turn.attempts > MAX_ATTEMPTS) {
        throw new CountersignError(
          "turn_abandoned",
          `This turn was begun ${turn.attempts} times without getting any further, so I gave up.`,
        );
      }
      await advance(turn, signal);
    } catch (error) {
      await endBadly(turn, error, signal);
    }
  }

  async function advance(turn: StoredTurn, signal: AbortSignal): Promise<void> {
    for (let step = 1; ; step += 1) {
      const planned = await planOf(turn, step, signal);
      const say = wordsIn(turn);
      if (planned === undefined) return finish(turn, say.reply.steps(deps.maxSteps), signal);
      const { outcome } = planned.plan;
      if (outcome.kind === "message") {
        const { message, choices } = outcome;
        return end(
          turn,
          recordedText(message, say),
          choices && { choices: titledChoices(deps.tools, choices) },
        );
      }
      if (outcome.kind === "question") {
        const { question } = outcome;
        return end(turn, questionReply(question, toolById(deps.tools, question.tool), say), { question });
      }
      if (outcome.kind === "final") return finish(turn, undefined, signal);
      if (outcome.kind === "failed") throw new CountersignError(outcome.code, outcome.message);
      if (!planned.isNew) await journal.emit(turn, statusEvent(turn, "executing_tools"));
      const dispatched = await deps.dispatcher.dispatch(turn, step, signal);
      if (dispatched.kind === "ask") {
        if (await ask(turn, dispatched.needed, planned.plan.later)) return;
        step -= 1; // Policy allowed the change: the same step goes on and runs it.
      } else if (dispatched.kind === "halted") {
        if (await halt(turn, dispatched.approvals, planned.plan.later)) return;
        step -= 1; // Somebody decided meanwhile: the same step goes on.
      } else if (!isModelFree(planned.plan.planner)) {
        // A model takes its time over what comes next, or over the words: people see the results meanwhile.
        const found = toTurnResult(turn, "", await gather(turn), now(), say);
        await journal.found(turn, found);
      }
    }
  }

  /** Drawing a large result takes its time: others have theirs before the turn goes on. */
  async function present(turn: StoredTurn, calls: CallRecord[]): Promise<PresentedCall[]> {
    const before = await rowsBefore(deps.db, turn, calls, deps.tools);
    const begun = performance.now();
    const presented = presentCalls(calls, { ...deps, before, spoken: deps.language?.(turn.channel) });
    await pauseAfter(begun);
    return presented;
  }

  function wordsIn({ channel }: StoredTurn): Words {
    return wordsOf(deps.language?.(channel));
  }

  function statusEvent(turn: StoredTurn, phase: TurnPhase): TurnEvent {
    return { type: "status", phase, elapsedMs: Math.max(0, now() - turn.createdAt) };
  }

  /**
   * Ends the turn as waiting for all that need a person, up to the first that does not; where that is the first
   * of all, records that policy or a grant allowed it. Tells which.
   */
  async function ask(turn: StoredTurn, needed: NeededApproval[], later: string[] = []): Promise<boolean> {
    const drafts: ApprovalDraft[] = [];
    for (const one of needed) {
      const statement = later.length === 0 ? one.statement : { ...one.statement, later };
      const draft = draftOf(turn, { ...one, statement });
      if (one.decision.decision !== "allow" && !(await ledger.isGranted(draft))) {
        // The same change twice is asked for once; its twin is asked for when it is known what became of it.
        if (drafts.some((other) => isSameCall(other, draft))) break;
        drafts.push(draft);
        continue;
      }
      if (drafts.length > 0) break;
      const requested = await journal.request(turn, (tx, note) => ledger.request(tx, note, draft));
      for (const other of requested.superseded) deps.onContinue(other);
      return false;
    }
    const superseded: ReadyTurn[] = [];
    const context = await gather(turn);
    const request = async (tx: Tx, note: AuditNote): Promise<TurnEnding> => {
      const asked: Approval[] = [];
      superseded.length = 0;
      for (const draft of drafts) {
        // A grant that came since would approve what this transaction shows as waiting.
        const requested = await ledger.request(tx, note, { ...draft, mayUseGrant: false });
        superseded.push(...requested.superseded);
        asked.push(requested.approval);
      }
      return waiting(turn, asked, context);
    };
    await journal.end(turn, request, "request");
    for (const one of superseded) deps.onContinue(one);
    return true;
  }

  /**
   * Requests that still wait end the turn for now; where none does and nothing was made, it ends for good. False
   * when one was decided since it was looked at: then the turn goes on.
   */
  async function halt(turn: StoredTurn, approvals: Approval[], later: string[] = []): Promise<boolean> {
    if (!approvals.some(isOpen)) {
      const say = wordsIn(turn);
      const refused = refusedWords(approvals) || say.reply.nothingChanged;
      await end(turn, [refused, ...leftWords(later, say)].join("\n\n"));
      return true;
    }
    const context = await gather(turn);
    return journal.end(turn, async (tx) => {
      // A decision locks the turn: either this sees the decision, or the decision sees the turn wait.
      const current: Approval[] = [];
      for (const { id } of approvals) current.push(await existingApproval(tx, id));
      const isSame = current.every(({ state }, at) => state === approvals[at]?.state);
      return isSame ? waiting(turn, current, context) : undefined;
    });
  }

  function waiting(turn: StoredTurn, approvals: Approval[], context: TurnRecord): TurnEnding {
    const [first, ...others] = approvals.map((approval) => maskApproval(approval, deps.redactor));
    const say = wordsIn(turn);
    const reply = waitingReply(first === undefined ? [] : [first, ...others]);
    const result: TurnResult = {
      ...toTurnResult(turn, reply ?? say.reply.needsApproval, context, now(), say),
      ...(first === undefined ? {} : { pendingConfirmation: first }),
      ...(others.length === 0 ? {} : { alsoPending: others }),
    };
    return {
      state: "pending_confirmation",
      result,
      events: [statusEvent(turn, "awaiting_approval"), { type: "result", result }],
    };
  }

  /** Answers from what the calls brought. */
  async function finish(turn: StoredTurn, notice: string | undefined, signal: AbortSignal): Promise<void> {
    const begun = now();
    const recorded = await journal.reply(turn.id);
    if (recorded !== undefined) return end(turn, recorded);
    const calls = await journal.calls(turn.id);
    const question = mendQuestion(calls, deps.tools);
    const mend = question === undefined ? {} : { question };
    const presented = await present(turn, calls);
    const results = presented.map((one) => one.result);
    const plans = await journal.plans(turn.id);
    const step = plans.length;
    const plannedBy = plannerOf(plans);
    const say = wordsIn(turn);
    // Of several changes some may have been made and others refused.
    const refused = refusedWords(await ledger.list({ turnId: turn.id }));
    const withNotice = (text: string): string =>
      [notice === undefined ? "" : say.reply.hereIs(notice), text, refused]
        .filter((part) => part !== "")
        .join("\n\n");
    const observations = observationsOf(turn, presented, plans, deps);
    const mayTell = (at: number): boolean => observations[at]?.permit !== undefined;
    const local = turn.allowSummarization ? localReply(results, mayTell, say) : statusReply(results, say);
    const last = plans.at(-1)?.plan.outcome;
    const decided = last?.kind === "final" ? last : undefined;
    const endWithout = (text: string): Promise<void> =>
      end(turn, withNotice(text), { ...mend, recordedAt: step, summarizingMs: now() - begun });
    const isDecided = decided?.reply !== undefined || decided?.local;
    if (isDecided || !turn.allowSummarization || isModelFree(plannedBy))
      return endWithout(decided?.reply === undefined ? local : recordedText(decided.reply, say));
    await journal.emit(turn, statusEvent(turn, "summarizing"));
    // Made private a moment ago, which the last write has seen.
    if (!turn.allowSummarization) return endWithout(statusReply(results, say));
    const asked = await toPlanInput(turn, presented, plans, deps, signal);
    const answer = await planner.respond({ ...asked, localReply: local, planner: plannedBy }, signal);
    signal.throwIfAborted();
    const reply = withNotice(answer.reply);
    await journal.replyOutcome(turn, { ...answer, step, reply });
    return end(turn, reply, { ...mend, summarizingMs: now() - begun });
  }

  /** `recordedAt`: the step whose answer this is, where it is recorded only now. */
  async function end(
    turn: StoredTurn,
    reply: string,
    extra: Pick<TurnResult, "question" | "choices"> & { summarizingMs?: number; recordedAt?: number } = {},
  ): Promise<void> {
    const { summarizingMs, recordedAt, ...asked } = extra;
    const context = await gather(turn, summarizingMs);
    const say = wordsIn(turn);
    const next = nextSteps(context.presented, turn.channel, { ...deps, say });
    const result: TurnResult = {
      ...toTurnResult(turn, reply, context, now(), say),
      ...asked,
      ...(next.length === 0 ? {} : { next }),
    };
    await journal.end(turn, () => ({
      state: "done",
      result,
      ...(recordedAt === undefined ? {} : { reply: { step: recordedAt, reply } }),
      events: [
        ...(recordedAt === undefined ? [] : [statusEvent(turn, "summarizing")]),
        statusEvent(turn, "done"),
        { type: "result", result },
      ],
    }));
  }

  async function gather(turn: StoredTurn, summarizingMs = 0): Promise<TurnRecord> {
    const calls = await journal.calls(turn.id);
    const plans = await journal.plans(turn.id);
    const approvals = await ledger.list({ turnId: turn.id });
    return { presented: await present(turn, calls), calls, plans, approvals, summarizingMs };
  }

  async function endBadly(turn: StoredTurn, error: unknown, signal: AbortSignal): Promise<void> {
    const stop: unknown = signal.aborted ? signal.reason : stopOf(error);
    if (codeOf(error) === "run_replaced") return;
    if (isStop(stop)) return endStopped(turn, stop.by);
    // A shutdown, or the queue gave the turn to another process: there it goes on from the journal.
    if (signal.aborted) return;
    // What the store did not take is no failure of the turn: it goes on from the journal later.
    if (isStoreTrouble(error)) {
      if (!isStoreDamage(error)) stalled.add(turn.id);
      throw error;
    }
    const code = codeOf(error) ?? "internal_error";
    await journal.end(turn, () => failure(turn, "failed", code, messageOf(error)));
  }

  async function endStopped(turn: StoredTurn, by: ActorId): Promise<void> {
    const message = en.recorded.stoppedBy(actorName(by));
    await journal.end(turn, () => failure(turn, "stopped", "stopped", message));
  }

  function failure(turn: StoredTurn, state: "failed" | "stopped", code: string, message: string): TurnEnding {
    return {
      state,
      error: { code, message },
      events: [statusEvent(turn, "done"), { type: "error", code, message }],
    };
  }

  return run;
}

function draftOf(turn: StoredTurn, { call, ...needed }: NeededApproval): ApprovalDraft {
  const { id: turnId, conversationId, channel, actor: requestedBy } = turn;
  const { args, sources } = call;
  const about = { turnId, callId: call.id, conversationId, channel, requestedBy, args };
  return { ...about, ...(sources === undefined ? {} : { sources }), ...needed };
}

function isSameCall(one: ApprovalDraft, other: ApprovalDraft): boolean {
  return one.tool.id === other.tool.id && canonicalJson(one.args) === canonicalJson(other.args);
}

/** What people hear of requests whose calls were not made; "" where each call tells its own story. */
function refusedWords(approvals: readonly Approval[]): string {
  const said = approvals
    .filter(({ replacedBy }) => replacedBy === undefined)
    .flatMap((approval) => approvalReply(approval) ?? []);
  return [...new Set(said)].join("\n\n");
}

/** What was to be asked for after what was refused. */
function leftWords(later: readonly string[], say: Words): string[] {
  const wishes = later.map((wish) => say.quote(inMarkdown(oneLine(wish, 120))));
  return wishes.length === 0 ? [] : [say.reply.didNotGoOn(say.and(wishes))];
}

function isStop(reason: unknown): reason is { by: ActorId } {
  return typeof reason === "object" && reason !== null && "by" in reason;
}

/** The stop that Journal.end found, see there. */
function stopOf(error: unknown): unknown {
  return error instanceof CountersignError && error.code === "turn_stopped" ? error.details : undefined;
}

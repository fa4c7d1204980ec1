import type { ActorId } from "#contract/actor.ts";
import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { NextStep, PlannedStep } from "#contract/plan.ts";
import type { LimitedTurn, TurnEvent, TurnPhase, TurnResult } from "#contract/turn.ts";

import { readChartWish } from "../base/charts.ts";
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
import { type NameOf, nobodyKnown, withNames } from "../ledger/eligibility.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import { type ApprovalDraft, existingApproval, maskApproval } from "../ledger/rows.ts";
import type { AuditNote } from "../ledger/transact.ts";
import type { Tx } from "../store/schema.ts";
import { isStoreDamage, isStoreTrouble } from "../store/store-errors.ts";
import { type Dispatcher, isOpen, type NeededApproval } from "./dispatch.ts";
import type { Journal } from "./journal.ts";
import { limitedText } from "./limits.ts";
import { mendQuestion } from "./mend.ts";
import { askAgain, isSoAlready, meantSteps, type NextDeps, nextSteps } from "./next.ts";
import { rowsBefore } from "./pages.ts";
import { createPlanning, observationsOf, type PlanningDeps, toPlanInput } from "./planning.ts";
import type { Hold } from "./queue.ts";
import {
  approvalReply,
  inMarkdown,
  localReply,
  questionReply,
  statusReply,
  waitingReply,
  withAsides,
} from "./replies.ts";
import {
  isModelFree,
  plannerOf,
  presentCalls,
  type PresentedCall,
  toTurnResult,
  type TurnRecord,
} from "./results.ts";
import type { RecordedPlan, StoredTurn } from "./rows.ts";
import type { TurnEnding, TurnRun } from "./run.ts";

export interface OrchestratorDeps extends PlanningDeps, Omit<NextDeps, "say"> {
  journal: Journal;
  ledger: Ledger;
  dispatcher: Dispatcher;
  /** Turns that became ready while another was worked on, see LedgerOptions.onContinue. */
  onContinue: (turn: ReadyTurn) => void;
  /** What people are called in answers; absent: by their ids. */
  knownName?: NameOf;
  /** See Questions. */
  closeUnheard?: (turnId: string) => Promise<void>;
  now: () => number;
}

/** `how`: see Journal.open. Resolves to the turn as the run leaves it; undefined where there was nothing to do. */
export type RunTurn = (
  turnId: string,
  signal: AbortSignal,
  how?: { isFresh?: boolean; letGo?: Hold["letGo"] },
) => Promise<StoredTurn | undefined>;

/** What is known of a turn before it is gathered. */
type Known = { [Part in "summarizingMs" | "presented" | "approvals"]?: TurnRecord[Part] | undefined };

/** Why a run was cut short; the `reason` of the abort signal. */
export type StopReason = { by: ActorId } | "shutdown";

/** Of requests that a turn closes when it ends. */
const CLOSED_AT_END: ReadonlySet<ApprovalState> = new Set(["pending", "approved", "executing"]);

/** Gives a turn up after this many runs that recorded nothing: it may be what kills the process. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a turn from wherever its journal says it stands, until it ends or waits for a person. Never
 * rejects for what the turn did: failures end the turn with an error event.
 */
export function createOrchestrator(deps: OrchestratorDeps): RunTurn {
  const { journal, ledger, planner, now } = deps;
  const planOf = createPlanning(deps, statusEvent);
  /** Turns whose last run here ended as the store took nothing, which says nothing of the turn. */
  const stalled = new Set<string>();

  const runTurn: RunTurn = async (turnId, signal, { isFresh = false, letGo } = {}) => {
    const run = await journal.open(turnId, { isCounted: !stalled.has(turnId), isFresh, letGo });
    stalled.delete(turnId);
    if (run === undefined) return undefined;
    const { turn } = run;
    try {
      // A call of a run that did not come to its end may have asked something; a turn that was not begun waits as queued.
      if (turn.state === "running") await deps.closeUnheard?.(turnId);
      // The stop was promised before the process died that had to make it.
      if (turn.stoppedBy !== undefined) await endStopped(run, turn.stoppedBy);
      else if (turn.attempts > MAX_ATTEMPTS) {
        throw new CountersignError(
          "turn_abandoned",
          `This turn was begun ${turn.attempts} times without getting any further, so I gave up.`,
        );
      } else await advance(run, signal);
    } catch (error) {
      await endBadly(run, error, signal);
    }
    return turn;
  };

  async function advance(run: TurnRun, signal: AbortSignal): Promise<void> {
    const { turn } = run;
    if (turn.limited !== undefined && turn.limited.waits !== true) {
      await end(run, limitedText(turn.limited, wordsIn(turn)), { limited: turn.limited });
      return;
    }
    for (let step = 1; ; step += 1) {
      // What was approved runs first, and what was found is told; nothing more is planned.
      if (run.limited !== undefined && run.plans.length < step)
        return finishLimited(run, run.limited, signal);
      const planned = await planOf(run, step, signal);
      const say = wordsIn(turn);
      if (planned === undefined) return finish(run, say.reply.steps(deps.maxSteps), signal);
      const { outcome } = planned.plan;
      if (outcome.kind === "message") {
        const { message, choices } = outcome;
        return end(
          run,
          recordedText(message, say),
          choices && { choices: titledChoices(deps.tools, choices) },
        );
      }
      if (outcome.kind === "question") {
        const { question } = outcome;
        return end(run, questionReply(question, toolById(deps.tools, question.tool), say), { question });
      }
      if (outcome.kind === "final") return finish(run, undefined, signal);
      if (outcome.kind === "failed") throw new CountersignError(outcome.code, outcome.message);
      if (!planned.isNew) run.tell(statusEvent(turn, "executing_tools"));
      const dispatched = await deps.dispatcher.dispatch(run, step, signal);
      if (dispatched.kind === "ask") {
        if (await ask(run, dispatched.needed, planned.plan)) return;
        step -= 1; // Policy allowed the change: the same step goes on and runs it.
      } else if (dispatched.kind === "halted") {
        if (await halt(run, dispatched.approvals, planned.plan.later)) return;
        step -= 1; // Somebody decided meanwhile: the same step goes on.
      } else if (planned.plan.replaces === true) {
        await supersedeBefore(run);
      } else if (!isModelFree(planned.plan.planner)) {
        // A model takes its time over what comes next, or over the words: people see the results meanwhile.
        run.found(toTurnResult(turn, "", await gather(run), now(), say));
      }
    }
  }

  /** Drawing a large result takes its time: others have theirs before the turn goes on. */
  async function present(
    { turn, calls, plans }: TurnRun,
    approvals: readonly Approval[],
  ): Promise<PresentedCall[]> {
    const before = await rowsBefore(deps.db, turn, calls, deps.tools);
    const begun = performance.now();
    const presented = presentCalls(calls, {
      ...deps,
      before,
      approved: new Map(approvals.map(({ id, statement }) => [id, statement])),
      spoken: deps.language?.(turn.channel),
      chart: readChartWish(turn.message).wish,
    });
    await pauseAfter(begun);
    if (!plans.some(({ plan }) => /\bI looked\b/.test(plan.notice ?? ""))) return presented;
    const results = withAsides(
      presented.map(({ result }) => result),
      { say: wordsIn(turn), message: askedIn(turn, plans) },
    );
    return presented.map((one, at) => ({ ...one, result: results[at] ?? one.result }));
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
  async function ask(
    run: TurnRun,
    needed: NeededApproval[],
    { later = [], replaces }: Pick<PlannedStep, "later" | "replaces">,
  ): Promise<boolean> {
    const { turn } = run;
    const drafts: ApprovalDraft[] = [];
    let superseded: ReadyTurn[] = [];
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
      await run.request(async (tx, note) => {
        superseded = replaces ? await ledger.supersedeBefore(tx, note, turn) : [];
        const requested = await ledger.request(tx, note, draft);
        superseded.push(...requested.superseded);
        one.call.approvalId = requested.approval.id;
      });
      for (const other of superseded) deps.onContinue(other);
      return false;
    }
    const context = await gather(run);
    const request = async (tx: Tx, note: AuditNote): Promise<TurnEnding> => {
      const asked: Approval[] = [];
      superseded = replaces ? await ledger.supersedeBefore(tx, note, turn) : [];
      for (const draft of drafts) {
        // A grant that came since would approve what this transaction shows as waiting.
        const requested = await ledger.request(tx, note, { ...draft, mayUseGrant: false });
        superseded.push(...requested.superseded);
        asked.push(requested.approval);
      }
      return waiting(turn, asked, context);
    };
    await run.end(request, "request");
    for (const one of superseded) deps.onContinue(one);
    return true;
  }

  /** What was wished otherwise is so already, or failed its dry run: what was asked for before is not wished all the same. */
  async function supersedeBefore(run: TurnRun): Promise<void> {
    let superseded: ReadyTurn[] = [];
    await run.request(async (tx, note) => {
      superseded = await ledger.supersedeBefore(tx, note, run.turn);
    });
    for (const one of superseded) deps.onContinue(one);
  }

  /**
   * Requests that still wait end the turn for now; where none does and nothing was made, it ends for good. False
   * when one was decided since it was looked at: then the turn goes on.
   */
  async function halt(run: TurnRun, approvals: Approval[], later: string[] = []): Promise<boolean> {
    const { turn } = run;
    if (!approvals.some(isOpen)) {
      const say = wordsIn(turn);
      const refused = refusedWords(await named(approvals)) || say.reply.nothingChanged;
      const left = isAskedOtherwise(approvals) ? [] : wishWords(later, say, say.reply.didNotGoOn);
      await end(run, [refused, ...left].join("\n\n"));
      return true;
    }
    const context = await gather(run);
    return run.end(async (tx) => {
      // A decision locks the turn: either this sees the decision, or the decision sees the turn wait.
      await run.lock(tx);
      const current: Approval[] = [];
      for (const { id } of approvals) current.push(await existingApproval(tx, id));
      const isSame = current.every(({ state }, at) => state === approvals[at]?.state);
      return isSame ? waiting(turn, current, context) : undefined;
    });
  }

  function waiting(turn: StoredTurn, approvals: Approval[], context: TurnRecord): TurnEnding {
    const [first, ...others] = approvals.map((approval) => maskApproval(approval, deps.redactor));
    const say = wordsIn(turn);
    const reply = waitingReply(first === undefined ? [] : [first, ...others]) ?? say.reply.needsApproval;
    const further = wishWords(first?.statement.later ?? [], say, say.approval.later);
    const result: TurnResult = {
      ...toTurnResult(turn, [reply, ...further].join("\n\n"), context, now(), say),
      ...(first === undefined ? {} : { pendingConfirmation: first }),
      ...(others.length === 0 ? {} : { alsoPending: others }),
    };
    return {
      state: "pending_confirmation",
      result,
      events: [statusEvent(turn, "awaiting_approval"), { type: "result", result }],
    };
  }

  function finishLimited(run: TurnRun, limited: LimitedTurn, signal: AbortSignal): Promise<void> {
    const say = wordsIn(run.turn);
    return finish(run, `${say.limited.stopped} ${limitedText(limited, say)}`, signal, limited);
  }

  /** Answers from what the calls brought. `limited`: no model may be asked for the words. */
  async function finish(
    run: TurnRun,
    notice: string | undefined,
    signal: AbortSignal,
    limited?: LimitedTurn,
  ): Promise<void> {
    const { turn, calls, plans } = run;
    const begun = now();
    if (run.reply !== undefined) return end(run, run.reply);
    const question = mendQuestion(calls, deps.tools);
    const mend = {
      ...(question === undefined ? {} : { question }),
      ...(limited === undefined ? {} : { limited }),
    };
    // Of several changes some may have been made and others refused.
    const approvals = await requestsOf(run);
    const presented = await present(run, approvals);
    const step = plans.length;
    const plannedBy = plannerOf(plans);
    const say = wordsIn(turn);
    const results = presented.map((one) => one.result);
    const refused = refusedWords(approvals);
    const withNotice = (text: string): string =>
      [notice === undefined ? "" : say.reply.hereIs(notice), text, refused]
        .filter((part) => part !== "")
        .join("\n\n");
    const observations = observationsOf(turn, presented, plans, deps);
    const mayTell = (at: number): boolean => observations[at]?.permit !== undefined;
    const local = turn.allowSummarization
      ? localReply(results, { mayTell, say, message: askedIn(turn, plans) })
      : statusReply(results, say);
    const last = plans.at(-1)?.plan.outcome;
    const decided = last?.kind === "final" ? last : undefined;
    const endAtOnce = (text: string): Promise<void> => {
      const reply = withNotice(text);
      run.answered({ step, reply });
      run.tell(statusEvent(turn, "summarizing"));
      return end(run, reply, { ...mend, presented, approvals, summarizingMs: now() - begun });
    };
    const isDecided = decided?.reply !== undefined || decided?.local || limited !== undefined;
    if (isDecided || !turn.allowSummarization || isModelFree(plannedBy))
      return endAtOnce(decided?.reply === undefined ? local : recordedText(decided.reply, say));
    await run.emit(statusEvent(turn, "summarizing"));
    // Made private a moment ago, which the last write has seen.
    if (!turn.allowSummarization) return endAtOnce(statusReply(results, say));
    const asked = await toPlanInput(turn, presented, plans, deps, signal);
    const answer = await planner.respond({ ...asked, localReply: local, planner: plannedBy }, signal);
    signal.throwIfAborted();
    const reply = withNotice(answer.reply);
    run.answered({ ...answer, step, reply });
    await run.commit();
    return end(run, reply, { ...mend, presented, approvals, summarizingMs: now() - begun });
  }

  /** `presented` and `approvals`: of the turn, where they are known. */
  async function end(
    run: TurnRun,
    reply: string,
    extra: Pick<TurnResult, "question" | "choices" | "limited"> & Known = {},
  ): Promise<void> {
    const { turn } = run;
    const { summarizingMs, presented, approvals, ...asked } = extra;
    const context = await gather(run, { summarizingMs, presented, approvals });
    const say = wordsIn(turn);
    const meant = run.plans
      .flatMap(({ plan }) => (context.approvals.length > 0 ? [] : (plan.meant ?? [])))
      .filter((change) => !isSoAlready(change, context.presented));
    const place = { channel: turn.channel, language: deps.language?.(turn.channel) };
    const offered = meantSteps(meant, place, deps);
    const next = [
      ...offered,
      ...nextSteps(context.presented, turn.channel, { ...deps, say }),
      ...askAgain(context.approvals, say),
    ];
    const result: TurnResult = {
      ...toTurnResult(turn, [reply, ...ifMeant(offered, say)].join("\n\n"), context, now(), say),
      ...asked,
      ...(next.length === 0 ? {} : { next }),
    };
    const isClear = !context.approvals.some(({ state }) => CLOSED_AT_END.has(state));
    await run.end({
      state: "done",
      result,
      isClear,
      events: [statusEvent(turn, "done"), { type: "result", result }],
    });
  }

  async function gather(run: TurnRun, known: Known = {}): Promise<TurnRecord> {
    const { calls, plans } = run;
    const { summarizingMs = 0 } = known;
    const approvals = known.approvals ?? (await requestsOf(run));
    const presented = known.presented ?? (await present(run, approvals));
    return { presented, calls, plans, approvals, summarizingMs };
  }

  const named = (approvals: readonly Approval[]): Promise<Approval[]> =>
    withNames(approvals, deps.knownName ?? nobodyKnown);

  /** The newest first. */
  async function requestsOf({ turn, calls, ended }: TurnRun): Promise<Approval[]> {
    const ids = calls.flatMap(({ approvalId }) => approvalId ?? []);
    const known = ids.flatMap((id) => ended.get(id) ?? []);
    const all =
      known.length < ids.length
        ? await ledger.list({ turnId: turn.id })
        : known.toReversed().toSorted((a, b) => b.createdAt - a.createdAt);
    return all.length === 0 ? all : named(all);
  }

  async function endBadly(run: TurnRun, error: unknown, signal: AbortSignal): Promise<void> {
    const stop: unknown = signal.aborted ? signal.reason : stopOf(error);
    if (codeOf(error) === "run_replaced") return;
    if (isStop(stop)) return endStopped(run, stop.by);
    // A shutdown, or the queue gave the turn to another process: there it goes on from the journal.
    if (signal.aborted) return;
    // What the store did not take is no failure of the turn: it goes on from the journal later.
    if (isStoreTrouble(error)) {
      if (!isStoreDamage(error)) stalled.add(run.turn.id);
      throw error;
    }
    const code = codeOf(error) ?? "internal_error";
    await endWithout(run, failure(run.turn, "failed", code, messageOf(error)));
  }

  async function endStopped(run: TurnRun, by: ActorId): Promise<void> {
    const message = en.recorded.stoppedBy(actorName(by));
    await endWithout(run, failure(run.turn, "stopped", "stopped", message));
  }

  /** Where what waited is what cannot be written, the turn ends without it. */
  async function endWithout(run: TurnRun, ending: TurnEnding): Promise<void> {
    try {
      await run.end(ending);
    } catch (error) {
      if (isStoreTrouble(error)) throw error;
      run.drop();
      await run.end(ending);
    }
  }

  function failure(turn: StoredTurn, state: "failed" | "stopped", code: string, message: string): TurnEnding {
    return {
      state,
      error: { code, message },
      events: [statusEvent(turn, "done"), { type: "error", code, message }],
    };
  }

  return runTurn;
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

/** What can be chosen where no change was asked for. */
function ifMeant(offered: readonly NextStep[], say: Words): string[] {
  const changes = offered.map(({ title }) => `**${inMarkdown(title)}**`);
  return changes.length === 0 ? [] : [say.reply.ifMeant(say.or(changes))];
}

/** What a turn asks: its message, or what that means behind the one before. */
function askedIn({ message }: StoredTurn, plans: readonly RecordedPlan[]): string {
  return plans.find(({ plan }) => plan.asks !== undefined)?.plan.asks ?? message;
}

/** Whether all was asked for otherwise since: what was to follow waits behind that. */
function isAskedOtherwise(approvals: readonly Approval[]): boolean {
  const why = en.recorded.askedOtherwise();
  return approvals.every(({ state, note }) => state === "superseded" && note === why);
}

/** What is said of the wishes that are still to be asked for; nothing where there are none. */
function wishWords(later: readonly string[], say: Words, sentence: (wishes: string) => string): string[] {
  const wishes = later.map((wish) => say.quote(inMarkdown(oneLine(wish, 120))));
  return wishes.length === 0 ? [] : [sentence(say.and(wishes))];
}

function isStop(reason: unknown): reason is { by: ActorId } {
  return typeof reason === "object" && reason !== null && "by" in reason;
}

/** The stop that Journal.end found, see there. */
function stopOf(error: unknown): unknown {
  return error instanceof CountersignError && error.code === "turn_stopped" ? error.details : undefined;
}

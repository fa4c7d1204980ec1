import type { Approval, CallTarget, Effect, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement } from "#contract/statement.ts";
import type { CallOutcome, CallProgress, CallRequest, Tool, ToolBox } from "#contract/tool.ts";
import type { TurnEvent } from "#contract/turn.ts";

import { targetsOf } from "../base/call-targets.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { isObject } from "../base/json.ts";
import { alreadyText, changedSince, sinceText } from "../base/statement.ts";
import { sleep } from "../base/time.ts";
import { toolById } from "../base/tool-names.ts";
import { toolTitle } from "../base/tool-words.ts";
import { en } from "../base/words/en.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Files } from "./files.ts";
import { type CallIdentity, identityOf, type TurnCredentials } from "./inbox.ts";
import type { Questions, Sample } from "./questions.ts";
import { canPreview, type ReviewCall } from "./review.ts";
import type { CallRecord, StoredTurn } from "./rows.ts";
import type { TurnRun } from "./run.ts";

export interface DispatchDeps {
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  ledger: Ledger;
  now: () => number;
  failPoint: FailPoint;
  review: ReviewCall;
  /** See Questions.ask. */
  ask: Questions["ask"];
  files: Pick<Files, "keep">;
  /** What the person gave for the turn's calls. */
  credentials?: TurnCredentials["of"];
  /** Absent: servers get no answer of a model. */
  sample?: Sample;
  log: { info(data: object, message: string): void };
}

/** A change that needs approval before it may run. */
export interface NeededApproval {
  call: CallRecord;
  tool: Tool;
  decision: PolicyDecision;
  effect?: Effect;
  statement: Statement;
  targets: CallTarget[];
}

interface Read {
  call: CallRecord;
  tool: Tool;
}

/** How the calls of a step stand after dispatch. */
export type DispatchResult =
  | { kind: "done" }
  /** Ask for these, in this order, and end the turn for now. */
  | { kind: "ask"; needed: NeededApproval[] }
  /** Requests of this step wait for a person, or none of its calls was made as all of its requests ended before. */
  | { kind: "halted"; approvals: Approval[] };

/** What became of one call of a step; undefined: it was made, or cannot be. */
type ChangeResult = { kind: "ask"; needed: NeededApproval } | { kind: "halted"; approval: Approval };

/** What a call is and what policy says of it, as they are now. */
type Current = Pick<NeededApproval, "tool" | "decision">;

/** How often a lease of another worker is looked at while it holds. */
const LEASE_POLL_MS = 500;

export interface Dispatcher {
  dispatch(run: TurnRun, step: number, signal: AbortSignal): Promise<DispatchResult>;
}

/**
 * Runs the calls of a step: reads side by side, then changes one at a time through the ledger. Changes that
 * need a person are asked for together, and each runs when it is approved, whatever becomes of the others.
 * Entering again goes on from what the journal says; a change that was sent is never sent again.
 */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { tools, policy, ledger, now, failPoint, review, sample } = deps;

  function decide({ channel }: StoredTurn, { toolId, args }: CallRecord): Current | undefined {
    const tool = toolById(tools, toolId);
    return tool && { tool, decision: policy(tool, args, channel) };
  }

  async function callerOf(run: TurnRun): Promise<CallIdentity> {
    run.caller ??= await identityOf(run.turn.id, run.turn, deps.credentials);
    return run.caller;
  }

  async function send(
    run: TurnRun,
    call: Pick<CallRequest, "args" | "signal" | "repeatable"> & CallIdentity & { tool: Tool },
  ): Promise<CallOutcome> {
    const { tool } = call;
    const { turn } = run;
    const report = progressReporter(tool, now, (event) => run.emit(event));
    const begun = performance.now();
    const outcome = await tools.call({
      ...call,
      onProgress: report.push,
      ask: (question, closed) => deps.ask(turn, question, closed),
      ...(sample === undefined ? {} : { sample: (wanted, ended) => sample(turn, wanted, ended) }),
    });
    const { ok, error } = outcome;
    const ms = Math.round(performance.now() - begun);
    const about = { turn: turn.id, conversation: turn.conversationId, tool: tool.id, server: tool.server };
    deps.log.info({ ...about, ok, ms, ...(error === undefined ? {} : { code: error.code }) }, "call made");
    await report.flush();
    if (outcome.files === undefined) return outcome;
    return { ...outcome, files: await deps.files.keep(turn.id, tool.id, outcome.files) };
  }

  async function runReads(run: TurnRun, reads: readonly Read[], signal: AbortSignal): Promise<void> {
    if (reads.length === 0) return;
    await run.callIntents(
      reads.map(({ call }) => call),
      reads.map(({ tool }) => calling(tool)),
    );
    const caller = await callerOf(run);
    const made = reads.map(async ({ call, tool }) => {
      const outcome = await send(run, { tool, args: call.args, ...caller, signal, repeatable: true });
      failPoint("send.after");
      // A read that was cut short by a stop or a shutdown is made again when the turn goes on.
      if (!signal.aborted) run.callOutcome(call, outcome.ok ? "done" : "failed", outcome);
    });
    await Promise.all(made);
  }

  /**
   * What people read before they approved is looked at again right before it is done: where it changed they are
   * asked anew, and where nobody can tell nothing is done.
   */
  async function lastLook(
    { records }: TurnRun,
    call: CallRecord,
    approval: Approval,
    { tool }: Current,
    caller: CallIdentity,
    signal: AbortSignal,
  ): Promise<{
    changed?: Pick<NeededApproval, "statement" | "effect" | "targets"> & { why: string };
    objection?: string;
    record?: JsonValue | undefined;
  }> {
    const { args, effect, createdAt, decidedAt } = approval;
    // A standing approval or policy allowed it as it was asked for: nobody read it, and it was looked at just now.
    const isAllowed = decidedAt === createdAt;
    if (isAllowed && records.has(call.id)) return { record: records.get(call.id) };
    const reviewed = await review(tool, args, caller, signal);
    signal.throwIfAborted();
    if (isAllowed) return { record: reviewed.record };
    if (reviewed.refused !== undefined)
      return { objection: reviewed.refused.error?.message ?? en.recorded.notPossible() };
    // Somebody else made the same change meanwhile.
    if (reviewed.unchanged !== undefined) return { objection: alreadyText(reviewed.statement) };
    if (effect !== undefined && reviewed.effect === undefined)
      return { objection: en.recorded.didNotAnswerCheck(tool.serverTitle ?? tool.server) };
    const since = changedSince(approval, reviewed);
    if (since.length === 0) return { record: reviewed.record };
    const why = en.recorded.changedSince(sinceText(since, en));
    const { later } = approval.statement;
    const kept = later === undefined ? {} : { later };
    return { changed: { ...reviewed, statement: { ...reviewed.statement, since, ...kept }, why } };
  }

  async function runApproved(
    run: TurnRun,
    call: CallRecord,
    approval: Approval,
    signal: AbortSignal,
  ): Promise<Approval> {
    const { turn } = run;
    failPoint("continuation.before");
    const current = decide(turn, call);
    // Before the claim: what cannot be read then leaves a change that was certainly not sent.
    const caller = await callerOf(run);
    const look = current && (await lastLook(run, call, approval, current, caller, signal));
    if (look?.changed !== undefined && current !== undefined)
      return ledger.renew(approval.id, { ...current, ...look.changed });
    const asked = {
      tool: current?.tool,
      decision: current?.decision,
      seen: approval,
      ...(current && { targets: targetsOf(current.tool, caller.credentials) }),
      ...(look?.objection === undefined ? {} : { objection: look.objection }),
    };
    const event = current && calling(current.tool);
    const claimed = await run.joined(event, (also) => ledger.claim(approval.id, asked, also));
    if (!claimed.ok || current === undefined) return claimed.approval;
    return execute(run, call, current, claimed.approval, caller, signal, look?.record);
  }

  /**
   * Sends a claimed change, with the arguments that were approved, and records how it ended. `before`: what it acts
   * on, as it was read last; where its server does not say so itself, that is read again.
   */
  async function execute(
    run: TurnRun,
    call: CallRecord,
    current: Current,
    claimed: Approval,
    caller: CallIdentity,
    signal: AbortSignal,
    before?: JsonValue,
  ): Promise<Approval> {
    const { id, args } = claimed;
    const { tool } = current;
    const request = { tool, args, ...caller, signal, repeatable: isRepeatable(current) };
    const startedAt = now();
    const outcome = await ledger.whileLeased(id, () => send(run, request));
    failPoint("send.after");
    const approval = await ledger.finish(id, endOf(outcome), outcome, claimed);
    failPoint("outcome.after");
    const { state } = approval;
    if (state === "done" || state === "failed") {
      run.ended.set(id, approval);
      Object.assign(call, { state, outcome, startedAt, endedAt: now() });
    }
    // The change is known to be done before anybody looks at it: a crash from here on loses only what is seen.
    if (state === "done" && outcome.ok && before !== undefined && !saysItself(outcome.data)) {
      const readBack = await review.readBack({ tool, args, before }, caller, signal);
      if (readBack !== undefined) run.seen(call, { ...outcome, readBack });
    }
    return approval;
  }

  /** A call that was sent by a process that is gone: again if that is harmless, else nobody knows. */
  async function recover(
    run: TurnRun,
    call: CallRecord,
    approvalId: string,
    signal: AbortSignal,
  ): Promise<Approval> {
    const { turn } = run;
    await run.commit();
    const taken = await takeOver(approvalId, signal);
    if (taken.state !== "executing") return taken;
    const current = decide(turn, call);
    if (current !== undefined && isRepeatable(current)) {
      return execute(run, call, current, taken, await callerOf(run), signal);
    }
    const message = en.recorded.endedAfterSend();
    const error = { code: "transport", message, sent: "maybe" } as const;
    return ledger.finish(approvalId, "unknown", { ok: false, data: null, error });
  }

  /** Waits until the lease of the worker that sent the call has run out, or that worker has recorded the end. */
  async function takeOver(approvalId: string, signal: AbortSignal): Promise<Approval> {
    for (;;) {
      const taken = await ledger.takeOver(approvalId);
      if (taken !== undefined) return taken;
      await sleep(LEASE_POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  async function runChange(
    run: TurnRun,
    call: CallRecord,
    signal: AbortSignal,
  ): Promise<ChangeResult | undefined> {
    const { turn } = run;
    if (call.approvalId !== undefined) return runRequested(run, call, call.approvalId, signal);
    const current = decide(turn, call);
    const refuse = (code: "unknown_tool" | "refused", message: string): undefined =>
      fail({ ok: false, data: null, error: { code, message, sent: "no" } });
    const fail = (outcome: CallOutcome): undefined => {
      run.callOutcome(call, "failed", outcome);
      return undefined;
    };
    if (current === undefined) return refuse("unknown_tool", `${call.toolId} is no longer offered`);
    const { tool, decision } = current;
    if (decision.decision === "deny") return refuse("refused", `${decision.rule} denies ${call.toolId}`);
    if (canPreview(tool, call.args)) {
      const message = en.recorded.checking();
      await run.emit({ type: "progress", message, tool: tool.id });
    }
    const reviewed = await review(tool, call.args, await callerOf(run), signal);
    if (reviewed.refused !== undefined) return fail(reviewed.refused);
    const { statement, effect, targets, unchanged, record } = reviewed;
    run.records.set(call.id, record);
    if (unchanged !== undefined) {
      // Nobody is asked for what is so already; the dry run is what there is to tell.
      run.callOutcome(call, "done", unchanged);
      return undefined;
    }
    return {
      kind: "ask",
      needed: { call, tool, decision, statement, targets, ...(effect === undefined ? {} : { effect }) },
    };
  }

  async function runRequested(
    run: TurnRun,
    call: CallRecord,
    approvalId: string,
    signal: AbortSignal,
  ): Promise<ChangeResult | undefined> {
    let approval = await ledger.get(approvalId);
    if (approval?.state === "approved") approval = await runApproved(run, call, approval, signal);
    else if (approval?.state === "executing") approval = await recover(run, call, approval.id, signal);
    if (approval === undefined || approval.state === "done" || approval.state === "failed") return undefined;
    // An edit put another call of this step in its place.
    return approval.replacedBy === undefined ? { kind: "halted", approval } : undefined;
  }

  const dispatcher: Dispatcher = {
    async dispatch(run, step, signal) {
      const open = run.calls.filter(
        (call) =>
          call.step === step &&
          (call.state === "planned" || call.state === "intent" || call.approvalId !== undefined),
      );
      const reads: Read[] = [];
      const changes: CallRecord[] = [];
      for (const call of open) {
        const current = call.approvalId === undefined ? decide(run.turn, call) : undefined;
        const isRead = current?.decision.decision === "allow" && isRepeatable(current);
        if (isRead) reads.push({ call, tool: current.tool });
        else changes.push(call);
      }
      await runReads(run, reads, signal);
      const needed: NeededApproval[] = [];
      const halted: Approval[] = [];
      let made = 0;
      for (const call of changes) {
        signal.throwIfAborted();
        // What was not asked for together with the others waits until it is known what becomes of those.
        if (call.approvalId === undefined && halted.length > 0) break;
        const result = await runChange(run, call, signal);
        if (result?.kind === "ask") needed.push(result.needed);
        else if (result?.kind === "halted") halted.push(result.approval);
        else made += 1;
      }
      // The others have been moved by the ledger and by people.
      if (changes.some(({ approvalId }) => approvalId !== undefined && !run.ended.has(approvalId)))
        await run.reload();
      signal.throwIfAborted();
      // An edit put another request in the place of one while this ran: it waits for people as well.
      const isEdited = run.calls.some(
        (call) => call.step === step && call.state === "planned" && !open.some(({ id }) => id === call.id),
      );
      if (isEdited) return dispatcher.dispatch(run, step, signal);
      const waiting = halted.filter(isOpen);
      if (waiting.length > 0) return { kind: "halted", approvals: waiting };
      if (halted.length > 0 && made === 0) return { kind: "halted", approvals: halted };
      return needed.length > 0 ? { kind: "ask", needed } : { kind: "done" };
    },
  };
  return dispatcher;
}

/** The server has read its change back by itself. */
function saysItself(data: JsonValue): boolean {
  return isObject(data) && "checked" in data;
}

/** Whether a person still has to say something of it. */
export function isOpen({ state }: Pick<Approval, "state">): boolean {
  return state === "pending" || state === "unknown";
}

function calling(tool: Tool): TurnEvent {
  return { type: "progress", message: toolTitle(tool), tool: tool.id };
}

/** A call that may be made again after a crash: a read of a trusted server, or what policy declares idempotent. */
function isRepeatable({ tool, decision }: Current): boolean {
  return decision.idempotent || (tool.trusted && tool.annotations.readOnlyHint === true);
}

/** A change may have happened unless the server answered it in the words of the protocol, or was never sent it. */
function endOf({ ok, error }: CallOutcome): "done" | "failed" | "unknown" {
  if (ok) return "done";
  if (error === undefined || error.sent === "maybe") return "unknown";
  if (error.sent === "no") return "failed";
  switch (error.code) {
    case "tool_error":
    case "protocol":
      return "failed";
    // The tool answered; only its answer cannot be shown.
    case "invalid_result":
    case "too_large":
      return "done";
    default:
      return "unknown";
  }
}

function pickAmount({ progress, total }: CallProgress): Pick<CallProgress, "progress" | "total"> {
  return { ...(progress === undefined ? {} : { progress }), ...(total === undefined ? {} : { total }) };
}

/** Progress reaches people at most this often; each event is a commit. */
const PROGRESS_EVERY_MS = 200;

/** Turns progress notifications into events, the newest first when they come faster than people can read. */
function progressReporter(
  tool: Tool,
  now: () => number,
  emit: (event: TurnEvent) => Promise<void>,
): { push: (progress: CallProgress) => void; flush: () => Promise<void> } {
  let last = 0;
  let latest: CallProgress | undefined;
  /** What nothing follows is told all the same, as soon as it may be. */
  let later: NodeJS.Timeout | undefined;
  /** How far it was: what a server says beside does not take that back. */
  let known: Pick<CallProgress, "progress" | "total"> = {};
  /** A list that is ticked off as the call goes on; what a server says beside stands below it. */
  let list: string | undefined;
  let writing: Promise<void> = Promise.resolve();
  function write({ message, detail, progress }: CallProgress): void {
    clearTimeout(later);
    last = now();
    later = latest = undefined;
    const beside = list === undefined || progress !== undefined ? detail : message;
    const event: TurnEvent = {
      type: "progress",
      message: list ?? message ?? toolTitle(tool),
      ...(beside === undefined ? {} : { detail: beside }),
      tool: tool.id,
      ...known,
    };
    // A progress line that cannot be recorded must not end the call.
    writing = writing.then(() => emit(event)).catch(() => undefined);
  }
  return {
    push(progress) {
      if (progress.progress !== undefined) {
        known = pickAmount(progress);
        list = progress.message?.includes("\n") === true ? progress.message : undefined;
      }
      if (now() - last >= PROGRESS_EVERY_MS) return write(progress);
      latest = progress;
      later ??= setTimeout(() => latest !== undefined && write(latest), PROGRESS_EVERY_MS).unref();
    },
    async flush() {
      clearTimeout(later);
      if (latest !== undefined) write(latest);
      await writing;
    },
  };
}

import type { Rating } from "#contract/feedback.ts";
import type { Approval, DecideReply, DecideRequest, EditRequest, Grant } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards, Core, SettleRequest } from "#contract/core.ts";
import type { AnswerRequest, Question } from "#contract/question.ts";
import type {
  NumberedEvent,
  ToolCallResult,
  TurnEvent,
  TurnRequest,
  Turn,
  TurnResult,
} from "#contract/turn.ts";
import { pendingOf } from "#src/base/statement.ts";
import { createCards } from "#views/cards/cards.ts";
import { buildApproval, buildToolResult, buildTool, buildTurnResult } from "#test/builders.ts";

interface ScriptedTurn {
  request: TurnRequest;
  events: NumberedEvent[];
  ended: boolean;
  stop: AbortController;
  changed: Set<() => void>;
}

/** What a turn does: emits events, the last of which is a result or an error. */
export type Script = (turn: {
  message: string;
  turnId: string;
  signal: AbortSignal;
  emit: (event: TurnEvent) => void;
}) => Promise<void>;

/** A Core without a model, tools or a store: turns run the given script, approvals are kept in memory. */
export class ScriptedCore implements Core {
  readonly submitted: TurnRequest[] = [];
  readonly decisions: { decision: string; reason: string | undefined; grant?: DecideRequest["grant"] }[] = [];
  readonly edits: EditRequest[] = [];
  readonly settled: SettleRequest[] = [];
  readonly standing: Grant[] = [];
  lookups = 0;
  readonly waiting: Map<string, Approval> = new Map();
  readonly stopped: string[] = [];
  readonly #turns = new Map<string, ScriptedTurn>();
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  submit(request: TurnRequest): Promise<{ turnId: string; duplicate: boolean }> {
    this.submitted.push(request);
    const turnId = `turn_${this.submitted.length}`;
    const turn: ScriptedTurn = {
      request,
      events: [],
      ended: false,
      stop: new AbortController(),
      changed: new Set(),
    };
    this.#turns.set(turnId, turn);
    void this.#run(turnId, request.message, this.#script);
    return Promise.resolve({ turnId, duplicate: false });
  }

  async *events(
    turnId: string,
    options: { after?: number; signal: AbortSignal },
  ): AsyncGenerator<NumberedEvent> {
    const turn = this.#get(turnId);
    let next = options.after ?? 0;
    for (;;) {
      for (; next < turn.events.length; next += 1) {
        const event = turn.events[next];
        if (event !== undefined) yield event;
      }
      if (turn.ended || options.signal.aborted) return;
      await new Promise<void>((resolve) => {
        turn.changed.add(resolve);
        options.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  eventsSoFar(turnId: string): Promise<NumberedEvent[]> {
    return Promise.resolve([...this.#get(turnId).events]);
  }

  stop(turnId: string): Promise<{ stopped: boolean; message: string }> {
    this.stopped.push(turnId);
    this.#get(turnId).stop.abort();
    return Promise.resolve({ stopped: true, message: "Stopped." });
  }

  readonly rated: Rating[] = [];

  rate(rating: Rating): Promise<void> {
    this.rated.push(rating);
    return Promise.resolve();
  }

  ratings(): Promise<Rating[]> {
    return Promise.resolve(this.rated);
  }

  approvals({ state: wanted }: { state?: string }): Promise<Approval[]> {
    // All of them are of the one conversation there is, but for those that say so.
    return Promise.resolve(
      [...this.waiting.values()].filter(
        ({ state, conversationId }) =>
          (wanted === undefined || state === wanted) && conversationId !== "console:elsewhere",
      ),
    );
  }

  approval(id: string): Promise<Approval | undefined> {
    return Promise.resolve(this.waiting.get(id));
  }

  decide(request: DecideRequest): Promise<DecideReply> {
    const approval = this.waiting.get(request.approvalId);
    if (approval === undefined)
      throw Object.assign(new Error("There is no such request."), { code: "not_found" });
    if (approval.state !== "pending") {
      return Promise.resolve({ outcome: "already_decided", message: "Already decided.", approval });
    }
    const { decision, reason, grant } = request;
    this.decisions.push({ decision, reason, ...(grant && { grant }) });
    approval.state = request.decision === "approve" ? "done" : "denied";
    const outcome = request.decision === "approve" ? "approved" : "denied";
    void this.#run(approval.turnId, `after ${outcome}`, this.#script);
    return Promise.resolve({ outcome, message: `It is ${outcome}.`, approval });
  }

  /** Ends a turn that was never submitted here, as if an earlier process had left it waiting. */
  leave(approval: Approval): void {
    this.waiting.set(approval.id, approval);
    const request: TurnRequest = {
      surface: "console",
      actor: "console:ana",
      conversationId: "c",
      channel: "c",
      message: "before",
    };
    const event: TurnEvent = {
      type: "result",
      result: buildTurnResult("Old reply.", { pendingConfirmation: approval }),
    };
    const events = [{ turnId: approval.turnId, seq: 1, event }];
    this.#turns.set(approval.turnId, {
      request,
      events,
      ended: true,
      stop: new AbortController(),
      changed: new Set(),
    });
  }

  /** What the commands of the configuration call, as policy sees it. */
  reads: ReturnType<Core["tools"]> = ["search_issues", "get_epic"].map((name) => ({
    tool: buildTool(`jira.${name}`, { description: "Reads." }),
    decision: "allow",
  }));

  tools(): ReturnType<Core["tools"]> {
    const tool = buildTool("jira.create_issue", {
      description: "Creates an issue. It is shown first.",
      inputSchema: {
        properties: {
          summary: { type: "string", description: "One line" },
          labels: { type: "array", items: { type: "string" } },
          urgent: { type: "boolean" },
        },
        required: ["summary"],
      },
    });
    return [{ tool, decision: "ask" }, ...this.reads];
  }

  readonly asked: Map<string, Question> = new Map();
  readonly answers: AnswerRequest[] = [];

  file(): ReturnType<Core["file"]> {
    return Promise.resolve(undefined);
  }

  questions(): ReturnType<Core["questions"]> {
    return Promise.resolve([...this.asked.values()]);
  }

  question(id: string): ReturnType<Core["question"]> {
    return Promise.resolve(this.asked.get(id));
  }

  answer(request: AnswerRequest): ReturnType<Core["answer"]> {
    this.answers.push(request);
    const question = this.asked.get(request.questionId);
    if (question === undefined) return Promise.reject(new Error("no such question"));
    if (request.content?.size === 0) {
      const details = { fields: ["size"] };
      return Promise.reject(Object.assign(new Error("size: must be > 0"), { code: "bad_args", details }));
    }
    const answered = { ...question, state: "accepted" as const };
    this.asked.set(question.id, answered);
    this.#answered.resolve();
    return Promise.resolve(answered);
  }

  readonly #answered = Promise.withResolvers<void>();

  /** Resolves when somebody has answered. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  readCommand(): undefined {
    return undefined;
  }

  checkCall({ args }: Parameters<Core["checkCall"]>[0]): ReturnType<Core["checkCall"]> {
    return { ok: true, args };
  }

  approvalsFor(actor: string): Promise<Approval[]> {
    const isTheirs = ({ state, votes, excludeRequester, requestedBy, approvers }: Approval): boolean =>
      state === "pending" &&
      !votes.some((vote) => vote.actor === actor) &&
      !(excludeRequester && requestedBy === actor) &&
      !approvers.includes("group:others");
    return Promise.resolve([...this.waiting.values()].filter(isTheirs));
  }

  privacy(): ReturnType<Core["privacy"]> {
    return Promise.resolve({ summarize: true });
  }

  setPrivacy(): ReturnType<Core["setPrivacy"]> {
    return Promise.resolve({ summarize: true });
  }

  onChange(): () => void {
    return () => undefined;
  }

  commands(): ReturnType<Core["commands"]> {
    return [
      {
        name: "jira",
        server: "jira",
        subcommands: [
          { name: "search", tool: "search_issues" },
          { name: "epic", tool: "get_epic" },
        ],
      },
    ];
  }

  health(): ReturnType<Core["health"]> {
    return Promise.resolve({
      status: "ok",
      version: "1.2.3",
      model: { provider: "builtin", model: "", reachable: true },
      servers: [{ name: "jira", status: "up", tools: 1 }],
      store: { kind: "sqlite", ok: true },
    });
  }

  conversation(): Promise<Turn[]> {
    return Promise.resolve([]);
  }

  conversations(): ReturnType<Core["conversations"]> {
    return Promise.resolve([]);
  }

  turnPage(): ReturnType<Core["turnPage"]> {
    return Promise.resolve({ turns: [], earlier: 0, later: 0 });
  }

  renameConversation(): Promise<void> {
    return Promise.resolve();
  }

  deleteConversation(): ReturnType<Core["deleteConversation"]> {
    return Promise.resolve({ turns: 0 });
  }

  lastChange(): Promise<number> {
    return Promise.resolve(0);
  }

  async *changes(): ReturnType<Core["changes"]> {}

  /** What the store has of the turn while it runs. */
  found: TurnResult | undefined;

  turn(id: string): Promise<Turn | undefined> {
    const turn = { ...this.#get(id).request, id, state: "running", createdAt: 0, updatedAt: 0 } as const;
    return Promise.resolve(this.found === undefined ? turn : { ...turn, result: this.found });
  }

  record(): ReturnType<Core["record"]> {
    return Promise.resolve({ message: "", steps: [] });
  }

  edit(request: EditRequest): Promise<Approval> {
    const old = this.#waiting(request.approvalId);
    if (request.args["summary"] === "refused") {
      const details = { fields: ["summary"] };
      throw Object.assign(new Error("summary must be better"), { code: "bad_args", details });
    }
    this.edits.push(request);
    old.state = "superseded";
    const edited = { ...approvalOf(`${old.id}_edited`, old.turnId), args: request.args };
    this.waiting.set(edited.id, edited);
    void this.#run(old.turnId, "after edited", async ({ emit }) =>
      emit({ type: "result", result: buildTurnResult("It was edited.", { pendingConfirmation: edited }) }),
    );
    return Promise.resolve(edited);
  }

  lookup(id: string): Promise<ToolCallResult> {
    const { lookup } = this.#waiting(id);
    this.lookups += 1;
    const card: Card = {
      kind: "result",
      title: "found",
      elements: [{ type: "text", text: "There is one." }],
    };
    return Promise.resolve(
      buildToolResult({ toolId: lookup?.tool ?? "", args: lookup?.args ?? {}, data: null, card }),
    );
  }

  grant(id: string): Promise<Grant | undefined> {
    return Promise.resolve(this.standing.find((grant) => grant.id === id));
  }

  grants(): Promise<Grant[]> {
    return Promise.resolve(this.standing);
  }

  revokeGrant(id: string): Promise<Grant> {
    const grant = this.standing.find((one) => one.id === id);
    if (grant === undefined) throw Object.assign(new Error("There is no such grant."), { code: "not_found" });
    grant.revokedBy = "console:ana";
    return Promise.resolve(grant);
  }

  settle(request: SettleRequest): Promise<Approval> {
    const approval = this.#waiting(request.approvalId);
    this.settled.push(request);
    approval.state = request.outcome === "happened" ? "done" : "failed";
    void this.#run(approval.turnId, "after settled", this.#script);
    return Promise.resolve(approval);
  }

  #waiting(id: string): Approval {
    const approval = this.waiting.get(id);
    if (approval === undefined) throw Object.assign(new Error(`There is no ${id}.`), { code: "not_found" });
    return approval;
  }

  async #run(turnId: string, message: string, script: Script): Promise<void> {
    const turn = this.#get(turnId);
    turn.ended = false;
    const emit = (event: TurnEvent): void => {
      turn.events.push({ turnId, seq: turn.events.length + 1, event });
      for (const approval of event.type === "result" ? pendingOf(event.result) : [])
        this.waiting.set(approval.id, approval);
      wake(turn);
    };
    await script({ message, turnId, signal: turn.stop.signal, emit });
    turn.ended = true;
    wake(turn);
  }

  #get(turnId: string): ScriptedTurn {
    const turn = this.#turns.get(turnId);
    if (turn === undefined)
      throw Object.assign(new Error(`There is no turn ${turnId}.`), { code: "not_found" });
    return turn;
  }
}

function wake(turn: ScriptedTurn): void {
  for (const resolve of turn.changed) resolve();
  turn.changed.clear();
}

export function approvalOf(id: string, turnId: string): Approval {
  return buildApproval({
    id,
    turnId,
    requestedBy: "console:ana",
    approvers: ["requester"],
    createdAt: 1,
    expiresAt: 2,
  });
}

export const cards: Cards = {
  ...createCards(),
  approval: (approval): Card => ({
    kind: "approval",
    title: `Run ${approval.toolId}?`,
    elements: [
      { type: "header", text: `Run ${approval.toolId}?` },
      { type: "actions", items: [{ id: "approve", label: "Approve", value: approval.id }] },
    ],
  }),
};

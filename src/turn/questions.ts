import type {
  AnswerRequest,
  Question,
  QuestionDraft,
  QuestionReply,
  QuestionState,
} from "#contract/question.ts";

import { actorName } from "../base/actor.ts";
import { digest } from "../base/digest.ts";
import { CountersignError, messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Redactor } from "../base/redact.ts";
import type { Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { appendEvent } from "./events.ts";
import { checkContent } from "./question-content.ts";
import { type QuestionFilter, readQuestions, toQuestion } from "./question-rows.ts";
import type { StoredTurn } from "./rows.ts";
import type { TurnSignals } from "./signals.ts";

export interface QuestionsOptions {
  db: Db;
  kind: StoreKind;
  transact: Transact;
  signals: TurnSignals;
  now: () => number;
  /** Masks secrets in what a server says. */
  redactor: Redactor;
  log: { warn: (data: object, message: string) => void };
  /** How long a question whose call no longer tells that it waits is still taken to be heard, in milliseconds. */
  leaseMs: number;
}

/** What servers ask people in the middle of a call: durable, because the answer may come in at another replica. */
export interface Questions {
  /** Asks and waits. Never rejects: whatever goes wrong, the server is told `cancel`. */
  ask(turn: StoredTurn, draft: QuestionDraft, signal: AbortSignal): Promise<QuestionReply>;
  list(filter: QuestionFilter): Promise<Question[]>;
  get(id: string): Promise<Question | undefined>;
  /** See Core.answer. */
  answer(request: AnswerRequest): Promise<Question>;
  /** Closes the open questions of a turn, or of all, whose call is gone with its process, and drops answers that it left. */
  closeUnheard(turnId?: string): Promise<void>;
}

type Closing = Exclude<QuestionState, "open">;

/** See CallRequest.ask. */
const acceptedElsewhere = "accepted elsewhere";

const GONE = "The process that asked ended before it was answered; the server heard nothing.";

export function createQuestions(options: QuestionsOptions): Questions {
  const { db, kind, transact, signals, now, leaseMs } = options;

  function rowOf(turn: StoredTurn, draft: QuestionDraft): Question {
    const { toolId, ttlMs, refusal, ...body } = draft;
    const at = now();
    return {
      ...body,
      id: newId("ques"),
      turnId: turn.id,
      conversationId: turn.conversationId,
      channel: turn.channel,
      actor: turn.actor,
      server: toolId.split(".")[0] ?? "",
      toolId,
      state: refusal === undefined ? "open" : "declined",
      createdAt: at,
      expiresAt: at + ttlMs,
      ...(refusal === undefined ? {} : { note: refusal, answeredAt: at }),
    };
  }

  async function insert(question: Question, draft: QuestionDraft): Promise<void> {
    const { toolId: _tool, ttlMs: _ttl, refusal: _refusal, ...body } = draft;
    await transact(async (tx, note) => {
      await lockTurn(tx, question.turnId);
      await tx
        .insertInto("questions")
        .values({
          id: question.id,
          turn_id: question.turnId,
          conversation_id: question.conversationId,
          channel: question.channel,
          actor: question.actor,
          server: question.server,
          tool_id: question.toolId,
          body: JSON.stringify(body),
          state: question.state,
          content: null,
          note: question.note ?? null,
          created_at: question.createdAt,
          expires_at: question.expiresAt,
          answered_at: question.answeredAt ?? null,
          heard_until: now() + leaseMs,
        })
        .execute();
      await appendEvent(tx, question.turnId, { type: "question", question }, now());
      note({
        kind: question.state === "open" ? "question.asked" : "question.refused",
        turnId: question.turnId,
        actor: question.actor,
        data: { question: question.id, tool: question.toolId, kind: question.kind, asks: digest(body) },
      });
    });
    signals.notify(question.turnId);
  }

  /** Events of a turn have one writer at a time. */
  async function lockTurn(tx: Tx, turnId: string): Promise<void> {
    if (kind !== "postgres") return;
    await tx.selectFrom("turns").select("id").where("id", "=", turnId).forUpdate().execute();
  }

  /** Closes a question that is still open; undefined when it was closed before. */
  async function close(
    { id, turnId, actor }: Pick<Question, "id" | "turnId" | "actor">,
    state: Closing,
    more: { content?: string; note?: string; at?: number } = {},
  ): Promise<Question | undefined> {
    const closed = await transact(async (tx, note) => {
      await lockTurn(tx, turnId);
      const row = await tx
        .updateTable("questions")
        .set({ state, answered_at: more.at ?? now(), content: more.content ?? null, note: more.note ?? null })
        .where("id", "=", id)
        .where("state", "=", "open")
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const question = toQuestion(row);
      await appendEvent(tx, turnId, { type: "question", question }, now());
      note({
        kind: `question.${state}`,
        turnId,
        actor,
        // What a person told a server is between the two: the chain holds its digest.
        data: { question: id, content: more.content === undefined ? null : digest(more.content) },
      });
      return question;
    });
    signals.notify(turnId);
    return closed;
  }

  /** Waits until the question is closed, keeping up that somebody does. */
  async function closed(question: Question, signal: AbortSignal): Promise<QuestionReply> {
    let renewAt = now() + leaseMs / 3;
    for (;;) {
      // Waiting begins before reading, so that an answer between the two is not missed.
      const read = new AbortController();
      const until = Math.max(1, Math.ceil(Math.min(question.expiresAt, renewAt) - now()));
      const changed = signals.wait(
        question.turnId,
        AbortSignal.any([signal, read.signal, AbortSignal.timeout(until)]),
      );
      try {
        const row = await db
          .selectFrom("questions")
          .selectAll()
          .where("id", "=", question.id)
          .executeTakeFirst();
        if (row === undefined) return { action: "cancel" };
        if (row.state !== "open") return await take(question.id, row.state as Closing, row.content);
        if (signal.aborted && signal.reason === acceptedElsewhere) await close(question, "accepted");
        else if (signal.aborted)
          await close(question, "cancelled", { note: "The call ended before it was answered." });
        else if (now() >= question.expiresAt)
          await close(question, "expired", { note: "Nobody answered in time." });
        else if (now() >= renewAt) {
          await db
            .updateTable("questions")
            .set({ heard_until: now() + leaseMs })
            .where("id", "=", question.id)
            .execute();
          renewAt = now() + leaseMs / 3;
        } else await changed;
      } finally {
        read.abort();
      }
    }
  }

  /** What a person said is kept no longer than the server needs to hear it. */
  async function take(id: string, state: Closing, content: string | null): Promise<QuestionReply> {
    if (state === "declined") return { action: "decline" };
    if (state !== "accepted") return { action: "cancel" };
    if (content === null) return { action: "accept" };
    await db.updateTable("questions").set({ content: null }).where("id", "=", id).execute();
    return {
      action: "accept",
      content: JSON.parse(content) as NonNullable<Extract<QuestionReply, { action: "accept" }>["content"]>,
    };
  }

  return {
    async ask(turn, asked, signal) {
      const draft = { ...asked, message: options.redactor.text(asked.message) };
      const question = rowOf(turn, draft);
      try {
        if (signal.aborted) return { action: "cancel" };
        await insert(question, draft);
        if (question.state !== "open") return { action: "decline" };
        return await closed(question, signal);
      } catch (error) {
        options.log.warn({ question: question.id, error: messageOf(error) }, "a question could not be asked");
        await close(question, "cancelled", { note: "It could not be put to anybody." }).catch(
          () => undefined,
        );
        return { action: "cancel" };
      }
    },

    list: (filter) => readQuestions(db, filter),

    async get(id) {
      const row = await db.selectFrom("questions").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toQuestion(row);
    },

    async answer({ questionId, actor, action, content }) {
      const row = await db
        .selectFrom("questions")
        .selectAll()
        .where("id", "=", questionId)
        .executeTakeFirst();
      if (row === undefined) throw new CountersignError("not_found", `There is no question ${questionId}.`);
      const question = toQuestion(row);
      if (question.actor !== actor) {
        const message = `Only ${actorName(question.actor)}, whose call it is, may answer this question.`;
        throw new CountersignError("not_eligible", message);
      }
      if (question.state !== "open") throw alreadyClosed(question);
      if (now() >= question.expiresAt) throw alreadyClosed({ ...question, state: "expired" });
      if (row.heard_until < now()) {
        await close(question, "cancelled", { note: GONE });
        throw alreadyClosed({ ...question, state: "cancelled", note: GONE });
      }
      if (action !== "accept") {
        const state = action === "decline" ? "declined" : "cancelled";
        return (await close(question, state)) ?? Promise.reject(alreadyClosed(question));
      }
      const filled = question.kind === "form" ? checkContent(question.schema, content ?? {}) : undefined;
      const accepted = await close(
        question,
        "accepted",
        filled === undefined ? {} : { content: JSON.stringify(filled) },
      );
      if (accepted === undefined) throw alreadyClosed(question);
      return accepted;
    },

    async closeUnheard(turnId) {
      const open = await readQuestions(db, { state: "open", ...(turnId === undefined ? {} : { turnId }) });
      for (const question of open) await close(question, "cancelled", { note: GONE });
      // Answered, and nobody is left who could take it.
      await db
        .updateTable("questions")
        .set({ content: null })
        .where("content", "is not", null)
        .$if(turnId !== undefined, (query) => query.where("turn_id", "=", turnId ?? ""))
        .execute();
    },
  };
}

function alreadyClosed(question: Question): CountersignError {
  const how = {
    open: "was answered just now",
    accepted: "was answered already",
    declined: "was declined already",
    cancelled: "was closed before it was answered",
    expired: "has expired",
  }[question.state];
  const why = question.note === undefined ? "" : ` ${question.note}`;
  return new CountersignError("already_answered", `This question ${how}.${why}`);
}

import type { ErrorObject } from "ajv";
import type { ActorId } from "#contract/actor.ts";
import type { PolicyDecision } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { ModelPort, ModelText } from "#contract/model.ts";
import type {
  Question,
  QuestionBody,
  QuestionDraft,
  QuestionReply,
  QuestionState,
} from "#contract/question.ts";
import type { SamplingRequest, Tool } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { actorName, newId } from "../base/ids.ts";
import { digest, isObject, jsonFault } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { compileSchema } from "../base/schema-check.ts";
import { MINUTE_MS } from "../base/time.ts";
import { en } from "../base/words/en.ts";
import { conversationsOf } from "../ledger/rows.ts";
import type { Transact } from "../ledger/transact.ts";
import type { Db, Row, Tx } from "../store/schema.ts";
import { appendEvent, type TurnSignals, type WrittenEvent } from "./events.ts";
import type { StoredTurn } from "./rows.ts";

export interface QuestionsOptions {
  db: Db;
  transact: Transact;
  signals: TurnSignals;
  now: () => number;
  /** Masks secrets in what a server says. */
  redactor: Redactor;
  log: { warn: (data: object, message: string) => void };
  /** How long a question whose call no longer tells that it waits is still taken to be heard, in milliseconds. */
  leaseMs: number;
  /** Keeps what a person answered, in the transaction that records it; what it rejects with refuses the answer. */
  onAccepted?: (tx: Tx, question: Question, content: JsonObject) => Promise<void>;
}

/** What servers ask people in the middle of a call: durable, because the answer may come in at another replica. */
export interface Questions {
  /** Asks and waits. Never rejects: whatever goes wrong, the server is told `cancel`. */
  ask(turn: StoredTurn, draft: QuestionDraft, signal: AbortSignal): Promise<QuestionReply>;
  list: Core["questions"];
  get: Core["question"];
  answer: Core["answer"];
  /** Closes the open questions of a turn, or of all, whose call is gone with its process, and drops answers that it left. */
  closeUnheard(turnId?: string): Promise<void>;
}

type Closing = Exclude<QuestionState, "open">;

/** See CallRequest.ask. */
const acceptedElsewhere = "accepted elsewhere";

const GONE = "The process that asked ended before it was answered; the server heard nothing.";

export function createQuestions(options: QuestionsOptions): Questions {
  const { db, transact, signals, now, redactor, log, leaseMs } = options;

  /** Writes a question, the event that tells people of it and its audit entry, in one transaction. */
  async function record(
    turnId: string,
    write: (tx: Tx) => Promise<Row<"questions"> | undefined>,
    entry: { kind: string; actor: string; data: JsonObject },
  ): Promise<Question | undefined> {
    let events: WrittenEvent[] = [];
    const recorded = await transact(async (tx, note) => {
      const row = await write(tx);
      if (row === undefined) return undefined;
      const question = toQuestion(row);
      events = await appendEvent(tx, turnId, { type: "question", question }, now());
      note({ turnId, ...entry });
      return question;
    });
    signals.notify(turnId, { events });
    return recorded;
  }

  function insert(id: string, turn: StoredTurn, draft: QuestionDraft): Promise<Question | undefined> {
    const { toolId, ttlMs, refusal, ...asked } = draft;
    const body = { ...asked, message: redactor.text(asked.message) };
    const at = now();
    const row = {
      id,
      turn_id: turn.id,
      conversation_id: turn.conversationId,
      channel: turn.channel,
      actor: turn.actor,
      server: toolId.split(".")[0] ?? "",
      tool_id: toolId,
      body: JSON.stringify(body),
      state: refusal === undefined ? "open" : "declined",
      note: refusal ?? null,
      created_at: at,
      expires_at: at + ttlMs,
      answered_at: refusal === undefined ? null : at,
      heard_until: at + leaseMs,
    };
    return record(turn.id, (tx) => tx.insertInto("questions").values(row).returningAll().executeTakeFirst(), {
      kind: refusal === undefined ? "question.asked" : "question.refused",
      actor: turn.actor,
      data: { question: id, tool: toolId, kind: asked.kind, asks: digest(body) },
    });
  }

  function rowOf(id: string): Promise<Row<"questions"> | undefined> {
    return db.selectFrom("questions").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Closes a question that is still open; undefined when it was closed before. */
  function close(
    { id, turnId, actor }: Pick<Question, "id" | "turnId" | "actor">,
    state: Closing,
    { content, note }: { content?: string; note?: string } = {},
  ): Promise<Question | undefined> {
    return record(
      turnId,
      async (tx) => {
        const row = await tx
          .updateTable("questions")
          .set({ state, answered_at: now(), content: content ?? null, note: note ?? null })
          .where("id", "=", id)
          .where("state", "=", "open")
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined && content !== undefined)
          await options.onAccepted?.(tx, toQuestion(row), JSON.parse(content) as JsonObject);
        return row;
      },
      // What a person told a server is between the two: the chain holds its digest.
      {
        kind: `question.${state}`,
        actor,
        data: { question: id, content: content === undefined ? null : digest(content) },
      },
    );
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
        const row = await rowOf(question.id);
        if (row === undefined) return { action: "cancel" };
        if (row.state !== "open") return await take(question.id, row.state as Closing, row.content);
        if (signal.aborted && signal.reason === acceptedElsewhere) await close(question, "accepted");
        else if (signal.aborted)
          await close(question, "cancelled", { note: "The call ended before it was answered." });
        else if (now() >= question.expiresAt)
          await close(question, "expired", { note: en.recorded.nobodyAnswered() });
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
    return { action: "accept", content: JSON.parse(content) as JsonObject };
  }

  return {
    async ask(turn, draft, signal) {
      const id = newId("ques");
      try {
        if (signal.aborted) return { action: "cancel" };
        const question = await insert(id, turn, draft);
        if (question?.state !== "open") return { action: "decline" };
        return await closed(question, signal);
      } catch (error) {
        log.warn({ question: id, error: messageOf(error) }, "a question could not be asked");
        const unasked = { id, turnId: turn.id, actor: turn.actor };
        await close(unasked, "cancelled", { note: "It could not be put to anybody." }).catch(() => undefined);
        return { action: "cancel" };
      }
    },

    list: (filter) => readQuestions(db, filter),

    async get(id) {
      const row = await rowOf(id);
      return row === undefined ? undefined : toQuestion(row);
    },

    async answer({ questionId, actor, action, content: given }) {
      const row = await rowOf(questionId);
      if (row === undefined) throw new CountersignError("not_found", `There is no question ${questionId}.`);
      const question = toQuestion(row);
      if (question.actor !== actor) {
        const message = en.recorded.notYourQuestion(actorName(question.actor));
        throw new CountersignError("not_eligible", message);
      }
      if (question.state !== "open") throw alreadyClosed(question);
      if (now() >= question.expiresAt) throw alreadyClosed({ ...question, state: "expired" });
      if (row.heard_until < now()) {
        await close(question, "cancelled", { note: GONE });
        throw alreadyClosed({ ...question, state: "cancelled", note: GONE });
      }
      const isFilled = action === "accept" && question.kind === "form";
      const content = isFilled ? JSON.stringify(checkContent(question.schema, given ?? {})) : undefined;
      const state = { accept: "accepted", decline: "declined", cancel: "cancelled" } as const;
      const answered = await close(question, state[action], content === undefined ? {} : { content });
      if (answered === undefined) throw alreadyClosed(question);
      return answered;
    },

    async closeUnheard(turnId) {
      const rows = await db
        .selectFrom("questions")
        .selectAll()
        .where((eb) => eb.or([eb("state", "=", "open"), eb("content", "is not", null)]))
        .$if(turnId !== undefined, (query) => query.where("turn_id", "=", turnId ?? ""))
        .execute();
      for (const row of rows) {
        if (row.state === "open") await close(toQuestion(row), "cancelled", { note: GONE });
        // Answered, and nobody is left who could take it.
        else await db.updateTable("questions").set({ content: null }).where("id", "=", row.id).execute();
      }
    },
  };
}

function alreadyClosed(question: Question): CountersignError {
  const { recorded } = en;
  const how = {
    open: recorded.answeredJustNow(),
    accepted: recorded.answeredAlready(),
    declined: recorded.declinedAlready(),
    cancelled: "This question was closed before it was answered.",
    expired: recorded.questionExpired(),
  }[question.state];
  return new CountersignError(
    "already_answered",
    question.note === undefined ? how : `${how} ${question.note}`,
  );
}

/**
 * The content of an answer as it is sent: defaults filled in, nothing beside the fields of the form.
 * Throws `bad_args` (details: fields).
 */
export function checkContent(schema: JsonSchema, given: JsonObject): JsonObject {
  const unsound = jsonFault(given, { texts: true });
  if (unsound !== undefined) throw badFields(unsound.field === undefined ? [] : [unsound.field], unsound.why);
  const content = structuredClone(given);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const unknown = Object.keys(content).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0)
    throw badFields(unknown, `expected only the fields of the form, got ${unknown.join(", ")}`);
  const errors = faultsOf(schema, content);
  if (errors.length === 0) return content;
  const faults = errors.map((error) => ({
    field: String(
      error.keyword === "required" ? error.params.missingProperty : (error.instancePath.split("/")[1] ?? ""),
    ),
    message:
      error.keyword === "enum"
        ? `expected one of ${JSON.stringify(error.params.allowedValues)}`
        : (error.message ?? `fails ${error.keyword}`),
  }));
  const words = faults.slice(0, 5).map(({ field, message }) => `${field}: ${message}`);
  throw badFields([...new Set(faults.map((fault) => fault.field))], words.join("; "));
}

/** Fills defaults in. What cannot be checked is left to the server, which looks at its answers itself. */
function faultsOf(schema: JsonSchema, content: JsonObject): ErrorObject[] {
  try {
    const verdict = compileSchema(schema, { defaults: true }).check(content);
    if ("errors" in verdict) return verdict.errors;
    throw new CountersignError("bad_schema", verdict.unchecked);
  } catch (error) {
    throw badFields([], `The server's form cannot be read: ${messageOf(error)}. Decline it.`);
  }
}

function badFields(fields: string[], message: string): CountersignError {
  return new CountersignError("bad_args", message, { details: { fields } });
}

function toQuestion(row: Row<"questions">): Question {
  return {
    ...(JSON.parse(row.body) as QuestionBody),
    id: row.id,
    turnId: row.turn_id,
    conversationId: row.conversation_id,
    channel: row.channel,
    actor: row.actor as ActorId,
    server: row.server,
    toolId: row.tool_id,
    state: row.state as QuestionState,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.answered_at === null ? {} : { answeredAt: row.answered_at }),
    ...(row.note === null ? {} : { note: row.note }),
  };
}

/** Oldest first. */
export async function readQuestions(
  db: Db,
  { state, conversationId, turnId, takenPartBy }: Parameters<Core["questions"]>[0],
): Promise<Question[]> {
  let query = db.selectFrom("questions").selectAll().orderBy("created_at", "desc").orderBy("id", "desc");
  if (state !== undefined) query = query.where("state", "=", state);
  if (conversationId !== undefined) query = query.where("conversation_id", "=", conversationId);
  if (turnId !== undefined) query = query.where("turn_id", "=", turnId);
  if (takenPartBy !== undefined)
    query = query.where("conversation_id", "in", conversationsOf(db, takenPartBy));
  return (await query.limit(MOST_SHOWN).execute()).toReversed().map(toQuestion);
}

const MOST_SHOWN = 500;

export interface SamplingDeps {
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  ask: (turn: StoredTurn, question: QuestionDraft, signal: AbortSignal) => Promise<QuestionReply>;
  /** Whether a model may see what a server says, by the configuration. */
  showsTool: (toolId: string) => boolean;
  /** Undefined where turns are planned without a model. */
  model: () => ModelPort | undefined;
  toPrompt: (request: SamplingRequest) => { system: ModelText; prompt: ModelText };
}

/** Has the model answer something for a server, see CallRequest.sample. */
export type Sample = (
  turn: StoredTurn,
  request: SamplingRequest,
  signal: AbortSignal,
) => Promise<{ text: string; model: string }>;

/** What policy is asked about, as a tool of the server. */
const SAMPLING = {
  name: "sampling",
  description: "The server has the model answer something.",
  inputSchema: { type: "object" },
  annotations: {},
  digest: "",
  trusted: false,
};
/** How long a person may take to allow it, in milliseconds. */
const ASK_MS = 10 * MINUTE_MS;
/** What a person reads of a prompt before saying yes. */
const SHOWN = 3_000;

/**
 * Policy decides about it as about a tool `SERVER.sampling`; where it asks, the person who started the
 * turn sees the whole prompt and says yes or no. In privacy mode nothing of a server goes to a model.
 */
export function createSampling({ policy, ask, model, toPrompt, showsTool }: SamplingDeps): Sample {
  return async (turn, request, signal) => {
    const refuse = (why: string): never => {
      throw new CountersignError("refused", why);
    };
    // What it says may be of the result that its call is about to bring.
    const shows = showsTool(`${request.server}.sampling`) && showsTool(request.toolId);
    const requireShown = (): void => {
      if (!turn.allowSummarization || !shows)
        refuse("In privacy mode nothing that a server says is given to a model.");
    };
    requireShown();
    const port = model();
    if (port === undefined) return refuse("No model is in use here.");
    const prompt = request.messages.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
    const id = `${request.server}.sampling`;
    const { decision, rule } = policy({ ...SAMPLING, id, server: request.server }, { prompt }, turn.channel);
    if (decision === "deny") refuse(`${rule} denies ${id}.`);
    if (decision === "ask") {
      const shown = [request.system ?? "", prompt].filter((text) => text !== "").join("\n\n");
      if (shown.length > SHOWN) refuse("It is too long for a person to be asked about it.");
      const message = `It wants the model to answer this. Allow it?\n\n${shown}`;
      const schema = { type: "object", properties: {} };
      const question = { kind: "form", message, schema, toolId: request.toolId, ttlMs: ASK_MS } as const;
      const { action } = await ask(turn, question, signal);
      if (action !== "accept") refuse("The person did not allow it.");
      // The channel may have become private meanwhile.
      requireShown();
    }
    const answer = await port.generate({ stage: "response", ...toPrompt(request), signal });
    return { text: answer.text, model: answer.model };
  };
}

import { sql } from "kysely";

import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { FilledCall } from "#contract/message.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import type { NumberedEvent, TurnEvent } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import { digest } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { pendingOf } from "../base/statement.ts";
import { maskApproval, withVotes } from "../ledger/rows.ts";
import { runBuilt } from "../store/built.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Packed } from "../store/packed.ts";
import type { Db, Tx } from "../store/schema.ts";
import { readEvents } from "../turn/events.ts";
import { readQuestions } from "../turn/questions.ts";
import { isFinal, readResult, type StoredTurn, toTurn } from "../turn/rows.ts";
import { keepShown, shownApprovals, toView } from "./view.ts";

/** A turn as the store had it at one moment. */
export interface Snapshot {
  view: TurnView;
  /** The newest event. */
  seq: number;
  /** See keepShown; the next reading goes on from them. */
  events: NumberedEvent[];
  /** See approvalsDigest; it ends otherwise once what the turn asked for was answered. */
  approvals: string;
  /** Neither the turn nor a request of it can change any more. */
  isFinal: boolean;
}

export interface SnapshotDeps {
  db: Db;
  kind: StoreKind;
  now: () => number;
  /** Masks secrets in the arguments that people see. */
  redactor: Redactor;
  /** What people read in a channel is written in; undefined: English. */
  language?: (channel: string) => string | undefined;
}

/** States that a request can still leave. */
const OPEN: ReadonlySet<ApprovalState> = new Set(["pending", "approved", "executing", "unknown"]);

const FILLED = "+filled";

/**
 * Reads a turn, its events after `before` and its requests as one consistent state. Rejects when there
 * is no such turn.
 */
export async function readSnapshot(
  { db, kind, now, redactor, language }: SnapshotDeps,
  turnId: string,
  before?: Pick<Snapshot, "seq" | "events">,
): Promise<Snapshot> {
  const after = before?.seq ?? 0;
  const transaction = (): ReturnType<Db["transaction"]> =>
    kind === "postgres" ? db.transaction().setIsolationLevel("repeatable read") : db.transaction();
  const { turn, read, approvals, questions, isFilled } =
    (await readQuiet(db, turnId, after)) ??
    (await transaction().execute((tx) => readRecords(tx, turnId, after)));
  const events = keepShown([...(before?.events ?? []), ...read]);
  const spoken = language?.(turn.channel);
  return {
    view: toView({
      turn,
      events,
      approvals: approvals.map((approval) => maskApproval(approval, redactor)),
      questions,
      isFilled,
      now: now(),
      ...(spoken === undefined ? {} : { language: spoken }),
    }),
    seq: read.at(-1)?.seq ?? after,
    events,
    approvals: `${approvalsDigest(approvals)}${isFilled ? FILLED : ""}`,
    isFinal: isFinal(turn.state) && !approvals.some((approval) => OPEN.has(approval.state)),
  };
}

/** What is recorded of a turn at one moment. */
interface Records {
  turn: StoredTurn;
  /** Its events after one, without results. */
  read: NumberedEvent[];
  approvals: Approval[];
  questions: Question[];
  /** What it ended by asking for was answered. */
  isFilled: boolean;
}

async function readRecords(tx: Tx, turnId: string, after: number): Promise<Records> {
  const row = await tx.selectFrom("turns").selectAll().where("id", "=", turnId).executeTakeFirstOrThrow();
  const read = await readEvents(tx, turnId, after, { isBare: true });
  const approvals = (await readApprovals(tx, [turnId])).get(turnId) ?? [];
  const questions = await readQuestions(tx, { turnId });
  const turn = toTurn(row);
  const asked = askedIn(turn.result);
  const isFilled = asked.length > 0 && (await isQuestionAnswered(tx, row, asked));
  return { turn, read, approvals, questions, isFilled };
}

/** The same of a turn that asks nobody anything, as most do, in one statement; undefined of others. */
async function readQuiet(db: Db, turnId: string, after: number): Promise<Records | undefined> {
  const [found] = await runBuilt(db, "read snapshot", [{ turnId, after }], (on, [one]) =>
    on
      .selectFrom("turns")
      .selectAll()
      .select((eb) => [
        eb
          .selectFrom("events")
          // No JSON has a line break of its own.
          .select(sql<string | null>`string_agg(seq || ' ' || data, ${"\n"} order by seq)`.as("lines"))
          .whereRef("events.turn_id", "=", "turns.id")
          .where("seq", ">", one.after)
          .as("told"),
        eb
          .or([
            eb.exists(eb.selectFrom("approvals").select("id").whereRef("approvals.turn_id", "=", "turns.id")),
            eb.exists(eb.selectFrom("questions").select("id").whereRef("questions.turn_id", "=", "turns.id")),
          ])
          .as("asks"),
      ])
      .where("id", "=", one.turnId),
  );
  if (found === undefined) throw new CountersignError("not_found", `There is no turn ${turnId}.`);
  const { told, asks, ...row } = found;
  const turn = toTurn(row);
  // SQLite's truth is 1.
  if (Boolean(asks) || askedIn(turn.result).length > 0) return undefined;
  const read = (told ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): NumberedEvent => {
      const at = line.indexOf(" ");
      return { turnId, seq: Number(line.slice(0, at)), event: JSON.parse(line.slice(at)) as TurnEvent };
    });
  return { turn, read, approvals: [], questions: [], isFilled: false };
}

/** The requests of each turn, oldest first. */
export async function readApprovals(db: Db, turnIds: readonly string[]): Promise<Map<string, Approval[]>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("approvals")
    .selectAll()
    .where("turn_id", "in", turnIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return Map.groupBy(await withVotes(db, rows), (approval) => approval.turnId);
}

/** Names what a message shows of the requests of its turn: equal digests, equal cards. */
export function approvalsDigest(approvals: readonly Approval[]): string {
  return digest(shownApprovals(approvals));
}

/** The newest event of each turn; of its `answers`, the newest that is more than a status or progress. */
export async function readNewestSeqs(
  db: Db,
  turnIds: readonly string[],
  of: "all" | "answers",
): Promise<Map<string, number>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("events")
    .select((eb) => ["turn_id", eb.fn.max("seq").as("seq")])
    .where("turn_id", "in", turnIds)
    .$if(of === "answers", (query) =>
      query.where("data", "not like", '{"type":"status"%').where("data", "not like", '{"type":"progress"%'),
    )
    .groupBy("turn_id")
    .execute();
  return new Map(rows.map((row) => [row.turn_id, row.seq]));
}

/** How many turns after a question are looked at: an answer that comes later asks anew. */
const LOOKED_AT = 20;

/**
 * Whether a turn of the same conversation has come back to one of the tools that a turn asked about: by the
 * form, or by calling it, or by asking for the rest.
 */
async function isQuestionAnswered(
  db: Db,
  { position, conversation_id }: { position: number; conversation_id: string },
  asked: readonly string[],
): Promise<boolean> {
  const later = await db
    .selectFrom("turns")
    .select(["given", "result"])
    .where("conversation_id", "=", conversation_id)
    .where("position", ">", position)
    .orderBy("position")
    .limit(LOOKED_AT)
    .execute();
  return later.some(({ given, result }) => toolsOf(given, result).some((tool) => asked.includes(tool)));
}

/** Earlier turns of a turn's conversation that ended by asking about one of these tools. */
export async function askedBefore(db: Db, turnId: string, tools: ReadonlySet<string>): Promise<string[]> {
  if (tools.size === 0) return [];
  const earlier = await runBuilt(db, "asked before", [{ turnId }], (on, [one]) => {
    const own = on.selectFrom("turns as own").where("own.id", "=", one.turnId);
    const lately = on
      .selectFrom("turns")
      .select("id")
      .where("conversation_id", "=", own.select("own.conversation_id"))
      .where("position", "<", own.select("own.position"))
      .orderBy("position", "desc")
      .limit(LOOKED_AT);
    return (
      on
        .selectFrom("turns")
        .select(["id", "result"])
        .where("id", "in", lately)
        // Most results are long, and few of them end with a question.
        .where((eb) => eb.or([eb("result", "like", '%"question":{%'), eb("result", "like", '%"choices":[%')]))
    );
  });
  return earlier.flatMap(({ id, result }) =>
    askedIn(result === null ? undefined : readResult(result)).some((tool) => tools.has(tool)) ? [id] : [],
  );
}

/** The tools that a result asks about: the one that lacks arguments, or those to choose from. */
function askedIn(result?: {
  question?: PendingQuestion | undefined;
  choices?: PendingQuestion[] | undefined;
}): string[] {
  const { question, choices = [] } = result ?? {};
  return [...(question === undefined ? [] : [question]), ...choices].map(({ tool }) => tool);
}

/** The tools that a turn has to do with. */
function toolsOf(given: string | null, result: Packed | null): string[] {
  const call = parse<{ call?: FilledCall }>(given)?.call;
  const ended = result === null ? undefined : readResult(result);
  return [
    ...(call === undefined ? [] : [call.tool]),
    ...(ended === undefined ? [] : pendingOf(ended).map(({ toolId }) => toolId)),
    ...askedIn(ended),
    ...(ended?.toolResults ?? []).map(({ toolId }) => toolId),
  ];
}

/** The tools that a settled turn has to do with, as its message shows it. */
export function toolsIn({ results, approvals, missing, choices }: TurnView): Set<string> {
  const asked = askedIn({ question: missing, choices });
  return new Set([...asked, ...[...approvals, ...results].map(({ toolId }) => toolId)]);
}

function parse<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value);
}

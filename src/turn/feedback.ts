import type { ActorId } from "#contract/actor.ts";
import type { Rating } from "#contract/feedback.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { TurnResult } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import { shownTogether } from "../base/records.ts";
import type { Redactor } from "../base/redact.ts";
import { cutText } from "../base/text.ts";
import { type Packed, unpacked } from "../store/packed.ts";
import type { Db } from "../store/schema.ts";

const MOST_WORDS = 2_000;

/** See Core.rate; `at` in milliseconds since the epoch. What was said before stays where nothing new is said. */
export async function keepRating(
  db: Db,
  { turnId, actor, verdict, words = "" }: Rating,
  at: number,
): Promise<void> {
  const turn = await db.selectFrom("turns").select("id").where("id", "=", turnId).executeTakeFirst();
  if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${turnId}.`);
  const said = words.trim() === "" ? {} : { words: cutText(words.trim(), MOST_WORDS) };
  await db
    .insertInto("feedback")
    .values({ turn_id: turnId, actor, verdict, words: said.words ?? null, at })
    .onConflict((conflict) => conflict.columns(["turn_id", "actor"]).doUpdateSet({ verdict, at, ...said }))
    .execute();
}

/** See Core.ratings. */
export async function readRatings(
  db: Db,
  { conversationId, actor }: { conversationId: string; actor: ActorId },
): Promise<Rating[]> {
  const rows = await db
    .selectFrom("feedback")
    .innerJoin("turns", "turns.id", "feedback.turn_id")
    .select(["feedback.turn_id", "feedback.verdict", "feedback.words"])
    .where("turns.conversation_id", "=", conversationId)
    .where("feedback.actor", "=", actor)
    .execute();
  return rows.map(({ turn_id: turnId, verdict, words }) => ({
    turnId,
    actor,
    verdict: verdict === "good" ? "good" : "bad",
    ...(words === null ? {} : { words }),
  }));
}

/** A call as cases write it: its arguments by the tool's name. */
type NamedCall = Record<string, JsonObject>;

/** What a message came to. */
interface Planned {
  calls?: NamedCall[];
  /** The arguments that were asked for, by the tool's name. */
  ask?: Record<string, string[]>;
  refuse?: true;
}

/** What was said and called before, as `npm run eval:plan` reads it. */
interface Before {
  say: string;
  calls?: NamedCall[];
  found?: string[];
  ask?: NamedCall;
  fields?: string[];
}

/** An answer that people rated, as a case of `npm run eval:plan`: what came has to come again, or `not`. */
interface RatedCase extends Planned {
  part: "single" | "followup";
  say: string;
  rated: { good: number; bad: number };
  /** What people said of it. */
  why?: string[];
  before?: Before[];
  not?: Planned;
}

/** How many earlier turns the planner sees of a conversation. */
const REMEMBERED = 6;

interface TurnRow {
  id: string;
  position: number;
  conversation_id: string;
  message: string;
  given: string | null;
  result: Packed | null;
  allow_summarization: number;
}

/**
 * Every rated answer that was planned from words, oldest first, as a `RatedCase` without values of secrets. Keys of records that were
 * shown before are left out of conversations that no model may see.
 */
export async function* readRated(db: Db, redactor: Redactor): AsyncIterable<JsonValue> {
  for (let after = 0; ;) {
    const turn = await turnsOf(db)
      .where("position", ">", after)
      .where("result", "is not", null)
      .where("id", "in", db.selectFrom("feedback").select("turn_id"))
      .orderBy("position")
      .executeTakeFirst();
    if (turn === undefined) return;
    after = turn.position;
    const rated = await toCase(db, turn);
    if (rated !== undefined) yield redactor.json(JSON.parse(JSON.stringify(rated)) as JsonObject);
  }
}

function turnsOf(db: Db) {
  return db
    .selectFrom("turns")
    .select(["id", "position", "conversation_id", "message", "given", "result", "allow_summarization"]);
}

async function toCase(db: Db, turn: TurnRow): Promise<RatedCase | undefined> {
  const { call, undoes } = JSON.parse(turn.given ?? "{}") as { call?: unknown; undoes?: string };
  // A form or a button was no plan.
  if (call !== undefined || undoes !== undefined) return undefined;
  const ratings = await db
    .selectFrom("feedback")
    .select(["verdict", "words"])
    .where("turn_id", "=", turn.id)
    .orderBy("at")
    .execute();
  const why = ratings.flatMap(({ words }) => words ?? []);
  const bad = ratings.filter(({ verdict }) => verdict === "bad").length;
  const good = ratings.length - bad;
  const before = await beforeOf(db, turn);
  const planned = await plannedIn(db, turn);
  return {
    part: before.length === 0 ? "single" : "followup",
    say: turn.message,
    rated: { good, bad },
    ...(why.length === 0 ? {} : { why }),
    ...(before.length === 0 ? {} : { before }),
    // One who saw that it was wrong knows more than those who did not.
    ...(bad > 0 ? { not: planned } : planned),
  };
}

async function callsOf(db: Db, turnId: string): Promise<NamedCall[]> {
  const rows = await db
    .selectFrom("calls")
    .select(["tool_id", "args"])
    .where("turn_id", "=", turnId)
    .orderBy("step")
    .orderBy("place")
    .execute();
  return rows.map(({ tool_id, args }) => ({ [tool_id]: JSON.parse(args) as JsonObject }));
}

async function plannedIn(db: Db, { id, result }: TurnRow): Promise<Planned> {
  const { question } = unpacked(result ?? "{}") as Partial<TurnResult>;
  if (question !== undefined) return { ask: { [question.tool]: question.fields } };
  const calls = await callsOf(db, id);
  return calls.length === 0 ? { refuse: true } : { calls };
}

async function beforeOf(db: Db, turn: TurnRow): Promise<Before[]> {
  const earlier = await turnsOf(db)
    .where("conversation_id", "=", turn.conversation_id)
    .where("position", "<", turn.position)
    .where("result", "is not", null)
    .orderBy("position", "desc")
    .limit(REMEMBERED)
    .execute();
  return Promise.all(
    earlier.toReversed().map(async ({ id, message: say, result, allow_summarization: isOpen }) => {
      const { question, toolResults = [] } = unpacked(result ?? "{}") as Partial<TurnResult>;
      const calls = await callsOf(db, id);
      const shown = shownTogether(toolResults.flatMap(({ ok, data }) => (ok ? [data] : [])));
      const found = (shown.record === undefined ? shown.rows : [shown.record]).map((record) => record.id);
      return {
        say,
        ...(calls.length === 0 ? {} : { calls }),
        ...(found.length === 0 || isOpen !== 1 ? {} : { found }),
        ...(question === undefined
          ? {}
          : { ask: { [question.tool]: question.args }, fields: question.fields }),
      };
    }),
  );
}

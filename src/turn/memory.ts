import type { SelectQueryBuilder } from "kysely";

import type { JsonValue } from "#contract/json.ts";
import type { EmbedPort } from "#contract/model.ts";
import type { Recalled } from "#contract/plan.ts";

import { messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { permitIf, taint } from "../base/tainted.ts";
import { HOUR_MS } from "../base/time.ts";
import { dot, packVector, toUnit, unpackVector } from "../base/vectors.ts";
import type { Db, Schema } from "../store/schema.ts";
import type { VectorSearch } from "../store/vectors.ts";
import type { Journal } from "./journal.ts";
import type { StoredTurn } from "./rows.ts";

export interface MemoryOptions {
  db: Db;
  /** Compares vectors in the database; without it the newest are compared here. */
  vectors?: VectorSearch | undefined;
  journal: Pick<Journal, "turn" | "calls">;
  redactor: Redactor;
  /** The model that embeds, while it is there. */
  embedder: () => EmbedPort | undefined;
  /** Whether a model may see what a tool says. */
  showsTool: (toolId: string) => boolean;
  /** Milliseconds after which a memory is forgotten. */
  maxAgeMs: number;
  /** The most that is recalled for one turn, in tokens. */
  tokens: number;
  now: () => number;
  log: { debug(data: object, message: string): void; warn(data: object, message: string): void };
}

/**
 * What tools brought in a conversation, to be recalled by meaning in its later turns. What a model may
 * not see is never embedded: a private turn remembers nothing and recalls nothing.
 */
export interface Memory {
  /** Embeds and keeps what a turn's calls brought. Never rejects: a memory that cannot be made is missing. */
  remember(turnId: string): Promise<void>;
  /** What resembles the message most, best first. Never rejects. */
  recall(turn: StoredTurn, signal: AbortSignal): Promise<Recalled[]>;
  /** Drops what is too old; also happens by itself every hour. Never rejects. */
  forgetOld(): Promise<number>;
  close(): void;
}

/** A person waits for the plan: a slow embedding is done without. */
const RECALL_MS = 2_000;
const FORGET_EVERY_MS = HOUR_MS;
const CANDIDATES = 2_000;
const MOST = 3;
const NEAREST = 20;
/** Below this, passages of any two texts resemble each other. */
const SIMILAR = 0.55;
const CHARS_PER_TOKEN = 3.5;

export function createMemory(options: MemoryOptions): Memory {
  const { db, vectors: index, journal, now, log } = options;
  const ended = new AbortController();
  const forgetting = setInterval(() => void forgetOld(), FORGET_EVERY_MS);
  forgetting.unref();

  async function forgetOld(): Promise<number> {
    return forgetMemories(db, { before: now() - options.maxAgeMs }).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, "could not forget old memories, will be tried again");
      return 0;
    });
  }

  async function embed(turnId: string, embedder: EmbedPort): Promise<void> {
    const turn = await journal.turn(turnId);
    if (turn?.state !== "done" || !turn.allowSummarization) return;
    // A run is looked at again where it was made ready twice.
    const known = await db
      .selectFrom("memories")
      .select("id")
      .where("conversation_id", "=", turn.conversationId)
      .where("turn_id", "=", turnId)
      .limit(1)
      .executeTakeFirst();
    if (known !== undefined) return;
    const calls = (await journal.calls(turnId)).filter(
      (call) => call.outcome?.ok === true && options.showsTool(call.toolId),
    );
    const passages = calls.flatMap(({ toolId, args, outcome }) => {
      const secrets = withSecretsOf(args, options.redactor);
      // What was given to be embedded is what is kept of it; nothing else of ours tells anything.
      const isEmbedded = toolId === "builtin.embed_text";
      if (!isEmbedded && toolId.startsWith("builtin.")) return [];
      const data = secrets.known((isEmbedded ? args.text : outcome?.data) ?? null);
      if (isEmbedded) return typeof data === "string" ? [{ toolId, passage: data }] : [];
      return toPassages(toolId, data).map((passage) => ({ toolId, passage }));
    });
    if (passages.length === 0) return;
    const texts = passages.map(({ passage }) => passage);
    const vectors = await embedder.embed(texts, ended.signal);
    const rows = passages.flatMap(({ toolId, passage }, at) => {
      const vector = vectors[at];
      if (vector === undefined) return [];
      return {
        id: newId("mem"),
        conversation_id: turn.conversationId,
        turn_id: turnId,
        tool_id: toolId,
        model: embedder.model,
        ...(index === undefined
          ? { vector: packVector(vector) }
          : { vector: "", embedding: index.column(vector) }),
        passage,
        at: now(),
      };
    });
    // Its conversation may have been deleted meanwhile.
    if (rows.length === 0 || (await journal.turn(turnId)) === undefined) return;
    await db.insertInto("memories").values(rows).execute();
    log.debug({ turn: turnId, passages: rows.length }, "outputs remembered");
  }

  async function search(turn: StoredTurn, embedder: EmbedPort, signal: AbortSignal): Promise<Recalled[]> {
    const { permit } = permitIf(turn.allowSummarization);
    const theirs = db
      .selectFrom("memories")
      .where("conversation_id", "=", turn.conversationId)
      .where("turn_id", "!=", turn.id)
      .where("model", "=", embedder.model)
      .where("at", ">", now() - options.maxAgeMs);
    // Nothing is embedded where there is nothing to compare it with.
    const any = await theirs.select("id").limit(1).executeTakeFirst();
    if (any === undefined || permit === undefined) return [];
    const [asked] = await embedder.embed(
      [turn.message],
      AbortSignal.any([signal, ended.signal, AbortSignal.timeout(RECALL_MS)]),
    );
    if (asked === undefined) return [];
    const rows = await (index === undefined ? compared(theirs, asked) : nearest(theirs, asked, index));
    let left = options.tokens * CHARS_PER_TOKEN;
    return rows
      .filter((row) => options.showsTool(row.tool_id) && (row.similarity ?? 0) >= SIMILAR)
      .slice(0, MOST)
      .flatMap((row) => {
        left -= row.passage.length;
        return left < 0 ? [] : { tool: row.tool_id, text: taint(row.passage), permit };
      });
  }

  return {
    async remember(turnId) {
      const embedder = options.embedder();
      if (embedder === undefined) return;
      await embed(turnId, embedder).catch((error: unknown) => {
        if (!ended.signal.aborted) log.warn({ turn: turnId, error: messageOf(error) }, "could not remember");
      });
    },

    async recall(turn, signal) {
      const embedder = options.embedder();
      if (embedder === undefined || !turn.allowSummarization) return [];
      return search(turn, embedder, signal).catch((error: unknown) => {
        log.warn({ turn: turn.id, error: messageOf(error) }, "could not recall");
        return [];
      });
    },

    forgetOld,

    close() {
      clearInterval(forgetting);
      ended.abort();
    },
  };
}

type Memories = SelectQueryBuilder<Schema, "memories", object>;
type Found = { tool_id: string; passage: string; similarity: number | null };

/** The most similar ones as the database finds them, best first; more than are shown, as some tools may not be. */
function nearest(theirs: Memories, asked: ArrayLike<number>, index: VectorSearch): Promise<Found[]> {
  return theirs
    .select(["tool_id", "passage", index.similarity("embedding", asked).as("similarity")])
    .where("embedding", "is not", null)
    .orderBy("similarity", "desc")
    .limit(NEAREST)
    .execute();
}

/** The same among the newest, without help of the database. */
async function compared(theirs: Memories, asked: ArrayLike<number>): Promise<Found[]> {
  const rows = await theirs
    .select(["tool_id", "vector", "passage"])
    .orderBy("at", "desc")
    .limit(CANDIDATES)
    .execute();
  const wanted = toUnit(asked);
  return rows
    .map(({ vector, ...row }) => ({ ...row, similarity: dot(wanted, toUnit(unpackVector(vector))) }))
    .toSorted((a, b) => b.similarity - a.similarity);
}

/** Drops memories of a conversation, those before a moment (ms since the epoch), or all; tells how many. */
export async function forgetMemories(
  db: Db,
  { conversationId, before }: { conversationId?: string; before?: number },
): Promise<number> {
  let query = db.deleteFrom("memories");
  if (conversationId !== undefined) query = query.where("conversation_id", "=", conversationId);
  if (before !== undefined) query = query.where("at", "<", before);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** About 400 tokens, well within what small embedding models read. */
const PASSAGE_CHARS = 1_400;
const MAX_PASSAGES = 12;

/** A tool's output in pieces that are embedded one by one; the items of a list stay whole where they can. */
function toPassages(toolId: string, data: JsonValue): string[] {
  const passages: string[] = [];
  let open = "";
  const close = (): void => {
    if (open !== "") passages.push(`${toolId}: ${open}`);
    open = "";
  };
  for (const piece of pieces(data)) {
    if (open !== "" && open.length + piece.length + 1 > PASSAGE_CHARS) close();
    open = open === "" ? piece : `${open}\n${piece}`;
    if (passages.length >= MAX_PASSAGES) return passages;
  }
  close();
  return passages.slice(0, MAX_PASSAGES);
}

function pieces(data: JsonValue): string[] {
  if (data === null || data === "") return [];
  const list = Array.isArray(data) ? data : longestList(data);
  const whole = typeof data === "string" ? data : JSON.stringify(data);
  if (list === undefined || whole.length <= PASSAGE_CHARS) return cut(whole);
  return list.flatMap((item) => cut(typeof item === "string" ? item : JSON.stringify(item)));
}

/** The list that a result is about: `{"total": 3, "issues": […]}`. */
function longestList(data: JsonValue): JsonValue[] | undefined {
  if (!isObject(data)) return undefined;
  const lists = Object.values(data).filter((value) => Array.isArray(value));
  return lists.toSorted((a, b) => b.length - a.length).find((list) => list.length > 1);
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length && parts.length < MAX_PASSAGES; at += PASSAGE_CHARS) {
    parts.push(text.slice(at, at + PASSAGE_CHARS).toWellFormed());
  }
  return parts;
}

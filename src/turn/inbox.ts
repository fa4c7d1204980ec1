import type { ExpressionBuilder } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type { Credentials } from "#contract/message.ts";
import type { CallRequest } from "#contract/tool.ts";
import type { TurnEvent, TurnRequest } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { wordsOf } from "../base/words/words.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import type { Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Schema, Tx } from "../store/schema.ts";
import { createSealedKeyv, forgetSealed, type Sealer } from "../store/sealed.ts";
import { insertEvents, type TurnSignals } from "./events.ts";
import { type Limits, limitedText } from "./limits.ts";
import type { Sites } from "./sites.ts";

export interface Inbox {
  /**
   * Durable when it resolves, together with what `also` writes; `also` is not called for a duplicate,
   * may run again when the store asks for a retry, and does nothing but write.
   */
  accept(request: TurnRequest, also?: (tx: Tx, turnId: string) => Promise<void>): Promise<Accepted>;
}

export interface Accepted {
  turnId: string;
  duplicate: boolean;
  /** To be woken, unless it is a duplicate. */
  ready?: ReadyTurn;
}

export interface InboxOptions {
  transact: Transact;
  /** On postgres the queue is told how many turns stand before one. Absent: sqlite. */
  kind?: StoreKind;
  signals: Pick<TurnSignals, "notify">;
  now: () => number;
  failPoint: FailPoint;
  /** Keeps what came with the message for its calls; without it that is refused. */
  credentials?: Pick<TurnCredentials, "keep" | "noneFor">;
  /** Gives a message what its person has connected for the channel, where it brings nothing of its own. */
  sites?: Pick<Sites, "ofChannel">;
  /** Absent: there are none. */
  limits?: Pick<Limits, "accept">;
  /** What people read in a channel is written in. */
  language?: (channel: string) => string | undefined;
  enqueue: (tx: Tx, turn: ReadyTurn) => Promise<void>;
}

export function createInbox(options: InboxOptions): Inbox {
  const { transact, kind, signals, now, failPoint, credentials, sites, limits, enqueue } = options;
  return {
    async accept(said, also) {
      const eventKey = said.eventId === undefined ? null : `${said.surface}:${said.eventId}`;
      failPoint("inbox.before");
      const accepted = await transact(async (tx, note) => {
        const id = newId("turn");
        const at = now();
        const chosen = said.credentials ?? (await sites?.ofChannel(tx, said.actor, said.channel));
        const request = chosen === undefined ? said : { ...said, credentials: chosen };
        const given = givenOf(await withoutKnownHistory(tx, request));
        const inserted = await tx
          .insertInto("turns")
          .values({
            id,
            surface: request.surface,
            actor: request.actor,
            conversation_id: request.conversationId,
            channel: request.channel,
            message: request.message,
            given: given === undefined ? null : JSON.stringify(given),
            event_key: eventKey,
            state: "queued",
            event_count: 1,
            allow_summarization: request.allowSummarization === false ? 0 : 1,
            created_at: at,
            updated_at: at,
          })
          .onConflict((conflict) => conflict.column("event_key").doNothing())
          // A queue in this process knows its own line.
          .$if(kind === "postgres", (query) => query.returning((eb) => lineOf(eb, request)))
          .returning("id")
          .executeTakeFirst();
        if (inserted === undefined) {
          const first = await tx
            .selectFrom("turns")
            .select("id")
            .where("event_key", "=", eventKey)
            .executeTakeFirstOrThrow();
          return { turnId: first.id, events: [] };
        }
        const queued: TurnEvent[] = [{ type: "status", phase: "queued", elapsedMs: 0 }];
        const limited = await limits?.accept(tx, request);
        if (limited?.waits === true) {
          const message = limitedText(limited, wordsOf(options.language?.(request.channel)));
          queued.push({ type: "progress", message });
        }
        if (limited !== undefined)
          await tx
            .updateTable("turns")
            .set({ given: JSON.stringify({ ...given, limited }), event_count: queued.length })
            .where("id", "=", id)
            .execute();
        const events = await insertEvents(tx, id, 1, queued, at);
        if (request.credentials !== undefined) {
          if (credentials === undefined)
            throw new CountersignError(
              "credentials_not_kept",
              "expected no credentials: there is nowhere to seal them",
            );
          await credentials.keep(tx, id, request.credentials);
        } else credentials?.noneFor(id);
        await also?.(tx, id);
        const { actor: person, channel, conversationId } = request;
        const ready: ReadyTurn = {
          turnId: id,
          conversationId,
          of: { person, channel },
          ...(limited?.waits === true ? { notBefore: limited.until } : {}),
        };
        const { ofPerson, ofChannel } = inserted;
        await enqueue(tx, { ...ready, ahead: { ofPerson: ofPerson ?? 0, ofChannel: ofChannel ?? 0 } });
        note({
          kind: "turn.accepted",
          turnId: id,
          actor: request.actor,
          data: {
            conversation: request.conversationId,
            message: request.message,
            ...(request.quote === undefined ? {} : { quote: { ...request.quote } }),
            ...(request.call === undefined ? {} : { call: { ...request.call } }),
            ...(request.undoes === undefined ? {} : { undoes: request.undoes }),
          },
        });
        return { turnId: id, ready, events };
      });
      failPoint("inbox.after");
      const { turnId, ready, events } = accepted;
      if (ready === undefined) return { turnId, duplicate: true };
      signals.notify(turnId, { state: "queued", events });
      return { turnId, duplicate: false, ready };
    },
  };
}

/** How many turns of the same person, and of the same channel, are not done yet. */
function lineOf(eb: ExpressionBuilder<Schema, "turns">, { actor, channel }: TurnRequest) {
  const count = (of: "actor" | "channel", key: string) =>
    eb
      .selectFrom("turns as other")
      .select((other) => other.fn.countAll<number>().as("count"))
      .where(`other.${of}`, "=", key)
      .where("other.state", "in", ["queued", "running"]);
  return [count("actor", actor).as("ofPerson"), count("channel", channel).as("ofChannel")] as const;
}

/** What came with the message, as the store keeps it. */
function givenOf(request: TurnRequest): object | undefined {
  const { quote, call, undoes, history, credentials } = request;
  const all = [credentials, ...Object.values(credentials?.sites ?? {})];
  const moves = all.some((one) => one?.migration !== undefined);
  const mode = request.mode ?? (moves ? "migration" : undefined);
  const given = { quote, call, undoes, history, mode };
  return Object.values(given).every((one) => one === undefined) ? undefined : given;
}

/** A client's own history is kept where there is no other. */
async function withoutKnownHistory(tx: Tx, request: TurnRequest): Promise<TurnRequest> {
  if (request.history === undefined) return request;
  const earlier = await tx
    .selectFrom("turns")
    .select("id")
    .where("conversation_id", "=", request.conversationId)
    .limit(1)
    .executeTakeFirst();
  const { history, ...rest } = request;
  return earlier === undefined && history.length > 0 ? request : rest;
}

/**
 * What people give along with a turn for its calls, sealed in the store: a turn that waits for
 * approval has it after a restart, and on every replica. It goes when the turn ends.
 */
export interface TurnCredentials {
  /** In the transaction that accepts the turn. */
  keep(tx: Tx, turnId: string, credentials: Credentials): Promise<void>;
  /** The turn was accepted without, and nothing has to be looked for. */
  noneFor(turnId: string): void;
  /** Rejects with the codes of Sealer.open. */
  of(turnId: string): Promise<Credentials | undefined>;
}

const NAMESPACE = "turn-credentials";
/** Of so many turns it is known that they have none. */
const MOST_WITHOUT = 1_000;

export function createTurnCredentials({ db, sealer }: { db: Db; sealer: Sealer }): TurnCredentials {
  const kept = createSealedKeyv<Credentials>(db, NAMESPACE, sealer);
  const without = new Set<string>();
  function noneFor(turnId: string): void {
    without.add(turnId);
    if (without.size > MOST_WITHOUT) without.delete(without.values().next().value ?? "");
  }
  return {
    noneFor,
    async keep(tx, turnId, credentials) {
      await createSealedKeyv<Credentials>(tx, NAMESPACE, sealer).set(turnId, credentials);
    },
    async of(turnId) {
      if (without.has(turnId)) return undefined;
      const credentials = await kept.get(turnId);
      // They come with the message or never.
      if (credentials === undefined) noneFor(turnId);
      return credentials;
    },
  };
}

/** In the transaction that ends the turn. */
export async function forgetCredentials(tx: Tx, turnId: string): Promise<void> {
  await forgetSealed(tx, NAMESPACE, turnId);
}

/** For whom a call is made, and with what they gave for it. */
export type CallIdentity = Pick<CallRequest, "actor" | "channel" | "credentials">;

/** A turn's own calls and those that people make at its cards: whoever decides lends nobody their own access. */
export async function identityOf(
  turnId: string,
  { actor, channel }: { actor: ActorId; channel: string },
  credentialsOf: TurnCredentials["of"] | undefined,
): Promise<CallIdentity> {
  const credentials = await credentialsOf?.(turnId);
  return { actor, channel, ...(credentials === undefined ? {} : { credentials }) };
}

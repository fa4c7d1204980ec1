import type { ProductProcess } from "./process.ts";

/** A process of the product and where it answers. */
export interface Replica {
  name: string;
  process: ProductProcess;
  url: string;
}

/** What a request came to: an answer, or silence because the process died. */
export type Reply<Body> = { status: number; body: Body } | undefined;

export interface WireApproval {
  approval_id: string;
  turn_id: string;
  state: string;
  tool_id: string;
  args: { id?: string };
  quorum: number;
  approvals: { actor: string; decision: string }[];
  note?: string;
}

export interface WireTurn {
  turn_id: string;
  state: string;
  stopped_by?: string;
  result?: {
    reply: string;
    pending_confirmation?: WireApproval;
    tool_results: { tool_id: string; ok: boolean; data: { id?: string } | null }[];
  };
  error?: { code: string; error: string };
  events: { seq: number; event: string; data: { phase?: string } }[];
}

export interface WireDecision {
  outcome: string;
  message: string;
}

/** The longest a living process may take to answer, in milliseconds. */
const ANSWER_MS = 20_000;
/** How long after a broken connection the process may still look alive. */
const DYING_MS = 3_000;

/** A living process gave no proper answer. */
export class NoAnswerError extends Error {}

/**
 * One request. Undefined when the process died meanwhile; a process that lives and does not answer, or
 * answers with a server error, throws NoAnswerError.
 */
export async function ask<Body>(
  replica: Replica,
  method: string,
  path: string,
  body?: object,
): Promise<Reply<Body>> {
  try {
    const response = await fetch(`${replica.url}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const answer = (await response.json()) as Body;
    if (response.status >= 500) {
      throw new NoAnswerError(
        `${method} ${path} was answered with ${response.status}: ${JSON.stringify(answer)}`,
      );
    }
    return { status: response.status, body: answer };
  } catch (error) {
    return diedOr(replica, error, `${method} ${path}`);
  }
}

export interface Message {
  session: string;
  eventId: string;
  actor: string;
  text: string;
}

/** Sends a message and resolves to its turn as soon as it is acknowledged; the answer is not awaited. */
export async function submit(replica: Replica, message: Message): Promise<string | undefined> {
  const cut = new AbortController();
  try {
    const response = await fetch(`${replica.url}/agent/turn`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({
        session_id: message.session,
        event_id: message.eventId,
        actor: message.actor,
        message: message.text,
      }),
      signal: AbortSignal.any([cut.signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (!response.ok || response.body === null) {
      throw new NoAnswerError(`a message was answered with ${response.status}: ${await response.text()}`);
    }
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const turnId = /"turn_id":"(turn_\w+)"/.exec(text)?.[1];
      if (turnId !== undefined) return turnId;
    }
    throw new Error("the stream ended before it named its turn");
  } catch (error) {
    return diedOr(replica, error, "a message");
  } finally {
    cut.abort();
  }
}

async function diedOr(replica: Replica, error: unknown, what: string): Promise<undefined> {
  if (error instanceof NoAnswerError && !replica.process.isOver()) throw error;
  await Promise.race([
    replica.process.ended,
    new Promise((resolve) => setTimeout(resolve, DYING_MS).unref()),
  ]);
  if (replica.process.isOver()) return undefined;
  throw new NoAnswerError(`${replica.name} lives and did not answer ${what}: ${String(error)}`, {
    cause: error,
  });
}

import type { Message } from "./client.ts";
import { approvers } from "./config.ts";
import type { Random } from "./random.ts";

/** What a case asks for; the words of the slash command. */
type CaseKind = "read" | "append" | "twice" | "again" | "free" | "brief";

interface Click {
  actor: string;
  decision: "approve" | "deny";
}

/** One message of a person and what people do with what comes of it. */
export interface Case {
  id: string;
  kind: CaseKind;
  message: Message;
  /** Made at once, as soon as the request is seen; empty: nobody decides. */
  clicks: Click[];
  /** Somebody stops the turn after the clicks. */
  isStopped: boolean;
  /** Set once the message is acknowledged. */
  turnId?: string;
  /** Every click got an answer. */
  isDecided: boolean;
  /** What the clicks were answered with. */
  answers: { click: Click; outcome: string; approvalId: string }[];
  /** A stop was acknowledged as having stopped something. */
  stopAcknowledged: boolean;
}

const KINDS: CaseKind[] = ["read", "append", "append", "append", "twice", "twice", "again", "free", "brief"];

/** Half of the changes take this long, so that processes die within them. */
const SLOW_MS = 240;

export interface CaseOptions {
  /** Unique in the effects files. */
  id: string;
  session: string;
  random: Random;
}

export function createCase({ id, session, random }: CaseOptions): Case {
  const kind = random.pick(KINDS);
  const delay = random.chance(0.4) ? ` --delay_ms ${random.below(SLOW_MS)}` : "";
  const actor = random.pick(["ana", "farid"]);
  return {
    id,
    kind,
    message: { session, eventId: `event-${id}`, actor, text: `/counter ${kind} ${id}${delay}` },
    clicks: clicksOf(kind, actor, random),
    isStopped: random.chance(0.12),
    isDecided: false,
    answers: [],
    stopAcknowledged: false,
  };
}

function clicksOf(kind: CaseKind, requester: string, random: Random): Click[] {
  if (kind === "read" || kind === "free" || random.chance(0.08)) return [];
  const decision = random.chance(0.15) ? "deny" : "approve";
  const stranger: Click = { actor: "mallory", decision };
  if (kind === "twice") {
    const [first = "ben", second = "chloe", third = "dmitri"] = random.shuffled(approvers);
    const people = random.chance(0.1) ? [first] : [first, second, third];
    const votes = people.map((actor): Click => ({ actor, decision: "approve" }));
    if (decision === "deny") votes.push({ actor: third, decision });
    return random.shuffled([...votes, ...votes, stranger, { actor: requester, decision: "approve" }]);
  }
  const own: Click = { actor: requester, decision };
  return random.shuffled([own, own, stranger, ...(random.chance(0.3) ? [own] : [])]);
}

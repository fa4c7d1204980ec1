import type { ActorId } from "./actor.ts";
import type { Approval, Grant } from "./approval.ts";
import type { Card } from "./card.ts";
import type { Rating } from "./feedback.ts";
import type { Form, FormFault, FormValues } from "./form.ts";

/** A press on a button that stands beside a request. */
export interface ApprovalPress {
  action: "approve" | "deny" | "grant" | "edit" | "settle_happened" | "settle_did_not" | "lookup";
  approvalId: string;
  actor: ActorId;
  /** The request as the surface has just read it, which spares another reading. */
  seen?: Approval;
}

/** A press that decides all requests of a turn that a card shows, each by itself. */
export interface GroupPress {
  action: "approve_all" | "deny_all";
  /** What the button names; see groupValue in `src/base/alike.ts`. */
  value: string;
  actor: ActorId;
}

/** A press that asks to approve or deny together what waits for the person and is of one kind. */
export interface AlikePress {
  decision: "approve" | "deny";
  /** See alikeApprovals in `src/base/alike.ts`. */
  kind: string;
  /** What the ids of the channels begin with whose requests are meant. */
  place: string;
  actor: ActorId;
}

/**
 * `shown`: the message of the turn shows it to everybody, nothing else is to be said. `told`: for the person who
 * pressed alone. `asked`: the person is asked first, and what they send goes to `submit`.
 */
export type PressAnswer =
  | { kind: "shown" }
  | { kind: "told"; words: string | Card }
  | { kind: "asked"; question: ApprovalForm };

/** What a form is about. JSON of at most 200 characters: it goes with the form and comes back with it. */
export type ApprovalTopic =
  | { about: "rating"; turnId: string }
  /** Who the person is in a server; see MeActions. */
  | { about: "me"; server: string; language?: string | undefined }
  | { about: "reason"; approvalId: string; decision: "approve" | "deny" }
  | { about: "reason_for_all"; turnId: string; decision: "approve" | "deny"; seal: string }
  /** `seal` stands for the requests that are listed: no others are decided. */
  | { about: "alike"; decision: "approve" | "deny"; kind: string; place: string; seal: string }
  | { about: "grant"; approvalId: string }
  | { about: "edit"; approvalId: string };

export interface ApprovalForm {
  topic: ApprovalTopic;
  form: Form;
  /** Shown above the fields: what the person is about to say yes or no to. */
  card?: Card;
  /** A line above the fields. */
  note?: string;
  /** What stands on the button that sends it; at most 24 characters. */
  submit: string;
}

export type FormOutcome =
  /** With `words` for the person alone, where the message does not show it. */
  { ok: true; words?: string } | { ok: false; faults: FormFault[] };

/**
 * What people do with requests on a chat platform, in the same words and forms on each. What the core refuses is
 * an answer; a method rejects only where something is broken, and then nothing was decided.
 */
export interface ApprovalActions {
  press(press: ApprovalPress): Promise<PressAnswer>;
  /** What each request came to is told where it is not decided by this. */
  pressAll(press: GroupPress): Promise<PressAnswer>;
  /** Keeps what a person thinks of an answer, and asks what should have come instead of a bad one. */
  rate(rating: Pick<Rating, "turnId" | "actor" | "verdict">): Promise<PressAnswer>;
  /** Asks with a list of what will be decided; `told` where nothing of it waits any more. */
  pressAlike(press: AlikePress): Promise<PressAnswer>;
  /** The question as it stands now, to read what came back; undefined when it can no longer be asked. */
  question(topic: ApprovalTopic, actor: ActorId, seen?: Approval): Promise<ApprovalForm | undefined>;
  submit(topic: ApprovalTopic, actor: ActorId, values: FormValues, seen?: Approval): Promise<FormOutcome>;
  /** Standing approvals of the conversation that still cover calls, with a card that lists them in this order. */
  grants(conversationId: string, language?: string): Promise<{ grants: Grant[]; card: Card }>;
  /** Resolves to what to tell the person. */
  revoke(grantId: string, actor: ActorId, language?: string): Promise<string>;
}

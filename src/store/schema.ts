import type { Generated, Kysely, Selectable, Transaction } from "kysely";

import type { Packed } from "./packed.ts";

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;
/** A row as it is read. */
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;

/**
 * The tables, the same on node:sqlite and Postgres. Times are milliseconds since the epoch, JSON is
 * text, truth values are 0 and 1, so that one set of queries serves both.
 */
export interface Schema {
  /** The inbox and the state of each turn. */
  turns: {
    /** Order of acceptance. */
    position: Generated<number>;
    id: string;
    surface: string;
    actor: string;
    conversation_id: string;
    channel: string;
    message: string;
    /** JSON of what came with the message, `{quote, call}`; null where nothing did. */
    given: string | null;
    /** `surface:event id`, unique; null where the platform gives none. */
    event_key: string | null;
    state: string;
    /** 1: a model may see results; 0: none may; 2: none may any more, as its channel became private. */
    allow_summarization: number;
    created_at: number;
    updated_at: number;
    /** JSON of the TurnResult; of a turn that is done maybe with outcomes of its calls beside it, see packed.ts. */
    result: Packed | null;
    /** JSON of `{code, message}`. */
    error: string | null;
    stopped_by: string | null;
    /** Runs begun since the last outcome was recorded; guards against a turn that kills its process. */
    attempts: Generated<number>;
    /** Counts the runs: a run that another has replaced can write nothing more. */
    epoch: Generated<number>;
    /** The number of its newest event. */
    event_count: Generated<number>;
  };
  /** What was used of limits. */
  used: {
    /** What of, whose limit it is and whose use, such as `turns person slack:U1`. */
    key: string;
    /** When all of it has come back; parts of milliseconds count. */
    until: number;
  };
  /** What people gave a conversation beside its turns. */
  conversations: {
    /** As in turns. */
    id: string;
    title: string;
    changed_at: number;
    changed_by: string;
  };
  /** What people think of answers; of each person the last word. */
  feedback: {
    turn_id: string;
    actor: string;
    /** `good`, `bad`. */
    verdict: string;
    words: string | null;
    at: number;
  };
  /** What the turn emitted, in order. */
  events: {
    turn_id: string;
    seq: number;
    at: number;
    /** JSON of the TurnEvent. */
    data: string;
  };
  /** The journal of planning and answering: an intent before, an outcome after. */
  steps: {
    turn_id: string;
    seq: number;
    /** `decide`, `repair`, `respond`. */
    kind: string;
    /** The loop's step, from 1. */
    step: number;
    state: string;
    at: number;
    /** JSON, see journal.ts. */
    data: Packed;
  };
  /** The journal of tool calls. */
  calls: {
    id: string;
    turn_id: string;
    step: number;
    /** Place within the step. */
    place: number;
    tool_id: string;
    server: string;
    /** JSON, as it will be sent. */
    args: string;
    /** JSON of the ArgSources; null of calls that were planned before they were recorded. */
    sources: string | null;
    /** `planned`, `intent` (committed before a byte is sent), `done`, `failed`, `unknown`, `refused`. */
    state: string;
    approval_id: string | null;
    /** 1: may be sent again after a crash. */
    repeatable: number;
    /** JSON of the CallOutcome; null also where the turn is done and has it beside its result. */
    outcome: Packed | null;
    started_at: number | null;
    ended_at: number | null;
  };
  approvals: {
    id: string;
    turn_id: string;
    call_id: string;
    conversation_id: string;
    channel: string;
    key: string;
    /** `sha256` over server, tool, arguments, digest of the tool, rule. */
    binding: string;
    tool_id: string;
    tool_description: string;
    tool_digest: string;
    args: string;
    /** As of the call. */
    sources: string | null;
    effect: string | null;
    /** Canonical JSON of the CallTargets; null where there are none. */
    targets: string | null;
    /** JSON of the Statement; null in rows that are older than it. */
    statement: string | null;
    state: string;
    rule: string;
    requested_by: string;
    /** JSON array. */
    approvers: string;
    exclude_requester: number;
    reason_required: number;
    quorum: number;
    created_at: number;
    expires_at: number;
    decided_at: number | null;
    note: string | null;
    /** JSON of the read that can settle an unknown outcome. */
    lookup: string | null;
    /** JSON of the GrantTerms. */
    grants: string | null;
    /** The request that took its place after an edit. */
    replaced_by: string | null;
    /** JSON of a result that came after the outcome was already unknown or settled. */
    evidence: string | null;
    /** The worker that executes it, while `executing`. */
    lease_owner: string | null;
    lease_until: number | null;
    /** When people are to be reminded that it waits; null: never. */
    remind_at: number | null;
    /** When they were; set once. */
    reminded_at: number | null;
  };
  /** One decision of one person on one request. */
  votes: {
    approval_id: string;
    actor: string;
    decision: string;
    reason: string | null;
    /** "page": by a browser in which nobody signed in. */
    via: Generated<string | null>;
    at: number;
  };
  /** Standing approvals: one tool in one conversation, bound like an approval but for some arguments. */
  grants: {
    id: string;
    conversation_id: string;
    tool_id: string;
    tool_digest: string;
    rule: string;
    /** JSON of the arguments of the approved call. */
    args: string;
    /** JSON array of the names of arguments that may differ. */
    vary: string;
    /** Canonical JSON of the ServerReads; null for one tool. */
    reads: string | null;
    granted_by: string;
    approval_id: string;
    created_at: number;
    expires_at: number;
    max_uses: number;
    uses: number;
    revoked_at: number | null;
    revoked_by: string | null;
  };
  /** The hash chain: each entry's hash covers the one before it. */
  audit: {
    seq: number;
    at: number;
    kind: string;
    turn_id: string | null;
    approval_id: string | null;
    actor: string | null;
    /** Canonical JSON; inputs and outputs as digests beside their redacted form. */
    data: string;
    prev: string;
    hash: string;
  };
  /** The one message on a chat platform that shows a turn. */
  messages: {
    turn_id: string;
    surface: string;
    /** JSON of the Place. */
    place: string;
    /** JSON of the MessageRef; null until the platform's answer to the post is recorded. */
    ref: string | null;
    /** The newest event that the message shows; written when it is let go. */
    shown_seq: Generated<number>;
    /** Digest of the approvals as the message shows them; null until it is first let go. */
    shown_approvals: string | null;
    /**
     * `showing` (the turn goes on), `settled` (shown, and a person may still change something), `final`
     * (shown for good), `undeliverable` (the platform has no such place any more).
     */
    state: string;
    /** The worker that shows it now; null when all there is to show is shown. */
    lease_owner: string | null;
    lease_until: number | null;
  };
  /** What people are to be told of a request on a chat platform, beside its card. */
  notices: {
    /** What is told, and of which request. */
    id: string;
    /** A NoticeKind. */
    kind: string;
    approval_id: string;
    turn_id: string;
    conversation_id: string;
    /** Of the approval, as it is told; of what ended only. */
    outcome: string | null;
    created_at: number;
    due_at: number;
    /** `waiting`, `showing` (a worker is about to post it, or has), `shown`, `moot`, `undeliverable`. */
    state: string;
    /** The first of those that are told together; it alone is leased. */
    group_id: string | null;
    lease_owner: string | null;
    lease_until: number | null;
  };
  /** What a server asks a person in the middle of a call, see the contract's Question. */
  questions: {
    id: string;
    turn_id: string;
    conversation_id: string;
    channel: string;
    actor: string;
    server: string;
    tool_id: string;
    /** JSON of the QuestionBody. */
    body: string;
    state: string;
    /** JSON of the answer, until the call that waits has taken it. */
    content: string | null;
    note: string | null;
    created_at: number;
    expires_at: number;
    answered_at: number | null;
    /** The call waits at least until then; moved on while it does. */
    heard_until: number;
  };
  /** What calls brought that is no text: images, sound, files, and results too large to show. */
  files: {
    id: string;
    turn_id: string;
    tool_id: string;
    name: string;
    media_type: string;
    bytes: number;
    /** Base64. */
    data: string;
    created_at: number;
  };
  /** A passage of what a tool brought, with its vector. */
  memories: {
    id: string;
    conversation_id: string;
    turn_id: string;
    tool_id: string;
    /** That made the vector. */
    model: string;
    /** Float32 numbers, base64; empty where `embedding` has them. */
    vector: string;
    /** As `VectorSearch` keeps it; on Postgres the column is there with pgvector alone. */
    embedding: Generated<Uint8Array | null>;
    passage: string;
    at: number;
  };
  /** What a tool says of itself, as a vector. */
  tool_vectors: {
    /** That made the vector. */
    model: string;
    /** `sha256` (hex) of the text that was embedded. */
    key: string;
    /** Float32 numbers, base64. */
    vector: string;
    /** About when it was last loaded. */
    used_at: number;
  };
  /** What a surface said of an actor. */
  profiles: {
    /** The actor without their workspace, see personKey. */
    person: string;
    name: string | null;
    /** Lower case. */
    email: string | null;
    at: number;
  };
  /** Who somebody is in a server. */
  accounts: {
    /** The actor without their workspace, see personKey. */
    person: string;
    server: string;
    /** Who said so, in the same form: the person, or for themselves alone somebody who spoke of them. */
    said_by: string;
    /** The id of the account, as the server's tools take it. */
    account: string;
    name: string;
    email: string | null;
    at: number;
  };
  /** Plain key-value state behind Keyv. */
  kv: {
    key: string;
    value: string;
    expires_at: number | null;
  };
}

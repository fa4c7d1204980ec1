import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

export type StoreKind = "sqlite" | "postgres";

/** Of Postgres: each message is the id of a turn, the number of an event of it, and who wrote it. */
export const EVENTS_CHANNEL = "countersign_events";

/** All migrations by name; they run in the order of their names, once. */
export function migrations(kind: StoreKind): Record<string, Migration> {
  return Object.fromEntries(Object.entries(statements(kind)).map(([name, all]) => [name, toMigration(all)]));
}

function toMigration(all: readonly string[]): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const one of all) await sql.raw(one).execute(db);
    },
  };
}

/** What a column holds stands in schema.ts. Partial indexes stay small whatever the history. */
function statements(kind: StoreKind): Record<string, string[]> {
  // Millisecond times and counters do not fit Postgres' 32-bit integer.
  const whole = kind === "postgres" ? "bigint" : "integer";
  const counted = kind === "postgres" ? "bigserial primary key" : "integer primary key autoincrement";
  // What is read here must be the last that older replicas wrote.
  const locked = (table: string): string[] =>
    kind === "postgres" ? [`lock table ${table} in share row exclusive mode`] : [];
  return {
    "0001_first": [
      `create table turns (position ${counted}, id text not null unique, surface text not null,
        actor text not null, conversation_id text not null, channel text not null, message text not null,
        event_key text unique, state text not null, allow_summarization integer not null,
        created_at ${whole} not null, updated_at ${whole} not null, result text, error text, stopped_by text,
        attempts integer default 0 not null, epoch integer default 0 not null)`,
      `create index turns_by_conversation on turns (conversation_id, position)`,
      // Recovery looks for unfinished turns only.
      `create index turns_unfinished on turns (position)
        where state in ('queued', 'running', 'pending_confirmation')`,
      `create table events (turn_id text not null, seq integer not null, at ${whole} not null,
        data text not null, constraint events_key primary key (turn_id, seq))`,
      `create table steps (turn_id text not null, seq integer not null, kind text not null,
        step integer not null, state text not null, at ${whole} not null, data text not null,
        constraint steps_key primary key (turn_id, seq))`,
      `create table calls (id text primary key, turn_id text not null, step integer not null,
        place integer not null, tool_id text not null, server text not null, args text not null,
        state text not null, approval_id text, repeatable integer not null, outcome text,
        started_at ${whole}, ended_at ${whole}, constraint calls_place unique (turn_id, step, place))`,
      `create table approvals (id text primary key, turn_id text not null, call_id text not null unique,
        conversation_id text not null, channel text not null, key text not null, binding text not null,
        tool_id text not null, tool_description text not null, tool_digest text not null,
        args text not null, effect text, state text not null, rule text not null,
        requested_by text not null, approvers text not null, exclude_requester integer not null,
        reason_required integer not null, quorum integer not null, created_at ${whole} not null,
        expires_at ${whole} not null, decided_at ${whole}, note text, lookup text, grants text,
        replaced_by text, evidence text, lease_owner text, lease_until ${whole})`,
      `create index approvals_by_state on approvals (state, expires_at)`,
      `create index approvals_by_conversation on approvals (conversation_id, key)`,
      `create index approvals_by_turn on approvals (turn_id)`,
      `create table votes (approval_id text not null, actor text not null, decision text not null,
        reason text, at ${whole} not null, constraint votes_key primary key (approval_id, actor))`,
      `create table grants (id text primary key, conversation_id text not null, tool_id text not null,
        tool_digest text not null, rule text not null, args text not null, vary text not null,
        granted_by text not null, approval_id text not null, created_at ${whole} not null,
        expires_at ${whole} not null, max_uses integer not null, uses integer not null,
        revoked_at ${whole}, revoked_by text)`,
      `create index grants_by_tool on grants (conversation_id, tool_id)`,
      `create table audit (seq ${whole} primary key, at ${whole} not null, kind text not null,
        turn_id text, approval_id text, actor text, data text not null, prev text not null,
        hash text not null)`,
      `create table kv (key text primary key, value text not null, expires_at ${whole})`,
    ],
    // Where turns are shown on chat platforms, and how far each message shows what happened.
    "0002_messages": [
      `create table messages (turn_id text primary key, surface text not null, place text not null,
        ref text, shown_seq integer default 0 not null, shown_approvals text, state text not null,
        lease_owner text, lease_until ${whole})`,
      // Messages at work, and messages that wait for a person.
      `create index messages_leased on messages (surface, lease_until) where lease_owner is not null`,
      `create index messages_settled on messages (surface, turn_id) where state = 'settled'`,
    ],
    // What comes with a message beside its words.
    "0003_given": [`alter table turns add column given text`],
    // Reminders of requests that wait: when each is due, when it was made, and who shows it.
    "0004_reminders": [
      `alter table approvals add column remind_at ${whole}`,
      `alter table approvals add column reminded_at ${whole}`,
      `create index approvals_to_remind on approvals (remind_at)
        where state = 'pending' and remind_at is not null`,
      `create index grants_by_approval on grants (approval_id)`,
      `create table reminders (approval_id text primary key, state text not null, lease_owner text,
        lease_until ${whole})`,
    ],
    // What servers ask people in the middle of a call, and the files that calls brought.
    "0005_questions": [
      `create table questions (id text primary key, turn_id text not null, conversation_id text not null,
        channel text not null, actor text not null, server text not null, tool_id text not null,
        body text not null, state text not null, content text, note text, created_at ${whole} not null,
        expires_at ${whole} not null, answered_at ${whole}, heard_until ${whole} not null)`,
      `create index questions_by_turn on questions (turn_id)`,
      `create index questions_open on questions (created_at) where state = 'open'`,
      `create table files (id text primary key, turn_id text not null, tool_id text not null,
        name text not null, media_type text not null, bytes ${whole} not null, data text not null,
        created_at ${whole} not null)`,
      `create index files_by_turn on files (turn_id)`,
    ],
    // Passages of tool outputs with their vectors, for later turns of the conversation.
    "0006_memories": [
      `create table memories (id text primary key, conversation_id text not null, turn_id text not null,
        tool_id text not null, model text not null, vector text not null, passage text not null,
        at ${whole} not null)`,
      `create index memories_by_conversation on memories (conversation_id, at)`,
      `create index memories_by_age on memories (at)`,
    ],
    // Of the plain state only what is kept for a while.
    "0007_expiring": [`create index kv_expiring on kv (expires_at) where expires_at is not null`],
    // Vectors of what tools say of themselves, for choosing tools by meaning.
    "0008_tool_vectors": [
      `create table tool_vectors (model text not null, key text not null, vector text not null,
        used_at ${whole} not null, constraint tool_vectors_key primary key (model, key))`,
    ],
    // What somebody took part in, by who asked, decided or edited.
    "0009_took_part": [
      `create index turns_by_actor on turns (actor, conversation_id)`,
      `create index votes_by_actor on votes (actor, approval_id)`,
      `create index approvals_by_requester on approvals (requested_by, conversation_id)`,
    ],
    // The call that a request is for, whenever the request moves.
    "0010_calls_by_approval": [
      `create index calls_by_approval on calls (approval_id) where approval_id is not null`,
    ],
    // Where the arguments of a call come from.
    "0011_sources": [
      `alter table calls add column sources text`,
      `alter table approvals add column sources text`,
    ],
    // What people are asked to say yes to, in a sentence.
    "0012_statements": [`alter table approvals add column statement text`],
    // Names of conversations.
    "0013_conversations": [
      `create table conversations (id text primary key, title text not null, changed_at ${whole} not null,
        changed_by text not null)`,
    ],
    // Who people are on surfaces and in servers.
    "0014_people": [
      `create table profiles (person text primary key, name text, email text, at ${whole} not null)`,
      `create index profiles_by_email on profiles (email) where email is not null`,
      `create table accounts (person text not null, server text not null, said_by text not null,
        account text not null, name text not null, email text, at ${whole} not null,
        constraint accounts_key primary key (person, server, said_by))`,
      `create index accounts_by_account on accounts (server, account)`,
    ],
    // Decisions of a browser in which nobody signed in.
    "0015_votes_by_page": [`alter table votes add column via text`],
    // What people are told beside the cards: that they are asked, reminders, and how it ended.
    "0016_notices": [
      `create table notices (id text primary key, kind text not null, approval_id text not null,
        turn_id text not null, conversation_id text not null, outcome text, created_at ${whole} not null,
        due_at ${whole} not null, state text not null, group_id text, lease_owner text, lease_until ${whole})`,
      `create index notices_due on notices (due_at) where state in ('waiting', 'showing')`,
      `create index notices_by_group on notices (group_id) where group_id is not null`,
      `drop table reminders`,
    ],
    // What people think of answers.
    "0017_feedback": [
      `create table feedback (turn_id text not null, actor text not null, verdict text not null, words text,
        at ${whole} not null, constraint feedback_key primary key (turn_id, actor))`,
    ],
    // Where a call acts that is made with somebody's credentials.
    "0018_targets": [`alter table approvals add column targets text`],
    // Vectors as the database compares them; Postgres gets the column with pgvector, see vectors.ts.
    "0019_embeddings": kind === "sqlite" ? [`alter table memories add column embedding blob`] : [],
    // Standing approvals for all that a server says only reads.
    "0020_reads": [`alter table grants add column reads text`],
    // Events are numbered by their turn, which every writer of one has to change.
    "0021_event_count": [
      ...locked("events"),
      `alter table turns add column event_count integer default 0 not null`,
      `update turns set event_count = (select coalesce(max(seq), 0) from events where turn_id = turns.id)`,
    ],
    // Embedded there is one writer, which knows where the chain ends. Replicas give entries without a place to the
    // database, which holds the end of the chain in one locked row and makes the same hash as `hashAuditRow`.
    "0022_audit_head":
      kind === "sqlite"
        ? []
        : [
            ...locked("audit"),
            `create table audit_head (seq bigint not null, hash text not null)`,
            `insert into audit_head select coalesce(max(seq), 0),
              coalesce((select hash from audit order by seq desc limit 1), repeat('0', 64)) from audit`,
            `create function extend_audit() returns trigger language plpgsql as $$ begin
              if new.seq = 0 then
                select seq + 1, hash into new.seq, new.prev from audit_head for update;
                new.hash = encode(sha256(convert_to(
                  '{"actor":' || coalesce(to_json(new.actor)::text, 'null') ||
                  ',"approval_id":' || coalesce(to_json(new.approval_id)::text, 'null') || ',"at":' || new.at ||
                  ',"data":' || to_json(new.data) || ',"kind":' || to_json(new.kind) ||
                  ',"prev":' || to_json(new.prev) || ',"seq":' || new.seq ||
                  ',"turn_id":' || coalesce(to_json(new.turn_id)::text, 'null') || '}', 'UTF8')), 'hex');
              end if;
              update audit_head set seq = new.seq, hash = new.hash;
              return new; end $$`,
            `create trigger extend_audit before insert on audit for each row execute function extend_audit()`,
          ],
    // Tells the other replicas.
    "0023_tell_events":
      kind === "sqlite"
        ? []
        : [
            `create function tell_events() returns trigger language plpgsql as $$ begin
              perform pg_notify('${EVENTS_CHANNEL}', turn_id || ' ' || max(seq) || ' ' ||
                current_setting('application_name')) from added group by turn_id;
              return null; end $$`,
            `create trigger tell_events after insert on events referencing new table as added
              for each statement execute function tell_events()`,
          ],
    // What people have used of limits.
    "0025_used": [`create table used (key text primary key, until double precision not null)`],
    // What is deleted by its age, and with its turn.
    "0026_retention": [
      `create index notices_by_approval on notices (approval_id)`,
      `create index notices_by_age on notices (created_at)`,
      `create index memories_by_turn on memories (turn_id)`,
      `create index files_by_age on files (created_at)`,
    ],
    // Small rows stand in the order of their keys, without a table beside the index of them.
    "0027_clustered":
      kind === "postgres"
        ? []
        : ["events", "steps"].flatMap((table) => [
            `alter table ${table} rename to ${table}_before`,
            table === "events"
              ? `create table events (turn_id text not null, seq integer not null, at integer not null,
                  data text not null, constraint events_key primary key (turn_id, seq)) without rowid`
              : `create table steps (turn_id text not null, seq integer not null, kind text not null,
                  step integer not null, state text not null, at integer not null, data text not null,
                  constraint steps_key primary key (turn_id, seq)) without rowid`,
            `insert into ${table} select * from ${table}_before`,
            `drop table ${table}_before`,
          ]),
  };
}

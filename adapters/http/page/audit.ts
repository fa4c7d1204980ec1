import type {
  AuditAbout,
  AuditFilter,
  AuditHead,
  AuditItem,
  AuditPage,
  AuditVerdict,
} from "#contract/audit.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { askText, doneText } from "#src/base/statement.ts";
import { plural } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";

import { sessionOf } from "../api/wire.ts";
import { actorLabel, type Identity } from "../identity.ts";
import { nothingHere, placePage } from "./frame.ts";
import { definitions, html, type Html, icon, moment } from "./html.ts";

export const AUDIT_PATH = "/audit";

/** What an entry tells, in words. */
interface Telling {
  did: string;
  tone?: "good" | "warn" | "bad";
  /** What it was done to. */
  what: string;
  /** Such as the reason that was given. */
  note?: string;
}

type Tell = (item: AuditItem, data: JsonObject) => Telling;

const TELLINGS: Readonly<Record<string, Tell>> = {
  "approval.pending": (item) => ({ did: "Asked for approval", what: asked(item) }),
  "approval.edited": (item) => ({ did: "Asked for approval, edited", what: asked(item) }),
  "approval.allowed_by_policy": (item) => ({ did: "Allowed by the rules", what: asked(item) }),
  "approval.vote": (item, { decision, reason }) => ({
    ...(decision === "deny" ? { did: "Denied", tone: "bad" } : { did: "Approved", tone: "good" }),
    what: asked(item),
    ...noted(reason),
  }),
  "approval.withdrawn": (item) => ({ did: "Took an approval back", tone: "warn", what: asked(item) }),
  "approval.refused_click": (item, { decision, why }) => ({
    did: decision === "deny" ? "Was not allowed to deny" : "Was not allowed to approve",
    tone: "warn",
    what: asked(item),
    // It was said to them, and is read by others.
    ...noted(textOf(why) && `Was told: ${en.quote(textOf(why))}`),
  }),
  "approval.approved": (item) => ({ did: "Enough approvals", tone: "good", what: asked(item) }),
  "approval.denied": (item, { note }) => ({ did: "Denied", tone: "bad", what: asked(item), ...noted(note) }),
  "approval.executing": (item) => ({ did: "Began", what: asked(item) }),
  "approval.done": (item) => ({ did: "Done", tone: "good", what: done(item) }),
  "approval.failed": (item, { note }) => ({ did: "Failed", tone: "bad", what: asked(item), ...noted(note) }),
  "approval.unknown": (item, { note }) => ({
    did: "Outcome unknown",
    tone: "warn",
    what: asked(item),
    ...noted(note),
  }),
  "approval.expired": (item) => ({ did: "Expired", tone: "warn", what: asked(item) }),
  "approval.void": (item, { note }) => ({
    did: "No longer valid",
    tone: "warn",
    what: asked(item),
    ...noted(note),
  }),
  "approval.superseded": (item) => ({ did: "Replaced by an edit", what: asked(item) }),
  "approval.reminded": (item) => ({ did: "Reminder sent", what: asked(item) }),
  "approval.looked_up": (item) => ({ did: "Looked up", what: asked(item) }),
  "approval.late_result": (item) => ({ did: "Late result", tone: "warn", what: asked(item) }),
  "approval.taken_over": (item) => ({ did: "Taken over after a crash", tone: "warn", what: asked(item) }),
  "grant.given": (item, { uses }) => ({
    did: "Allowed more of the same",
    tone: "warn",
    what: asked(item),
    ...(typeof uses === "number" ? { note: `up to ${plural(uses, "time")}` } : {}),
  }),
  "grant.used": (item) => ({ did: "Approved by a standing approval", tone: "good", what: asked(item) }),
  "grant.revoked": (item) => ({ did: "Took a standing approval back", tone: "warn", what: asked(item) }),
  "conversation.renamed": (_, { title }) => ({ did: "Renamed a conversation", what: textOf(title) }),
  "conversation.deleted": (_, { conversation }) => ({
    did: "Deleted a conversation",
    tone: "bad",
    what: textOf(conversation),
  }),
  "privacy.set": (_, { channel, summarize }) => ({
    did: summarize === false ? "Made a channel private" : "Ended a channel's privacy",
    what: textOf(channel),
  }),
  "account.connected": (_, { server }) => ({ did: "Connected an account", what: textOf(server) }),
  "account.disconnected": (_, { server }) => ({ did: "Disconnected an account", what: textOf(server) }),
  "tool.changed": (_, { tool }) => ({
    did: "A tool is described otherwise",
    tone: "warn",
    what: textOf(tool),
  }),
  "configuration.changed": (_, { changed }) => ({
    did: "The configuration was taken over",
    tone: "warn",
    what: Array.isArray(changed) ? changed.map(textOf).join(", ") : "",
  }),
  "turn.accepted": (_, { message }) => ({ did: "Wrote", what: textOf(message) }),
  "turn.stopped": () => ({ did: "Stopped an answer", tone: "warn", what: "" }),
  "turn.done": () => ({ did: "Was answered", what: "" }),
  "turn.failed": (_, { error }) => ({ did: "Failed", tone: "bad", what: textOf(error) }),
  "turn.pending_confirmation": () => ({ did: "Waits for approval", what: "" }),
  "plan.decided": (_, { planner }) => ({ did: "Planned", what: textOf(planner) }),
  "call.intent": (_, { tool }) => ({ did: "Calls", what: textOf(tool) }),
  "call.done": (_, { tool }) => ({ did: "Called", what: textOf(tool) }),
  "call.failed": (_, { tool }) => ({ did: "Call failed", tone: "bad", what: textOf(tool) }),
  respond: () => ({ did: "Wrote the answer", what: "" }),
};

function tellingOf(item: AuditItem): Telling {
  const known = Object.hasOwn(TELLINGS, item.kind) ? TELLINGS[item.kind] : undefined;
  if (known !== undefined) return known(item, isObject(item.data) ? item.data : {});
  const words = item.kind.replaceAll(/[._]+/g, " ");
  return { did: words.charAt(0).toUpperCase() + words.slice(1), what: asked(item) };
}

function asked({ statement, toolId = "" }: AuditItem): string {
  return statement === undefined ? toolId : askText(statement);
}

function done({ statement, toolId = "" }: AuditItem): string {
  return statement === undefined ? toolId : doneText(statement);
}

function noted(text: JsonValue | undefined): { note?: string } {
  return typeof text === "string" && text !== "" ? { note: text } : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function personOf({ name, actor }: AuditItem): string {
  return name ?? (actor === undefined ? "Countersign" : actorLabel(actor));
}

/** The columns of the file, and an entry as its line. */
export const AUDIT_COLUMNS = [
  "number",
  "time",
  "who",
  "actor",
  "did",
  "what",
  "note",
  "kind",
  "tool",
  "turn",
  "approval",
  "data",
  "hash",
] as const;

export function auditCells(item: AuditItem): string[] {
  const { did, what, note = "" } = tellingOf(item);
  const { seq, at, actor = "", kind, toolId = "", turnId = "", approvalId = "", data, hash } = item;
  const time = new Date(at).toISOString();
  const whole = JSON.stringify(data);
  return [
    String(seq),
    time,
    personOf(item),
    actor,
    did,
    what,
    note,
    kind,
    toolId,
    turnId,
    approvalId,
    whole,
    hash,
  ];
}

const ABOUT: readonly (readonly [AuditAbout, string])[] = [
  ["decisions", "Approvals and changes"],
  ["messages", "Messages"],
  ["all", "Everything"],
];

export interface AuditPageParts {
  identity: Identity;
  filter: AuditFilter;
  found: AuditPage;
  head: AuditHead;
  /** The change up to which the page is drawn. */
  change: number;
  /** Where the whole record was checked. */
  verdict?: AuditVerdict;
}

/** What people asked for, decided and changed, newest first, for operators. */
export function auditPage({ identity, filter, found, head, change, verdict }: AuditPageParts): Html {
  const { about, query, before } = filter;
  const address = (more: Record<string, string>): string => auditAddress(filter, more);
  return placePage(AUDIT_PATH, "Audit", {
    identity,
    script: "audit.js",
    styles: ["audit.css"],
    body: html`<p class="place-about">
        What people asked for, decided and changed. Nobody can edit or delete an entry without it showing:
        each is sealed with the one before.
      </p>
      <form class="audit-filter" method="get" action="${AUDIT_PATH}" role="search">
        <label
          >Show
          <select name="about">
            ${ABOUT.map(
              ([value, name]) =>
                html`<option value="${value}" ${value === about && "selected"}>${name}</option>`,
            )}
          </select></label
        >
        <label class="audit-find"
          ><span class="visually-hidden">Search the record</span
          ><input
            type="search"
            name="q"
            value="${query}"
            maxlength="200"
            placeholder="A person, an issue, a word"
            spellcheck="false"
        /></label>
        <button class="cs-button cs-button--primary" type="submit">Search</button>
        <a class="cs-button" href="${address({ check: "1" })}">Check the whole record</a>
        <a class="cs-button" href="${address({}).replace(AUDIT_PATH, `${AUDIT_PATH}/export`)}" download
          >${icon("save")} Download CSV</a
        >
      </form>
      ${verdict !== undefined && verdictBox(verdict)}
      <p class="audit-news" id="audit-news" role="status" data-change="${change}" hidden>
        There are new entries. <a class="cs-link" href="${address({})}">Show them</a>
      </p>
      ${
        found.items.length === 0
          ? html`<p class="audit-none">${noneText(filter, found)}</p>`
          : html`<ol class="audit" aria-label="Entries, newest first">
              ${found.items.map(entryOf)}
            </ol>`
      }
      <p class="audit-ways">
        ${before !== undefined && html`<a class="quiet-button" href="${address({})}">Newest entries</a>`}
        ${
          found.next !== undefined &&
          html`<a class="quiet-button" href="${address({ before: String(found.next) })}">Older entries</a>`
        }
      </p>
      <p class="audit-head">
        ${plural(head.seq, "entry", "entries")} in all. Newest seal <code>${`${head.seq}:${head.hash}`}</code>
      </p>`,
  });
}

/** The address of what is looked for, from its newest entry on. */
function auditAddress({ about, query }: AuditFilter, more: Record<string, string>): string {
  const params = new URLSearchParams({ about, ...(query === "" ? {} : { q: query }), ...more });
  return `${AUDIT_PATH}?${params.toString()}`;
}

function noneText({ query, before }: AuditFilter, { next }: AuditPage): string {
  if (next !== undefined) return `Nothing found for “${query}” as far as was looked. Look at older entries.`;
  if (query !== "") return `Nothing found for “${query}”. Entries with all of the words are looked for.`;
  return before === undefined ? "Nothing has happened yet." : "There are no older entries.";
}

function verdictBox(verdict: AuditVerdict): Html {
  if (verdict.ok) {
    return html`<p class="audit-verdict" role="status">
      <span class="light light--good"></span>The record is whole: all
      ${plural(verdict.entries, "entry", "entries")} follow from each other. Compare its newest seal with one
      that was kept elsewhere to see that none was cut off.
    </p>`;
  }
  return html`<p class="audit-verdict audit-verdict--bad" role="alert">
    <span class="light light--bad"></span>The record was changed at entry ${verdict.broken.seq}:
    ${verdict.broken.why}. The ${plural(verdict.entries, "entry", "entries")} before it are whole. Keep the
    data folder as it is, and compare it with a backup.
  </p>`;
}

function entryOf(item: AuditItem): Html {
  const { did, tone, what, note } = tellingOf(item);
  return html`<li>
    <details class="entry" id="entry-${item.seq}">
      <summary>
        ${moment(item.at)}
        <span class="entry-who">${personOf(item)}</span>
        <span class="cs-badge ${tone === undefined ? "" : `cs-tone-${tone}`}">${did}</span>
        <span class="entry-what"
          >${what}${note !== undefined && html`<span class="entry-note">${note}</span>`}</span
        >
      </summary>
      <dl class="facts">${definitions(factsOf(item))}</dl>
      ${wayTo(item)}
      <pre class="cs-code" tabindex="0"><code>${JSON.stringify(item.data, null, 2)}</code></pre>
    </details>
  </li>`;
}

function factsOf(item: AuditItem): (readonly [string, Html | string])[] {
  const { seq, kind, actor, toolId, turnId, approvalId, conversationId, hash } = item;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Kind", kind],
    ["Who", actor],
    ["Tool", toolId],
    ["Message", turnId],
    ["Approval", approvalId],
    ["Where", conversationId],
    ["Seal", hash],
  ];
  const codes = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [[name, html`<code>${text}</code>`] as const],
  );
  return [["Number", String(seq)], ...codes];
}

/** Where it happened, if that is on the page. */
function wayTo({ conversationId = "", turnId }: AuditItem): Html | undefined {
  if (!conversationId.startsWith("http:")) return undefined;
  const turn = turnId === undefined ? "" : `&t=${encodeURIComponent(turnId)}`;
  const address = `/?c=${encodeURIComponent(sessionOf(conversationId))}${turn}`;
  return html`<p><a class="cs-link" href="${address}">Open the conversation</a></p>`;
}

/** For who is no operator. */
export function auditRefusal(identity: Identity): Html {
  return placePage(AUDIT_PATH, "Audit", {
    identity,
    body: nothingHere(
      "The audit record is for operators",
      "It shows what everybody asked for and decided. Whoever runs Countersign can give your token the role of an operator, or look something up for you.",
      html`<a class="cs-button cs-button--primary" href="/">Go to the conversations</a>`,
    ),
  });
}

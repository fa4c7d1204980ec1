import type { Approval } from "#contract/approval.ts";
import type { ConversationSummary } from "#contract/conversation.ts";
import { askText } from "#src/base/statement.ts";

import { literally } from "#src/base/matching.ts";
import { sessionOf } from "../api/wire.ts";
import { actorLabel } from "../identity.ts";
import { nothingHere } from "./frame.ts";
import { html, type Html, icon, time } from "./html.ts";

/** A title in one line. */
export function titleLine(title: string): string {
  const line = title.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
}

export interface ConversationListParts {
  conversations: readonly ConversationSummary[];
  /** Requests in conversations of others. */
  waiting: readonly Approval[];
  current: string;
  /** What is looked for. */
  query: string;
  /** How many more are to be shown by the button at the end; none without. */
  next?: number;
}

/** The list at the side: requests in conversations of others, then the own ones, most recently used first. */
export function conversationList(parts: ConversationListParts): Html {
  const { conversations, waiting, current, query, next } = parts;
  if (conversations.length === 0 && query !== "") {
    return html`<p class="conversations-none">
      Nothing found for “${query}”. Titles and messages with all of the words are looked for.
    </p>`;
  }
  if (conversations.length === 0 && waiting.length === 0) {
    return html`<p class="conversations-none">Conversations appear here.</p>`;
  }
  const link = (to: string, title: string, about: Html, waits = ""): Html => {
    const session = sessionOf(to);
    return html`<li>
      <a
        class="conversation"
        href="/?c=${encodeURIComponent(session)}"
        ${session === current && html`aria-current="page"`}
        ${waits !== "" && html`title="${waits}"`}
      >
        <span class="conversation-title">${titleLine(title)}</span>
        ${about}
      </a>
    </li>`;
  };
  const meta = (at: number, pending: number): Html =>
    html`<span class="conversation-meta">
      ${time(at)}${
        pending > 0 &&
        html`<span class="pending">${pending}<span class="visually-hidden"> to approve</span></span>`
      }
    </span>`;
  return html`<ul>
      ${waiting.map(({ conversationId, requestedBy, statement, createdAt }) => {
        const title = `${actorLabel(requestedBy)}: ${askText(statement)}`;
        return link(conversationId, title, meta(createdAt, 1), "Waits for your approval");
      })}
      ${conversations.map(({ conversationId, title, lastAt, pending, found }) => {
        const excerpt =
          found !== undefined &&
          titleLine(found) !== titleLine(title) &&
          html`<span class="conversation-found">${excerptOf(found, query)}</span>`;
        return link(conversationId, title, html`${excerpt}${meta(lastAt, pending)}`);
      })}
    </ul>
    ${
      next !== undefined &&
      html`<button class="quiet-button conversations-more" type="button" data-more-conversations="${next}">
        Show older conversations
      </button>`
    }`;
}

/** Characters before the first word that was found. */
const LEAD = 24;
const EXCERPT = 140;

/** Where the words stand in a message, marked. */
function excerptOf(text: string, query: string): (string | Html)[] {
  const words = query.split(/\s+/).filter((word) => word !== "");
  const pattern = new RegExp(words.map(literally).join("|"), "giu");
  const flat = text.replaceAll(/\s+/g, " ");
  const first = flat.search(pattern);
  const from = Math.max(0, first - LEAD);
  const shown = `${from > 0 ? "…" : ""}${flat.slice(from, from + EXCERPT)}`;
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const match of shown.matchAll(pattern)) {
    parts.push(shown.slice(at, match.index), html`<mark>${match[0]}</mark>`);
    at = match.index + match[0].length;
  }
  return [...parts, shown.slice(at)];
}

/** Where conversations are looked for, above their list. */
export function conversationSearch(): Html {
  return html`<search class="conversation-search">
    <label class="visually-hidden" for="find">Search conversations</label>
    <input
      id="find"
      type="search"
      placeholder="Search conversations"
      maxlength="200"
      spellcheck="false"
      autocomplete="off"
      aria-controls="conversations"
    />
  </search>`;
}

/** What can be done with the conversation on the page: a menu beside its title. */
export function conversationMenu(): Html {
  const item = (action: string, name: string, look = ""): Html =>
    html`<button type="button" class="menu-item${look}" data-conversation="${action}">${name}</button>`;
  return html`<button
      class="icon-button"
      type="button"
      id="conversation-menu-button"
      popovertarget="conversation-menu"
      aria-label="This conversation"
    >
      ${icon("more")}
    </button>
    <div class="menu" id="conversation-menu" popover>
      ${item("rename", "Rename…")} ${item("link", "Copy link")}
      ${item("delete", "Delete…", " menu-item--bad")}
    </div>`;
}

/** The windows that the menu opens; the script sends them. */
export function conversationDialogs(): Html {
  return html`<dialog class="window" id="rename" aria-labelledby="rename-title">
      <form method="dialog" id="rename-form">
        <h2 id="rename-title">Rename this conversation</h2>
        <label for="rename-field">Title</label>
        <input id="rename-field" type="text" required maxlength="120" autocomplete="off" />
        <p class="approval-fault" data-fault role="alert" hidden></p>
        <div class="cs-actions">
          <button class="cs-button cs-button--primary" type="submit">Rename</button>
          <button class="cs-button" type="button" data-close>Cancel</button>
        </div>
      </form>
    </dialog>
    <dialog class="window" id="delete" aria-labelledby="delete-title">
      <form method="dialog" id="delete-form">
        <h2 id="delete-title">Delete this conversation?</h2>
        <p><strong data-name></strong></p>
        <p>
          Its messages, answers, results and files are deleted for everybody who takes part, and what is
          allowed in it without asking ends. This cannot be undone.
        </p>
        <p>
          Kept: the audit record of what was asked, approved and sent, which nobody can delete, and every
          change that was made in other systems.
        </p>
        <p class="approval-fault" data-fault role="alert" hidden></p>
        <div class="cs-actions">
          <button class="cs-button cs-button--destroy" type="submit">Delete conversation</button>
          <button class="cs-button" type="button" data-close autofocus>Cancel</button>
        </div>
      </form>
    </dialog>`;
}

/** In place of a conversation that a link named and that is not there. */
export function noConversation(session: string): Html {
  return nothingHere(
    "This conversation is not here",
    `The link names “${shortened(session)}”. It may have been deleted, it may belong to other people, or part of the link is missing.`,
    html`<a class="cs-button cs-button--primary" href="/">Start a new conversation</a>
      <button class="cs-button" type="button" data-find>Search conversations</button>`,
  );
}

/** In place of a message that a link named and that is not in its conversation. */
export function noTurn(turnId: string, session: string): Html {
  return nothingHere(
    "This message is not in this conversation",
    `The link names the message “${shortened(turnId)}”. Part of the link may be missing.`,
    html`<a class="cs-button cs-button--primary" href="/?c=${encodeURIComponent(session)}"
      >Open the whole conversation</a
    >`,
  );
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

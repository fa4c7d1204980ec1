import type { Approval } from "#contract/approval.ts";
import type { ConversationSummary } from "#contract/core.ts";

import { actorLabel } from "../actors.ts";
import { sessionOf } from "../api/wire.ts";
import { html, type Html, time } from "./html.ts";

/** The list at the side: requests in conversations of others, then the own ones, most recently used first. */
export function conversationList(
  conversations: ConversationSummary[],
  waiting: Approval[],
  currentSession: string,
): Html {
  if (conversations.length === 0 && waiting.length === 0) {
    return html`<p class="conversations-none">Conversations appear here.</p>`;
  }
  return html`<ul>
    ${waiting.map((approval) => {
      const session = sessionOf(approval.conversationId);
      return html`<li>
        <a
          class="conversation"
          href="/?c=${encodeURIComponent(session)}"
          ${session === currentSession ? html`aria-current="page"` : ""}
        >
          <span class="conversation-title">${actorLabel(approval.requestedBy)}: ${approval.toolId}</span>
          <span class="conversation-meta">
            ${time(approval.createdAt)}<span class="pending" title="Waits for your countersignature"
              >1<span class="visually-hidden"> to countersign</span></span
            >
          </span>
        </a>
      </li>`;
    })}
    ${conversations.map((conversation) => {
      const session = sessionOf(conversation.conversationId);
      return html`<li>
        <a
          class="conversation"
          href="/?c=${encodeURIComponent(session)}"
          ${session === currentSession ? html`aria-current="page"` : ""}
        >
          <span class="conversation-title">${conversation.title}</span>
          <span class="conversation-meta">
            ${time(conversation.lastAt)}${
              conversation.pending === 0
                ? ""
                : html`<span class="pending" title="Waits for a countersignature"
                    >${String(conversation.pending)}<span class="visually-hidden"> to countersign</span></span
                  >`
            }
          </span>
        </a>
      </li>`;
    })}
  </ul>`;
}

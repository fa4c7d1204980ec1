import type { ConversationSummary } from "#contract/core.ts";

import { sessionOf } from "../api/wire.ts";
import { html, type Html, time } from "./html.ts";

/** The list at the side, most recently used first. */
export function conversationList(conversations: ConversationSummary[], currentSession: string): Html {
  if (conversations.length === 0) {
    return html`<p class="conversations-none">Conversations appear here.</p>`;
  }
  return html`<ul>
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

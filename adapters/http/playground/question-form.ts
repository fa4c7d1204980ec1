import type { ActorId } from "#contract/actor.ts";
import type { Form, FormFault } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import { actorLabel } from "../actors.ts";
import type { Identity } from "../identity.ts";
import { actingAs } from "./acting-as.ts";
import { fieldBlock } from "./edit-form.ts";
import { html, type Html } from "./html.ts";

export interface QuestionFormParts {
  question: Question;
  /** Who looks at it: a page is shown to the person it is for, and to nobody else. */
  viewer: ActorId;
  /** Of a question that has fields. */
  form?: Form;
  identity: Identity;
  /** What was typed, where it was refused. */
  typed?: ReadonlyMap<string, string>;
  faults?: FormFault[];
  /** What is wrong with the whole. */
  fault?: string;
}

/** What a server asks in the middle of a call, in the turn it belongs to; the script sends the answer. */
export function questionForm(parts: QuestionFormParts): Html {
  const { question, identity, fault } = parts;
  const titleId = `question-title-${question.id}`;
  if (question.kind === "link" && question.actor !== parts.viewer) {
    const isOpen = question.state === "open";
    return html`<section class="edit question" data-question="${question.id}" aria-labelledby="${titleId}">
      <div class="edit-head">
        <h3 id="${titleId}">${isOpen ? "Waiting for" : "Asked"} ${actorLabel(question.actor)}</h3>
        <p class="question-message">
          to open a page for <code>${question.server}</code>. ${isOpen ? "" : closed(question)}
        </p>
      </div>
    </section>`;
  }
  return html`<form
    class="edit question"
    data-question="${question.id}"
    aria-labelledby="${titleId}"
    novalidate
  >
    <div class="edit-head">
      <h3 id="${titleId}"><code>${question.server}</code> asks</h3>
      <p class="question-message">${question.message}</p>
    </div>
    ${question.state === "open" ? body(parts) : html`<p class="edit-none">${closed(question)}</p>`}
    ${
      question.state !== "open"
        ? ""
        : html`<div class="signature">
            <div class="signature-line">${actingAs(identity)}</div>
            <div class="cs-actions">
              <button type="submit" class="cs-button cs-button--primary" data-answer="accept">
                ${question.kind === "link" ? "I have opened it" : "Answer"}
              </button>
              <button type="submit" class="cs-button" data-answer="decline">Decline</button>
            </div>
            <p class="approval-fault" data-fault role="alert" ${fault === undefined ? html`hidden` : ""}>
              ${fault ?? ""}
            </p>
          </div>`
    }
  </form>`;
}

function body({ question, form, typed, faults = [] }: QuestionFormParts): Html {
  if (question.kind === "link") {
    return html`<p>
      It wants you to open a page at <strong>${question.domain}</strong>. Nothing has been opened. Go there
      only if you trust it:
      <a href="${question.url}" target="_blank" rel="noopener noreferrer nofollow">${question.url}</a>
    </p>`;
  }
  const fields = form?.fields ?? [];
  return html`<p class="edit-none">${secretWarning(question.server)}</p>
    <div class="edit-fields">
      ${fields.map((field, index) =>
        fieldBlock(
          {
            ...field,
            now: typed?.get(field.name) ?? field.value,
            fault: faults.find(({ name }) => name === field.name)?.message,
          },
          `question-${question.id}-${String(index)}`,
        ),
      )}
    </div>`;
}

function closed({ state, note }: Question): string {
  const words = {
    open: "It waits.",
    accepted: "Answered.",
    declined: "Declined.",
    cancelled: "Closed before it was answered.",
    expired: "Nobody answered in time.",
  }[state];
  return note === undefined ? words : `${words} ${note}`;
}

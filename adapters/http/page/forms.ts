import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Form, FormFault, FormField } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { formNote } from "#src/base/question-words.ts";
import { askText } from "#src/base/statement.ts";
import { plural } from "#src/base/text.ts";

import { actorLabel, type Identity } from "../identity.ts";
import { button, html, type Html, raw, signature } from "./html.ts";

/** How a form was filled in, where it was refused. */
export interface Refused {
  /** The form's own values without it. */
  typed?: ReadonlyMap<string, string>;
  faults?: readonly FormFault[];
  /** What is wrong with the whole. */
  fault?: string;
}

interface FormParts extends Refused {
  form: Form;
  identity: Identity;
}

/** The arguments of a request as a form in its card; the script sends it. */
export function editForm({ id: approvalId, statement }: Approval, parts: FormParts): Html {
  const titleId = `edit-title-${approvalId}`;
  return html`<form class="edit" data-edit="${approvalId}" aria-labelledby="${titleId}" novalidate>
    <div class="edit-head">
      <h3 id="${titleId}">Edit: ${askText(statement)}</h3>
      <p>Saving replaces this request and restarts approval.</p>
    </div>
    ${parts.form.fields.length === 0 && html`<p class="edit-none">This tool takes no arguments.</p>`}
    ${foldedFields(parts, `edit-${approvalId}`)}
    ${signature(
      parts.identity,
      html`${submit("Save")} ${button("edit_cancel", "Cancel", { value: approvalId })}`,
      parts.fault,
    )}
  </form>`;
}

/** Where the form stands for what a turn asks for, or for one of its choices or next steps, by its place. */
export function fillPath(turnId: string, which: { choice?: number; next?: number } = {}): string {
  const [query = ""] = Object.entries(which).map(([name, at]) => `?${name}=${at}`);
  return `/playground/turns/${turnId}/fill${query}`;
}

/**
 * The arguments that a turn ended by asking for; the script sends them to `path`, which begins a turn. `asks`: somebody
 * has to approve the call first.
 */
export function fillForm(path: string, parts: FormParts & { asks: boolean }): Html {
  const titleId = `title-of-${path}`;
  return html`<form class="edit" data-fill="${path}" aria-labelledby="${titleId}" novalidate>
    <div class="edit-head"><h3 id="${titleId}">${parts.form.title}</h3></div>
    ${foldedFields(parts, path)}
    ${signature(
      parts.identity,
      html`${submit(parts.asks ? "Ask for approval" : "Run")} ${button("fill_cancel", "Cancel")}`,
      parts.fault,
    )}
  </form>`;
}

/**
 * What a server asks in the middle of a call, in the turn it belongs to; the script sends the answer. A page to
 * open is shown to the person it is for, and to no other `viewer`.
 */
export function questionForm(
  question: Question,
  viewer: ActorId,
  parts: Refused & { form?: Form; identity: Identity },
): Html {
  const isOpen = question.state === "open";
  const isOwn = question.kind === "form" && question.topic !== undefined;
  const titleId = `question-title-${question.id}`;
  if (question.kind === "link" && question.actor !== viewer) {
    return html`<section class="edit question" data-question="${question.id}" aria-labelledby="${titleId}">
      <div class="edit-head">
        <h3 id="${titleId}">${isOpen ? "Waiting for" : "Asked"} ${actorLabel(question.actor)}</h3>
        <p class="question-message">
          to open a page for <code>${question.server}</code>. ${!isOpen && closed(question)}
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
      ${
        isOwn
          ? html`<h3 id="${titleId}">${question.message}</h3>`
          : html`<h3 id="${titleId}"><code>${question.server}</code> asks</h3>
              <p class="question-message">${question.message}</p>`
      }
    </div>
    ${isOpen ? questionBody(question, parts) : html`<p class="edit-none">${closed(question)}</p>`}
    ${
      isOpen &&
      signature(
        parts.identity,
        html`${submit(question.kind === "link" ? "I have opened it" : "Answer")}
          <button type="submit" class="cs-button" data-answer="decline">Decline</button>`,
        parts.fault,
      )
    }
  </form>`;
}

function questionBody(question: Question, parts: Refused & { form?: Form }): Html {
  if (question.kind === "link") {
    return html`<p>
      It wants you to open a page at <strong>${question.domain}</strong>. Nothing has been opened. Go there
      only if you trust it:
      <a href="${question.url}" target="_blank" rel="noopener noreferrer nofollow">${question.url}</a>
    </p>`;
  }
  const blocks = drawFields(parts, `question-${question.id}`).map(({ block }) => block);
  return html`<p class="edit-none">${formNote(question, { where: "Tools & health" })}</p>
    <div class="edit-fields">${blocks}</div>`;
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

function submit(label: string): Html {
  return html`<button type="submit" class="cs-button cs-button--primary">${label}</button>`;
}

/** What is optional and empty is one click away, so that a tool with many arguments stays readable. */
function foldedFields(parts: FormParts, prefix: string): Html {
  const fields = drawFields(parts, prefix);
  const shown = fields.filter(({ isShown }) => isShown);
  const more = fields.filter(({ isShown }) => !isShown);
  return html`<div class="edit-fields">${shown.map(({ block }) => block)}</div>
    ${
      more.length > 0 &&
      html`<details class="edit-more">
        <summary>${plural(more.length, "more field")}</summary>
        <div class="edit-fields">${more.map(({ block }) => block)}</div>
      </details>`
    }`;
}

function drawFields(
  { form, typed, faults = [] }: Refused & { form?: Form },
  prefix: string,
): { isShown: boolean; block: Html }[] {
  return (form?.fields ?? []).map((field, index) => {
    const now = typed?.get(field.name) ?? field.value;
    const fault = faults.find(({ name }) => name === field.name)?.message;
    const isShown = field.required || now !== "" || fault !== undefined;
    return { isShown, block: fieldBlock({ ...field, now, fault }, `${prefix}-${String(index)}`) };
  });
}

interface DrawnField extends FormField {
  now: string;
  fault: string | undefined;
}

function fieldBlock(field: DrawnField, id: string): Html {
  const { kind, label, required, help, fault } = field;
  const describedBy = [fault !== undefined && `${id}-fault`, help !== undefined && `${id}-help`];
  return html`<div class="edit-field edit-field--${kind}">
    <label for="${id}"> ${label} ${!required && html`<span class="optional">(optional)</span>`} </label>
    ${control(field, id, describedBy.filter(Boolean).join(" "))}
    ${fault !== undefined && html`<p class="edit-fault" id="${id}-fault">${fault}</p>`}
    ${help !== undefined && html`<p class="edit-help" id="${id}-help">${help}</p>`}
  </div>`;
}

function control(field: DrawnField, id: string, describedBy: string): Html {
  const { kind, name, now } = field;
  const common = html`id="${id}" data-field="${name}"
  ${describedBy !== "" && html`aria-describedby="${describedBy}"`}
  ${field.fault !== undefined && html`aria-invalid="true"`} ${field.required && html`aria-required="true"`}`;
  if (kind === "select" || kind === "boolean") return choices(field, common);
  if (kind === "long_text" || kind === "list" || kind === "json") {
    const rows = Math.min(14, Math.max(kind === "long_text" ? 4 : 2, now.split("\n").length));
    const spelling = kind === "json" ? ' spellcheck="false"' : "";
    // The parser drops a line break that comes first in a text area, so one is given for it to drop
    // (HTML, "textarea" start tag). In pieces: no formatter of templates may add another.
    return html`${[raw("<textarea "), common, raw(` rows="${rows}"${spelling}>\n`), now, raw("</textarea>")]}`;
  }
  // Never type=number: a browser empties what it cannot read, and what was typed would be lost.
  const mode = kind === "integer" ? "numeric" : kind === "number" ? "decimal" : "text";
  return html`<input ${common} type="text" inputmode="${mode}" autocomplete="off" value="${now}" />`;
}

const YES_OR_NO = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

function choices({ kind, required, now, options = [] }: DrawnField, common: Html): Html {
  const known = kind === "boolean" ? YES_OR_NO : options;
  return html`<select ${common}>
    ${(!required || now === "") && html`<option value="">${required ? "Choose one" : "Not set"}</option>`}
    ${known.map(
      ({ value, label }) => html`<option value="${value}" ${value === now && "selected"}>${label}</option>`,
    )}
  </select>`;
}

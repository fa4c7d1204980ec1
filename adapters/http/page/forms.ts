import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Form, FormFault, FormField } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import { actorLabel, type Identity } from "../identity.ts";
import { actingAs, count, html, type Html, raw } from "./html.ts";

export interface EditFormParts {
  approval: Approval;
  form: Form;
  identity: Identity;
  /** What was typed, where it was refused; the form's own values without it. */
  typed?: ReadonlyMap<string, string>;
  faults?: FormFault[];
  /** What is wrong with the whole. */
  fault?: string;
}

/** The arguments of a request as a form in its card; the script sends it. */
export function editForm(parts: EditFormParts): Html {
  const { approval, form, identity, typed, faults = [], fault } = parts;
  const fields = form.fields.map((field) => ({
    ...field,
    now: typed?.get(field.name) ?? field.value,
    fault: faults.find(({ name }) => name === field.name)?.message,
  }));
  // What is optional and empty is one click away, so that a tool with many arguments stays readable.
  const isShown = (field: (typeof fields)[number]): boolean =>
    field.required || field.now !== "" || field.fault !== undefined;
  const more = fields.filter((field) => !isShown(field));
  const titleId = `edit-title-${approval.id}`;
  const draw = (field: (typeof fields)[number]): Html =>
    fieldBlock(field, `edit-${approval.id}-${String(fields.indexOf(field))}`);
  return html`<form class="edit" data-edit="${approval.id}" aria-labelledby="${titleId}" novalidate>
    <div class="edit-head">
      <h3 id="${titleId}">${form.title}: change what will be sent</h3>
      <p>Saving makes a new request, which needs its own countersignature. This one ends.</p>
    </div>
    ${fields.length === 0 ? html`<p class="edit-none">This tool takes no arguments.</p>` : ""}
    <div class="edit-fields">${fields.filter(isShown).map(draw)}</div>
    ${
      more.length === 0
        ? ""
        : html`<details class="edit-more">
            <summary>${count(more.length, "more field")}</summary>
            <div class="edit-fields">${more.map(draw)}</div>
          </details>`
    }
    <div class="signature">
      <div class="signature-line">${actingAs(identity)}</div>
      <div class="cs-actions">
        <button type="submit" class="cs-button cs-button--primary">Save as a new request</button>
        <button type="button" class="cs-button" data-action="edit_cancel" data-value="${approval.id}">
          Cancel
        </button>
      </div>
      <p class="approval-fault" data-fault role="alert" ${fault === undefined ? html`hidden` : ""}>
        ${fault ?? ""}
      </p>
    </div>
  </form>`;
}

interface DrawnField extends FormField {
  now: string;
  fault: string | undefined;
}

function fieldBlock(field: DrawnField, id: string): Html {
  const help = field.help === undefined ? "" : `${id}-help`;
  const fault = field.fault === undefined ? "" : `${id}-fault`;
  return html`<div class="edit-field edit-field--${field.kind}">
    <label for="${id}">
      ${field.label} ${field.required ? "" : html`<span class="optional">(optional)</span>`}
    </label>
    ${control(field, id, `${fault} ${help}`.trim())}
    ${fault === "" ? "" : html`<p class="edit-fault" id="${fault}">${field.fault}</p>`}
    ${help === "" ? "" : html`<p class="edit-help" id="${help}">${field.help}</p>`}
  </div>`;
}

function control(field: DrawnField, id: string, describedBy: string): Html {
  const { kind, name, now } = field;
  const common = html`id="${id}" data-field="${name}"
  ${describedBy === "" ? "" : html`aria-describedby="${describedBy}"`}
  ${field.fault === undefined ? "" : html`aria-invalid="true"`}
  ${field.required ? html`aria-required="true"` : ""}`;
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

function choices({ kind, required, now, options = [] }: DrawnField, common: Html): Html {
  const known =
    kind === "boolean"
      ? [
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]
      : options;
  return html`<select ${common}>
    ${required && now !== "" ? "" : html`<option value="">${required ? "Choose one" : "Not set"}</option>`}
    ${known.map(
      ({ value, label }) =>
        html`<option value="${value}" ${value === now ? html`selected` : ""}>${label}</option>`,
    )}
  </select>`;
}

export interface FillFormParts {
  turnId: string;
  form: Form;
  identity: Identity;
  /** What was typed, where it was refused; the form's own values without it. */
  typed?: ReadonlyMap<string, string>;
  faults?: readonly FormFault[];
  /** What is wrong with the whole. */
  fault?: string;
}

/** The arguments that a turn ended by asking for; the script sends them, which begins a turn. */
export function fillForm({ turnId, form, identity, typed, faults = [], fault }: FillFormParts): Html {
  const fields = form.fields.map((field, index) => {
    const drawn = {
      ...field,
      now: typed?.get(field.name) ?? field.value,
      fault: faults.find(({ name }) => name === field.name)?.message,
    };
    const isShown = drawn.required || drawn.now !== "" || drawn.fault !== undefined;
    return { isShown, block: fieldBlock(drawn, `fill-${turnId}-${String(index)}`) };
  });
  const more = fields.filter(({ isShown }) => !isShown);
  const titleId = `fill-title-${turnId}`;
  return html`<form class="edit" data-fill="${turnId}" aria-labelledby="${titleId}" novalidate>
    <div class="edit-head"><h3 id="${titleId}">${form.title}</h3></div>
    <div class="edit-fields">${fields.filter(({ isShown }) => isShown).map(({ block }) => block)}</div>
    ${
      more.length === 0
        ? ""
        : html`<details class="edit-more">
            <summary>${count(more.length, "more field")}</summary>
            <div class="edit-fields">${more.map(({ block }) => block)}</div>
          </details>`
    }
    <div class="signature">
      <div class="signature-line">${actingAs(identity)}</div>
      <div class="cs-actions">
        <button type="submit" class="cs-button cs-button--primary">Run</button>
        <button type="button" class="cs-button" data-action="fill_cancel">Cancel</button>
      </div>
      <p class="approval-fault" data-fault role="alert" ${fault === undefined ? html`hidden` : ""}>
        ${fault ?? ""}
      </p>
    </div>
  </form>`;
}

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

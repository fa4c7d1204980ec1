import type { Approval } from "#contract/approval.ts";
import type { Form, FormFault, FormField } from "#contract/form.ts";

import type { Identity } from "../identity.ts";
import { actingAs } from "./acting-as.ts";
import { count, html, type Html, raw } from "./html.ts";

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

export interface DrawnField extends FormField {
  now: string;
  fault: string | undefined;
}

export function fieldBlock(field: DrawnField, id: string): Html {
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

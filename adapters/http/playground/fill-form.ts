import type { Form, FormFault } from "#contract/form.ts";

import type { Identity } from "../identity.ts";
import { actingAs } from "./acting-as.ts";
import { fieldBlock } from "./edit-form.ts";
import { count, html, type Html } from "./html.ts";

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

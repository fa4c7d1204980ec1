// @ts-check
import { actor, showActor } from "./actor.js";
import { fragment, post, toTemplate } from "./api.js";

/**
 * @typedef {object} PageParts
 * @property {(error: unknown) => string} describe
 * @property {(text: string) => void} showFault
 * @property {(turnId: string, message: string) => Promise<void>} begin shows a turn that began
 */

/**
 * The form for what a turn ended by asking for.
 * @param {PageParts} page
 */
export function watchFill({ describe, showFault, begin }) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.fill === undefined) return;
    event.preventDefault();
    void send(form, form.dataset.fill);
  });

  /** One form begins one turn, however often it is sent. */
  let eventId = "";

  /**
   * @param {HTMLElement} place
   * @param {DocumentFragment} content
   */
  function show(place, content) {
    showActor(content);
    place.replaceChildren(content);
    const first = place.querySelector("[aria-invalid]") ?? place.querySelector("[data-field]");
    if (first instanceof HTMLElement) first.focus();
  }

  /**
   * @param {HTMLFormElement} form
   * @param {string} id
   */
  async function send(form, id) {
    const place = form.parentElement;
    const buttons = [...form.querySelectorAll("button")];
    const line = form.querySelector("[data-fault]");
    const values = [...form.querySelectorAll("[data-field]")].map((field) => [
      field.getAttribute("data-field"),
      /** @type {HTMLInputElement} */ (field).value,
    ]);
    const name = actor();
    for (const button of buttons) button.disabled = true;
    try {
      const path = `/playground/turns/${encodeURIComponent(id)}/fill`;
      const body = { values, event_id: eventId, ...(name === undefined ? {} : { actor: name }) };
      const response = await post(path, body);
      if (place === null) return;
      if (response.status === 422) return show(place, toTemplate(await response.text()).content);
      const begun = /** @type {{ turn_id: string, message: string }} */ (await response.json());
      place.replaceChildren();
      await begin(begun.turn_id, begun.message);
    } catch (error) {
      if (!(line instanceof HTMLElement)) return;
      line.textContent = describe(error);
      line.hidden = false;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  return {
    /**
     * @param {HTMLButtonElement} button
     * @param {string} action
     * @param {string} id
     */
    async act(button, action, id) {
      const place = button.closest(".turn")?.querySelector("[data-fill-place]");
      if (!(place instanceof HTMLElement)) return;
      if (action === "fill_cancel") return place.replaceChildren();
      try {
        const { content } = await fragment(`/playground/turns/${encodeURIComponent(id)}/fill`);
        eventId = crypto.randomUUID();
        show(place, content);
      } catch (error) {
        showFault(describe(error));
      }
    },
  };
}

// @ts-check
import { asActor, describe, fragment, post, toFragment } from "./api.js";
import { on, showText } from "./dom.js";

/** What stands in the fields of a form, as pairs: a field may have any name. @param {HTMLElement} form */
export function fieldValues(form) {
  return [...form.querySelectorAll("[data-field]")].map((field) => [
    field.getAttribute("data-field"),
    /** @type {HTMLInputElement} */ (field).value,
  ]);
}

/** Whether somebody has begun to fill a form in, so that nothing closes it but they. @param {HTMLElement} form */
export function isTouched(form) {
  return [...form.querySelectorAll("[data-field]")].some((field) =>
    field instanceof HTMLSelectElement
      ? [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected)
      : /** @type {HTMLInputElement} */ (field).value !==
        /** @type {HTMLInputElement} */ (field).defaultValue,
  );
}

/** Goes to the first field that is wrong, or else to the first one. @param {ParentNode} root */
export function focusFirst(root) {
  const first = root.querySelector("[aria-invalid]") ?? root.querySelector("[data-field]");
  if (first instanceof HTMLElement) first.focus();
}

/**
 * Sends a form with its buttons disabled, and says in it what went wrong.
 * @param {HTMLElement} form @param {() => Promise<void>} work
 */
async function sending(form, work) {
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    showText(form.querySelector("[data-fault]"), describe(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/**
 * The form for what a turn ended by asking for.
 * @param {(turnId: string, message: string) => Promise<void>} begin shows a turn that began
 */
export function watchFill(begin) {
  /** One form begins one turn, however often it is sent. */
  let eventId = "";

  /** @param {HTMLElement} place @param {DocumentFragment} content */
  function show(place, content) {
    place.replaceChildren(content);
    focusFirst(place);
  }

  on("submit", "form[data-fill]", (form, event) => {
    event.preventDefault();
    void sending(form, async () => {
      const path = form.dataset.fill ?? "";
      const place = form.parentElement;
      const response = await post(path, { values: fieldValues(form), event_id: eventId });
      if (place === null) return;
      if (response.status === 422) return show(place, await toFragment(response));
      const begun = /** @type {{ turn_id: string, message: string }} */ (await response.json());
      place.replaceChildren();
      await begin(begun.turn_id, begun.message);
    });
  });

  /**
   * Opens the form that belongs to a button, or closes it.
   * @param {HTMLElement} button @param {string} action @param {string} path
   */
  return async (button, action, path) => {
    const place = button.closest(".turn")?.querySelector("[data-fill-place]");
    if (!(place instanceof HTMLElement)) return;
    if (action === "fill_cancel") return place.replaceChildren();
    const content = await fragment(path);
    eventId = crypto.randomUUID();
    show(place, content);
  };
}

/** Sends the answers to what servers ask. */
export function watchQuestions() {
  on("submit", "form[data-question]", (form, event) => {
    event.preventDefault();
    const article = form.closest(".turn");
    const id = form.dataset.question ?? "";
    const action = event.submitter?.dataset.answer ?? "accept";
    void sending(form, async () => {
      const path = `/playground/questions/${encodeURIComponent(id)}/answer`;
      const response = await post(path, { action, values: fieldValues(form) }, "text/html");
      const content = await toFragment(response);
      if (article !== null) place(article, id, content, response.status === 422);
    });
  });
}

/**
 * Shows what a server asks in the turn's article, or how the question ended.
 * @param {HTMLElement} article @param {{ question_id?: string, state?: string }} data
 */
export async function showQuestion(article, { question_id: id = "", state }) {
  // A form that somebody fills in stays until it is answered or closed.
  if (state === "open" && find(article, id) !== null) return;
  const content = await fragment(asActor(`/playground/questions/${encodeURIComponent(id)}`));
  place(article, id, content, state === "open");
}

/** Whether the turns before this one wait for an answer that is asked for on the page. @param {HTMLElement} article */
export function isAskedBefore(article) {
  return [...document.querySelectorAll(".turn [data-question] button[type=submit]")].some(
    (button) => !article.contains(button),
  );
}

/** @param {Element} article @param {string} id */
function find(article, id) {
  return article.querySelector(`[data-question="${CSS.escape(id)}"]`);
}

/** @param {Element} article @param {string} id @param {DocumentFragment} content @param {boolean} focus */
function place(article, id, content, focus) {
  const shown = find(article, id);
  if (shown === null) article.querySelector(".answer")?.append(content);
  else shown.replaceWith(content);
  const form = find(article, id);
  if (focus && form !== null) focusFirst(form);
}

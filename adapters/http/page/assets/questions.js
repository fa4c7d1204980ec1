// @ts-check
import { actor, showActor } from "./actor.js";
import { fragment, post, toTemplate } from "./api.js";

/**
 * Shows what a server asks in the turn's article, or how the question ended.
 * @param {HTMLElement} article
 * @param {{ question_id?: string, state?: string }} data
 */
export async function showQuestion(article, { question_id: id = "", state }) {
  const shown = find(article, id);
  // A form that somebody fills in stays until it is answered or closed.
  if (state === "open" && shown !== undefined) return;
  const name = actor();
  const as = name === undefined ? "" : `?actor=${encodeURIComponent(name)}`;
  const { content } = await fragment(`/playground/questions/${encodeURIComponent(id)}${as}`);
  place(article, id, content, state === "open");
}

/**
 * @param {ParentNode} root
 * @param {string} id
 */
function find(root, id) {
  return [...root.querySelectorAll("[data-question]")].find(
    (form) => form.getAttribute("data-question") === id,
  );
}

/**
 * @param {HTMLElement} article
 * @param {string} id
 * @param {DocumentFragment} content
 * @param {boolean} focus
 */
function place(article, id, content, focus) {
  showActor(content);
  const shown = find(article, id);
  if (shown === undefined) article.querySelector(".answer")?.append(content);
  else shown.replaceWith(content);
  const form = find(article, id);
  const first = form?.querySelector("[aria-invalid]") ?? form?.querySelector("[data-field]");
  if (focus && first instanceof HTMLElement) first.focus();
}

/**
 * Sends the answers.
 * @param {(error: unknown) => string} describe
 */
export function watchQuestions(describe) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.question === undefined) return;
    event.preventDefault();
    const action = event.submitter?.dataset.answer ?? "accept";
    void send(form, form.dataset.question, action);
  });

  /**
   * @param {HTMLFormElement} form
   * @param {string} id
   * @param {string} action
   */
  async function send(form, id, action) {
    const article = form.closest(".turn");
    const buttons = [...form.querySelectorAll("button")];
    const line = form.querySelector("[data-fault]");
    const values = [...form.querySelectorAll("[data-field]")].map((field) => [
      field.getAttribute("data-field"),
      /** @type {HTMLInputElement} */ (field).value,
    ]);
    const name = actor();
    for (const button of buttons) button.disabled = true;
    try {
      const path = `/playground/questions/${encodeURIComponent(id)}/answer`;
      const body = { action, values, ...(name === undefined ? {} : { actor: name }) };
      const response = await post(path, body, "text/html");
      const { content } = toTemplate(await response.text());
      if (article instanceof HTMLElement) place(article, id, content, response.status === 422);
    } catch (error) {
      if (!(line instanceof HTMLElement)) return;
      line.textContent = describe(error);
      line.hidden = false;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }
}

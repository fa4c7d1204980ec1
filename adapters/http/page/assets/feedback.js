// @ts-check
import { describe, post } from "./api.js";
import { on, part } from "./dom.js";

/** What the reader thinks of answers goes to the server at once, and what should have come after it. */
export function watchFeedback() {
  on("click", "[data-rate]", (thumb) => {
    const form = /** @type {HTMLFormElement} */ (thumb.closest("form"));
    const verdict = thumb.dataset.rate ?? "";
    void rate(form, { verdict });
    for (const one of form.querySelectorAll("[data-rate]"))
      one.setAttribute("aria-pressed", String(one === thumb));
    part(form, "[data-why]").hidden = verdict === "good";
    if (verdict === "bad") part(form, "input").focus();
  });
  on("submit", "form.thumbs", (element, event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (element);
    part(form, "[data-why]").hidden = true;
    const { value } = /** @type {HTMLInputElement} */ (part(form, "input"));
    void rate(form, { verdict: "bad", words: value });
  });
}

/** @param {HTMLFormElement} form @param {{ verdict: string, words?: string }} rating */
async function rate(form, rating) {
  const said = part(form, "[role=status]");
  try {
    await post(form.dataset.rated ?? "", rating);
    said.textContent = rating.verdict === "good" || rating.words !== undefined ? "Thank you." : "";
  } catch (error) {
    said.textContent = describe(error);
  }
}

// @ts-check
import { on } from "./dom.js";

const KEY = "countersign.actor";
const NAME = /^[A-Za-z0-9._@-]{1,64}$/;

/** The name in use, or undefined where the token decides. */
export function actor() {
  return document.querySelector("[data-actor-fixed]") === null ? stored() : undefined;
}

/** @returns {string} the name to show */
export function actorName() {
  return document.querySelector("[data-actor-fixed]")?.textContent ?? stored();
}

function stored() {
  try {
    const name = localStorage.getItem(KEY) ?? "";
    return NAME.test(name) ? name : "local";
  } catch {
    return "local";
  }
}

/**
 * Puts the name into every field below `root`, but for the one that is being typed in.
 * @param {ParentNode} root
 */
export function showActor(root) {
  for (const field of root.querySelectorAll("input[data-actor]")) {
    if (field instanceof HTMLInputElement && field !== document.activeElement) show(field, stored());
  }
}

/** @param {HTMLInputElement} field @param {string} name */
function show(field, name) {
  if (field.value !== name) field.value = name;
  field.size = Math.max(4, name.length);
}

/** A changed name holds for the whole page and for later visits. */
export function watchActor() {
  showActor(document);
  on("input", "input[data-actor]", (element) => {
    const field = /** @type {HTMLInputElement} */ (element);
    const name = field.value.trim();
    const isGood = NAME.test(name);
    show(field, field.value);
    field.setCustomValidity(isGood ? "" : "Letters, digits and . _ @ - only, 1 to 64 of them");
    if (!isGood) return;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // Private windows may refuse; the name then holds until the page closes.
    }
    showActor(document);
  });
  on("focusout", "input[data-actor]", (element) => {
    const field = /** @type {HTMLInputElement} */ (element);
    field.setCustomValidity("");
    show(field, stored());
  });
}

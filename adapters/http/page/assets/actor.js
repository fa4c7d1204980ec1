// @ts-check

const KEY = "countersign.actor";
const NAME = /^[A-Za-z0-9._@-]{1,64}$/;

/** The name in use, or undefined where the token decides. */
export function actor() {
  if (document.querySelector("[data-actor-fixed]") !== null) return undefined;
  return stored();
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
 * Puts the name into every field below `root`.
 * @param {ParentNode} root
 */
export function showActor(root) {
  for (const field of root.querySelectorAll("input[data-actor]")) {
    if (field instanceof HTMLInputElement && field !== document.activeElement) {
      field.value = stored();
      field.size = Math.max(4, field.value.length);
    }
  }
}

/** A changed name holds for the whole page and for later visits. */
export function watchActor() {
  showActor(document);
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches("[data-actor]")) return;
    const name = target.value.trim();
    target.size = Math.max(4, target.value.length);
    const good = NAME.test(name);
    target.setCustomValidity(good ? "" : "Letters, digits and . _ @ - only, 1 to 64 of them");
    if (!good) return;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // Private windows may refuse; the name then holds until the page closes.
    }
    showActor(document);
  });
  document.addEventListener("focusout", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches("[data-actor]")) return;
    target.setCustomValidity("");
    target.value = stored();
    target.size = Math.max(4, target.value.length);
  });
}

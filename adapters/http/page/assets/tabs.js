// @ts-check
import { fragment } from "./api.js";
import { on } from "./dom.js";

/** Shows the panel of a tab. @param {HTMLElement} tab */
function select(tab) {
  const list = tab.closest("[role=tablist]");
  if (list === null) return;
  for (const other of list.querySelectorAll("[role=tab]")) {
    const on = other === tab;
    other.setAttribute("aria-selected", String(on));
    /** @type {HTMLElement} */ (other).tabIndex = on ? 0 : -1;
    const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
    if (panel === null) continue;
    panel.hidden = !on;
    if (on && panel.dataset.drawing !== undefined) void draw(panel, panel.dataset.drawing);
  }
}

/** Panels that are being drawn; true where there is more to draw by now. @type {WeakMap<HTMLElement, boolean>} */
const drawing = new WeakMap();

/**
 * Draws anew each time it is looked at: what a message shows can change.
 * @param {HTMLElement} panel @param {string} path
 */
async function draw(panel, path) {
  const isBusy = drawing.has(panel);
  drawing.set(panel, isBusy);
  if (isBusy) return;
  try {
    do {
      drawing.set(panel, false);
      panel.replaceChildren(await fragment(path));
    } while (drawing.get(panel) === true);
  } catch (error) {
    panel.textContent = error instanceof Error ? error.message : String(error);
  } finally {
    drawing.delete(panel);
  }
}

/** Draws what is looked at anew: the turn went on. @param {HTMLElement} article */
export function refreshDrawing(article) {
  for (const panel of article.querySelectorAll("[data-drawing]:not([hidden])")) {
    if (panel instanceof HTMLElement) void draw(panel, panel.dataset.drawing ?? "");
  }
}

/** Shows a view that the menu of a turn names, or the first one again. @param {HTMLElement} item */
function show(item) {
  const items = [...(item.closest(".menu")?.querySelectorAll("[data-shows]") ?? [])];
  const isOff = item.getAttribute("aria-pressed") === "true";
  const wanted = isOff ? (items.length > 1 ? items[0] : undefined) : item;
  for (const other of items) {
    other.setAttribute("aria-pressed", String(other === wanted));
    const view = document.getElementById(/** @type {HTMLElement} */ (other).dataset.shows ?? "");
    if (view !== null) view.hidden = other !== wanted;
  }
}

/**
 * What a person looks at stays in view when its turn is drawn anew.
 * @param {HTMLElement} before @param {HTMLElement} after in the page already
 */
export function keepTabs(before, after) {
  for (const { id } of before.querySelectorAll("[data-shows][aria-pressed=true]")) {
    const item = id === "" ? null : after.querySelector(`#${CSS.escape(id)}`);
    if (item instanceof HTMLElement && item.getAttribute("aria-pressed") === "false") show(item);
  }
  for (const { id } of before.querySelectorAll("[role=tab][aria-selected=true]")) {
    const tab = id === "" ? null : after.querySelector(`#${CSS.escape(id)}`);
    if (tab instanceof HTMLElement && tab.getAttribute("aria-selected") === "false") select(tab);
  }
}

/** Click, arrow keys, Home and End, for tabs that are there and those to come. */
export function watchTabs() {
  // Where the turn is drawn anew between press and release there is no click: what the mouse presses is chosen already.
  /** @type {HTMLElement | undefined} */
  let pressed;
  on("pointerdown", "[role=tab]", (tab, { button, pointerType }) => {
    pressed = undefined;
    if (button !== 0 || pointerType !== "mouse" || tab.getAttribute("aria-selected") === "true") return;
    pressed = tab;
    select(tab);
  });
  on("click", "[role=tab]", (tab) => {
    if (tab !== pressed) select(tab);
    pressed = undefined;
  });
  on("click", "[data-shows]", (item) => {
    show(item);
    const menu = item.closest("[popover]");
    if (menu instanceof HTMLElement) menu.hidePopover();
  });
  on("keydown", "[role=tab]", (tab, event) => {
    const tabs = [...(tab.closest("[role=tablist]")?.querySelectorAll("[role=tab]") ?? [])];
    const at = tabs.indexOf(tab);
    const steps = /** @type {Record<string, number>} */ ({
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    });
    const next = tabs[steps[event.key] ?? -1];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
    select(next);
  });
}

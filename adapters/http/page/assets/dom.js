// @ts-check

/**
 * Calls `handler` with the element around an event that the selector names, for elements that are there and
 * those to come.
 * @template {keyof DocumentEventMap} Type
 * @param {Type} type
 * @param {string} selector
 * @param {(element: HTMLElement, event: DocumentEventMap[Type]) => void} handler
 */
export function on(type, selector, handler) {
  document.addEventListener(type, (event) => {
    const element = event.target instanceof Element ? event.target.closest(selector) : null;
    if (element instanceof HTMLElement) handler(element, event);
  });
}

/** @param {ParentNode} root @param {string} selector @returns {HTMLElement} that is there */
export function part(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector));
}

/**
 * A copy of what a template of the page holds.
 * @param {string} id
 */
export function copyOf(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
}

/**
 * Says what is wrong; nothing with an empty text.
 * @param {Element | null} line @param {string} text
 */
export function showText(line, text) {
  if (!(line instanceof HTMLElement)) return;
  line.textContent = text;
  line.hidden = text === "";
}

/**
 * Resolves once nothing in there is pressed: what is drawn anew between press and release takes no click.
 * @param {string} selector
 */
export async function released(selector) {
  // Asked again and again, and not for ever: a release outside the window tells nobody.
  for (let left = 100; left > 0 && document.querySelector(`${selector} :active`) !== null; left -= 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Tells who cannot see it. @param {string} text */
export function announce(text) {
  const line = part(document, "#announcer");
  if (line.textContent !== text) line.textContent = text;
}

/** Puts a text into the clipboard and says so. @param {string | Promise<string>} text @param {string} done */
export async function copy(text, done = "Copied") {
  try {
    await navigator.clipboard.writeText(await text);
    announce(done);
    notify(done);
  } catch {
    notify("Copying was not allowed by the browser");
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/** Says something for a moment, where it can be seen. @param {string} text */
function notify(text) {
  const line = part(document, "#notice");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => (line.hidden = true), 2500);
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const STEPS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/** Shows the times below `root` as "5 min ago", with the full time as a tooltip, or with date and clock. @param {ParentNode} root */
export function showTimes(root) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
    if (element instanceof HTMLTimeElement) element.textContent = clock.format(new Date(element.dateTime));
  }
  for (const element of root.querySelectorAll("time[data-relative]")) {
    if (!(element instanceof HTMLTimeElement)) continue;
    const at = new Date(element.dateTime);
    const seconds = (at.getTime() - Date.now()) / 1000;
    const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
    element.textContent =
      step === undefined ? "now" : relative.format(Math.round(seconds / step[1]), step[0]);
    element.title = clock.format(at);
  }
}

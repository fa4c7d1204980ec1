// @ts-check

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const STEPS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]);

/**
 * Shows the times below `root` as "5 min ago", with the full time as a tooltip.
 * @param {ParentNode} root
 */
export function showTimes(root) {
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

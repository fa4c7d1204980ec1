import type { TurnResult } from "#contract/turn.ts";

import { duration, html, type Html } from "./html.ts";

/** What happened when: one line per entry, with a bar for what took time. */
export function runLog({ log, timings }: TurnResult): Html {
  const end = Math.max(1, timings.totalMs, ...log.map((line) => line.atMs + (line.durationMs ?? 0)));
  const share = (milliseconds: number): string => ((milliseconds / end) * 100).toFixed(2);
  return html`<div class="log">
    <ol class="log-lines">
      ${log.map(
        (line) =>
          html`<li>
            <span class="log-at">${duration(line.atMs)}</span>
            <span class="log-stage log-stage--${line.stage}">${line.stage}</span>
            <span class="log-text">${line.message}</span>
            <span class="log-took">${line.durationMs === undefined ? "" : duration(line.durationMs)}</span>
            <svg class="log-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y="0" width="100" height="2" class="log-track" />
              <rect
                x="${share(line.atMs)}"
                y="0"
                width="${share(Math.max(line.durationMs ?? 0, end / 150))}"
                height="2"
                class="log-span"
              />
            </svg>
          </li>`,
      )}
    </ol>
    <dl class="timings">
      ${(
        [
          ["Queued", timings.queuedMs],
          ["Planning", timings.planningMs],
          ["Tools", timings.toolsMs],
          ["Summarizing", timings.summarizingMs],
          ["Total", timings.totalMs],
        ] as const
      ).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${duration(value)}</dd>
          </div>`,
      )}
    </dl>
  </div>`;
}

// Puts lines with times in their order: ISO times, [HH:MM(:SS)] and syslog; parameters: gap_minutes (15).
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { gap_minutes: gap = 15 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const ISO = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?/;
const CLOCK = /(?:^|[[(\s])(\d{1,2}:\d\d(?::\d\d)?)(?=[\])\s,]|$)/;
const SYSLOG = /^([A-Z][a-z]{2}\s+\d{1,2}) (\d\d:\d\d:\d\d)/;

const two = (time) => (/^\d:/.test(time) ? `0${time}` : time);
let day = "1970-01-01";
const entries = String(input)
  .split("\n")
  .flatMap((line, index) => {
    const iso = ISO.exec(line);
    const log = SYSLOG.exec(line);
    const clock = CLOCK.exec(line);
    const found = iso ?? log ?? clock;
    if (found === null || line.trim() === "") return [];
    if (iso !== null) [, day] = iso;
    const text =
      log === null
        ? `${day}T${two(iso ? iso[2] : clock[1])}${iso?.[3] ?? "Z"}`
        : `${log[1]} ${new Date().getUTCFullYear()} ${log[2]} UTC`;
    const ms = Date.parse(text);
    const what = line
      .replace(found[0], " ")
      .replace(/^[\s\])>|:-]+|\s+$/g, "")
      .replace(/\s{2,}/g, " ");
    return Number.isNaN(ms) ? [] : [{ ms, index, what }];
  });
entries.sort((a, b) => a.ms - b.ms || a.index - b.index);
const minutes = (ms) => Math.round(ms / 60_000);
const shown = entries.map(({ ms, what }, place) => {
  const since = place === 0 ? 0 : minutes(ms - entries[place - 1].ms);
  const time = new Date(ms)
    .toISOString()
    .replace(".000Z", "Z")
    .replace(/^1970-01-01T/, "")
    .replace(/(?<=^\d\d:\d\d:\d\d)Z$/, "");
  return { time, what, ...(since >= gap ? { minutes_of_silence_before: since } : {}) };
});
const isEmpty = shown.length === 0;
const data = {
  entries: shown,
  count: shown.length,
  minutes: isEmpty ? 0 : minutes(entries.at(-1).ms - entries[0].ms),
};
console.log(
  JSON.stringify({
    success: !isEmpty,
    data: isEmpty ? null : data,
    error: isEmpty ? "expected lines with times, got none" : null,
  }),
);

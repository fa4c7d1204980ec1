// Groups lines of a log that differ only in numbers, ids, times and quoted values; parameters: most (30).
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { most = 30 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const LEVELS = [
  /\b(?:fatal|panic|crit(?:ical)?)\b/i,
  /\b(?:error|exception|fail(?:ed|ure)?)\b/i,
  /\bwarn(?:ing)?\b/i,
];
const shapeOf = (line) =>
  line
    .replace(/^\S*\d\d:\d\d:\d\d\S*\s*/, "")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*/g, "<time>")
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "<id>")
    .replace(/"[^"]*"|'[^']*'/g, "<text>")
    .replace(/\b\d+(?:\.\d+)*(?:ms|s|kb|mb|gb|%)?\b/gi, "<n>")
    .trim();
const groups = new Map();
for (const line of String(input).split("\n")) {
  if (line.trim() === "") continue;
  const shape = shapeOf(line);
  const group = groups.get(shape) ?? { shape, count: 0, first: line.trim().slice(0, 300), last: "" };
  group.count += 1;
  group.last = line.trim().slice(0, 300);
  groups.set(shape, group);
}
const rank = ({ first }) => {
  const level = LEVELS.findIndex((pattern) => pattern.test(first));
  return level < 0 ? LEVELS.length : level;
};
const sorted = [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
const names = ["fatal", "error", "warning", "other"];
const data = {
  groups: sorted.slice(0, most).map((group) => ({ level: names[rank(group)], ...group })),
  lines: String(input)
    .split("\n")
    .filter((line) => line.trim() !== "").length,
  group_count: groups.size,
};
console.log(JSON.stringify({ success: true, data, error: null }));

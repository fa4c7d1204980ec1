// Counts what a diff changes: files, lines, whether tests are among them.
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const files = [];
for (const line of String(input).split("\n")) {
  const path = /^\+\+\+ (?:b\/)?(.+?)\s*$/.exec(line)?.[1];
  if (path !== undefined) files.push({ path, added: 0, removed: 0 });
  else if (line.startsWith("+") && files.length > 0) files.at(-1).added += 1;
  else if (line.startsWith("-") && !line.startsWith("---") && files.length > 0) files.at(-1).removed += 1;
}
const sum = (key) => files.reduce((total, file) => total + file[key], 0);
const data = {
  files,
  file_count: files.length,
  added: sum("added"),
  removed: sum("removed"),
  has_tests: files.some(({ path }) => /(^|[/_.])(tests?|spec)([/_.]|$)/i.test(path)),
};
console.log(JSON.stringify({ success: true, data, error: null }));

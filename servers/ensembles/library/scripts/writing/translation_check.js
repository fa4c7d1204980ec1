// Compares texts with their translations: missing ones, placeholders, figures, markup and length.
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));

function pairsOf(text) {
  if (text.trim().startsWith("{")) {
    const [source = {}, target = {}] = Object.values(JSON.parse(text));
    return Object.entries(source).map(([key, one]) => [
      key,
      String(one),
      target[key] === undefined ? "" : String(target[key]),
    ]);
  }
  return text.split("\n").flatMap((line) => {
    const parts = /^\s*(.+?)\s*=\s*(.*?)\s*\|\s*(.*?)\s*$/.exec(line);
    return parts === null ? [] : [parts.slice(1)];
  });
}

const listOf = (text, pattern) =>
  [...text.matchAll(pattern)]
    .map(([one]) => one)
    .toSorted()
    .join(" ");
const CHECKS = [
  ["placeholders differ", /\{\{?[^{}]*\}?\}|%\d*\$?[sdif@]|\$\w+/g],
  ["figures differ", /\d+/g],
  ["markup differs", /<\/?\w+|\*\*|`/g],
];

try {
  const pairs = pairsOf(String(input));
  if (pairs.length === 0)
    throw new Error('expected JSON {"en": {…}, "de": {…}} or lines KEY = SOURCE | TARGET, got neither');
  const findings = pairs.flatMap(([key, source, target]) => {
    if (target === "") return [{ key, fault: "missing" }];
    const faults = CHECKS.flatMap(([fault, pattern]) =>
      listOf(source, pattern) === listOf(target, pattern) ? [] : [{ key, fault, source, target }],
    );
    if (source === target && /\p{L}{4,}\s+\p{L}{3,}/u.test(source))
      faults.push({ key, fault: "not translated", source, target });
    if (target.length > 40 && target.length > 2.2 * source.length)
      faults.push({ key, fault: "much longer than the source", source, target });
    return faults;
  });
  console.log(
    JSON.stringify({
      success: true,
      data: { texts: pairs.length, findings, count: findings.length },
      error: null,
    }),
  );
} catch (error) {
  console.log(JSON.stringify({ success: false, data: null, error: error.message }));
}

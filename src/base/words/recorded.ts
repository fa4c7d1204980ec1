import { en, type Words } from "./en.ts";

type Template = (...values: string[]) => string;

/** Marks of places in a sentence; no text of ours holds them. */
const PLACES = ["\u{f0000}", "\u{f0001}", "\u{f0002}", "\u{f0003}", "\u{f0004}"];
/** No sentence is longer; trying the patterns takes time. */
const LONGEST = 2_000;

/** How each recorded sentence is known again, the longest first. */
const PATTERNS = Object.entries<Template>(en.recorded)
  .map(([key, template]) => ({ key, ...patternOf(template) }))
  .toSorted((a, b) => b.length - a.length);

/**
 * A sentence of ours that stands in the store, in a log or in an error, where all are English, in a person's
 * language. Whatever else stands there, such as a person's reason or a server's message, stays as it is.
 */
export function recordedText(text: string, say: Words): string {
  if (say === en || text.length > LONGEST) return text;
  // Several sentences stand in a line each.
  const lines = text.split("\n");
  const told = lines.length === 1 ? lines : lines.map((line) => recordedText(line, say));
  if (lines.every((line, at) => line !== told[at])) return told.join("\n");
  for (const { key, pattern, order } of PATTERNS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const values: string[] = [];
    for (const [at, place] of order.entries()) values[place] = recordedText(found[at + 1] ?? "", say);
    return (say.recorded as Record<string, Template>)[key]?.(...values) ?? text;
  }
  return text;
}

/** `order`: which value each place of the sentence holds. */
function patternOf(template: Template): { pattern: RegExp; order: number[]; length: number } {
  const whole = template(...PLACES);
  const order: number[] = [];
  const source = Array.from(whole)
    .map((sign) => {
      const place = PLACES.indexOf(sign);
      if (place === -1) return sign.replace(/[\\^$.*+?()[\]{}|]/, String.raw`\$&`);
      order.push(place);
      return "([^]*?)";
    })
    .join("");
  return { pattern: new RegExp(`^${source}$`, "u"), order, length: whole.length - order.length };
}

// Finds who is to do what by when in notes: "Ana will send the plan by Friday", "TODO(Ben): …", "ACTION: …".
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const WHEN =
  /\b(?:by|until|before|bis|on)\s+((?:next\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|tonight|end of (?:day|week|month)|eod|eow|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?[a-z]{3,9}|[a-z]{3,9}\s+\d{1,2})(?:st|nd|rd|th)?)\b/i;
const FORMS = [
  /\b(?:todo|action|ai)\s*(?:\(@?([^)]+)\))?\s*[:-]\s*(.+)/i,
  /^\s*(?:[*-]|\[ ?\])\s*@?([\p{Lu}][\p{L}.-]+)\s*[:-]\s+(.+)/u,
  /(?:^|[\s:>])@?([\p{Lu}][\p{L}-]+)\s+(?:will|to|is going to|has to|should|takes|agreed to)\s+(.+)/u,
  /\b(I)(?:'ll| will)\s+(.+)/,
];
const items = String(input)
  .split("\n")
  .flatMap((line) => {
    const speaker = /^\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?\s*)?([\p{Lu}][\p{L} .-]{1,30}):/u.exec(line)?.[1];
    for (const form of FORMS) {
      const found = form.exec(line);
      if (found === null) continue;
      const who = found[1] === "I" ? (speaker ?? "?") : (found[1] ?? speaker ?? "?");
      const due = WHEN.exec(found[2])?.[1] ?? null;
      const what = found[2]
        .replace(WHEN, "")
        .replace(/\s{2,}/g, " ")
        .replace(/[.;,\s]+$/, "")
        .trim();
      return [{ who, what, due }];
    }
    return [];
  });
console.log(JSON.stringify({ success: true, data: { items, count: items.length }, error: null }));

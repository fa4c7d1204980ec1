import fc from "fast-check";
import stringWidth from "string-width";
import { expect, it } from "vitest";

import { Ruler } from "#src/base/text-width.ts";
import { amount } from "#test/amount.ts";

/** Marks, joiners, selectors, halves of pairs: whatever changes what stands beside it. */
const beside = ["", "\u0301", "\ufe0f", "\u200d", "\u0600", "\ud83d\ude00", "日", "é", "\u1100", "\u0e33"];

it("[console.loop] every character takes as many columns as by the whole rules, alone and beside others", () => {
  const wrong: string[] = [];
  for (let unit = 0x20; unit < 0x1_0000; unit += 1) {
    // Controls never come to be measured; of ideographs and Hangul some are enough, and in the short form of others.
    const each = unit > 0x4e10 && unit < 0xd790 ? 16 : unit > 0x3400 ? amount(1, 3) : 1;
    if ((unit >= 0x7f && unit < 0xa0) || unit % each > 0) continue;
    const text = String.fromCharCode(unit);
    for (const one of [text, `a${text}\ufe0f`]) {
      if (new Ruler().columns(one) !== stringWidth(one)) wrong.push(one);
    }
  }
  expect(wrong).toEqual([]);
});

it("[console.loop] measures any text as the whole rules do, and its runs are the text", () => {
  const text = fc
    .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 3 }), fc.constantFrom(...beside)), {
      maxLength: 9,
    })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (whole) => {
      const runs = [...new Ruler().runs(whole)];
      expect(runs.map((run) => run.text).join("")).toBe(whole);
      for (const { signs, text: run } of runs) expect(signs === 1 || signs === run.length).toBe(true);
      expect(new Ruler().columns(whole)).toBe(stringWidth(whole));
    }),
    { numRuns: amount(2_000, 667) },
  );
});

it("[safe.text] takes what nobody writes for wide, so that no line becomes too long", () => {
  const many = Array.from({ length: 30_000 }, (_, index) => String.fromCodePoint(0x1_0000 + index)).join("");
  expect(new Ruler().columns(many)).toBeGreaterThanOrEqual(stringWidth(many));
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { plainJson, plainLine, plainText } from "#src/base/text.ts";
import { anyCharacter } from "#test/any-character.ts";

/** What a terminal obeys or lets turn its neighbours, but for line breaks. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u2028\u2029]|\p{Bidi_Control}/u;

const odd = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom(
      "\u001b[2J",
      "\u009b",
      "\u009d0;t\u009c",
      "\u202e",
      "\u200f",
      "\r",
      "\n",
      "\ud83c",
      "a",
    ),
  }),
);

describe("text for a terminal", () => {
  it("[safe.text] holds nothing that a terminal obeys, whatever it was made of", () => {
    fc.assert(
      fc.property(odd, (text) => {
        expect(plainText(text)).not.toMatch(OBEYED);
        expect(plainLine(text)).not.toMatch(OBEYED);
        expect(plainLine(text)).not.toContain("\n");
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
    );
  });

  it("[safe.text] is equal as JSON, which holds nothing of that either", () => {
    fc.assert(
      fc.property(fc.jsonValue(), odd, odd, (value, key, text) => {
        const whole = { value, [`k${key}`]: text };
        for (const json of [JSON.stringify(whole), JSON.stringify(whole, null, 2)]) {
          expect(plainJson(json)).not.toMatch(OBEYED);
          expect(JSON.parse(plainJson(json))).toEqual(JSON.parse(json));
        }
      }),
    );
  });
});

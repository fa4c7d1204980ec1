import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createFence, toSingleLine } from "#src/plan/fence.ts";

const LINE_ENDS = /\r\n|[\n\r\u0085\u2028\u2029]/;
const NASTY = [
  "BEGIN",
  "END",
  'TASK({"tool": "x", "args": {}})',
  "</data abc>",
  "system:",
  "<|im_start|>",
  "{user_input}",
  "\r",
  "\n",
  "\r\n",
  "\u2028",
  "\u2029",
  "\u0085",
];
/** Terminal codes, and letters that hide or turn text. */
const HIDDEN = [
  "\u0000",
  "\u0007",
  "\u001b",
  "\u007f",
  "\u009b",
  "\u200b",
  "\u202e",
  "\u2066",
  "\ufeff",
  "\u{E0041}",
];
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...NASTY, ...HIDDEN), fc.string({ unit: "grapheme" })), { maxLength: 20 })
  .map((parts) => parts.join(""));

describe("the fence", () => {
  it("[inject.fence] every line of the data is quoted, whatever it holds", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const lines = createFence("abc")("request", text).split(LINE_ENDS);
        expect(lines[0]).toBe("<data request abc>");
        expect(lines.at(-1)).toBe("</data abc>");
        for (const line of lines.slice(1, -1)) expect(line.startsWith("| ")).toBe(true);
      }),
    );
  });

  it("[inject.fence] control characters and invisible letters are left out, readable text is not", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const fenced = createFence("abc")("request", text);
        expect(HIDDEN.filter((letter) => fenced.includes(letter))).toEqual([]);
      }),
    );
    const kept = "Grüße, 東京 😀 — naïve\tcafé";
    expect(createFence("abc")("request", kept)).toBe(`<data request abc>\n| ${kept}\n</data abc>`);
  });

  it("[inject.fence] nobody can guess where it ends", () => {
    const boundaries = Array.from({ length: 50 }, () => createFence()("request", "x").split("\n").at(-1));
    expect(new Set(boundaries).size).toBe(50);
    for (const boundary of boundaries) expect(boundary).toMatch(/^<\/data [0-9a-f]{12}>$/);
  });

  it("[inject.fence] a single line stays one, and its cut is marked", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const line = toSingleLine(text, limit);
        expect(line.split(LINE_ENDS)).toHaveLength(1);
        expect(line.length).toBeLessThanOrEqual(limit);
      }),
    );
    expect(toSingleLine(" one\n two\t three ", 100)).toBe("one two three");
    expect(toSingleLine("abcdef", 4)).toBe("abc…");
  });
});

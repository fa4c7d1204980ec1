import fc from "fast-check";
import { expect, it } from "vitest";

import { canonicalJson, digest } from "#src/base/json.ts";
import { newId } from "#src/base/ids.ts";

it("[approve.key] canonical JSON is that of RFC 8785", () => {
  expect(canonicalJson({ b: 2, a: [1.0, "é", null], "\u0001": 1e21 })).toBe(
    String.raw`{"\u0001":1e+21,"a":[1,"é",null],"b":2}`,
  );
  // Names are ordered by UTF-16 code units, as the RFC's own example has it.
  expect(
    canonicalJson({ "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 }),
  ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  expect(() => canonicalJson(undefined)).toThrow(TypeError);
});

it("[approve.key] the digest depends on the value alone", () => {
  expect(digest({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy: unknown = JSON.parse(JSON.stringify(value));
      expect(digest(copy)).toBe(digest(value));
    }),
  );
});

it("ids say what they name, and do not repeat", () => {
  const ids = Array.from({ length: 1_000 }, () => newId("turn"));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^turn_[0-9A-HJKMNP-TV-Z]{26}$/);
});

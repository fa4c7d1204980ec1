import fc, { type Arbitrary } from "fast-check";

/** Halves of pairs are no characters of their own. */
const [FIRST_HALF, HALVES] = [0xd8_00, 0x8_00];

/**
 * The unit of a string of any characters: the same strings as of fast-check's "binary", which has a process compute for
 * a second to hold a table of all characters from then on.
 */
export const anyCharacter: Arbitrary<string> = fc
  .nat({ max: 0x10_ff_ff - HALVES })
  .map((at) => String.fromCodePoint(at < FIRST_HALF ? at : at + HALVES), placeOf);

/** As it is asked for to shrink a string, and of what is none throws. */
function placeOf(value: unknown): number {
  const code = typeof value === "string" ? (value.codePointAt(0) ?? -1) : -1;
  const isOne = code >= 0 && value === String.fromCodePoint(code);
  if (!isOne || (code >= FIRST_HALF && code < FIRST_HALF + HALVES))
    throw new TypeError(`expected one character, got ${JSON.stringify(value)}`);
  return code < FIRST_HALF ? code : code - HALVES;
}

/** A number, a literal or the signs around a member at their longest. */
const fewBytes = 32;
/** A control character as JSON escapes it; in UTF-8 no other takes more for a unit of UTF-16. */
const mostOfUnit = 6;
/** Deeper ones are written: a server must not be able to use up the stack here. */
const mostDepth = 200;

/**
 * Whether a value certainly has no more bytes than this as JSON, without writing it: hardly any comes
 * near a limit, and writing one costs more than looking at it.
 */
export function fitsSurely(value: unknown, limit: number): boolean {
  let left = limit;
  function take(part: unknown, depth: number): boolean {
    left -= fewBytes;
    if (depth > mostDepth) return false;
    if (typeof part === "string") left -= part.length * mostOfUnit;
    else if (Array.isArray(part)) return left >= 0 && part.every((item) => take(item, depth + 1));
    else if (typeof part === "object" && part !== null) {
      for (const [key, item] of Object.entries(part)) {
        left -= key.length * mostOfUnit;
        if (left < 0 || !take(item, depth + 1)) return false;
      }
    }
    return left >= 0;
  }
  return take(value, 0);
}

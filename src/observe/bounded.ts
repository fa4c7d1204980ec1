/** Longer values of a label are cut, in characters. */
const LONGEST = 80;

/**
 * Keeps the values of a label few, whatever a server, model or platform calls things: after `most` different ones
 * the rest is "other". Each value that is counted costs memory for ever, here and in whatever reads it.
 */
export function createBound(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    // Two halves of characters would be written alike, as one sample that is there twice.
    const name = value.slice(0, LONGEST).toWellFormed();
    if (known.has(name)) return name;
    if (known.size >= most) return "other";
    known.add(name);
    return name;
  };
}

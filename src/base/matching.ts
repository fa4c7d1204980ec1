/** The source of a pattern that matches a text as it is written. */
export function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** The same by its letters and digits: "Emi (Ops)" as "emi ops" too, and "sign-in" as "sign in". */
export function loosely(text: string): string {
  // A gap may stand for a sign between two letters, and for no other.
  const signs = /(?<=[\p{L}\p{N}])([^\p{L}\p{N} ])(?=[\p{L}\p{N}])|[^\p{L}\p{N} ]/gu;
  return text
    .trim()
    .replaceAll(signs, (_, within?: string) => (within ? "[^\\p{L}\\p{N}]?" : "[^\\p{L}\\p{N}\\s]?"));
}

/**
 * The source of a pattern (flag `u`) that matches any of the texts, the longest first, and nothing where there are none.
 * What people and servers call things may be any text; what has no letter and no digit is no name.
 */
export function anyOf(texts: readonly string[], toSource: (text: string) => string = literally): string {
  const named = [...new Set(texts)].filter((text) => /[\p{L}\p{N}]/u.test(text));
  const sources = named.toSorted((one, other) => other.length - one.length).map(toSource);
  return sources.join("|") || "(?!)";
}

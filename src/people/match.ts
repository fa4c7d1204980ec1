import type { PersonAccount } from "#contract/people.ts";

/** Those whom a text names in full, else those whom it names by a word, else all. */
export function bestOf(text: string, found: readonly PersonAccount[]): readonly PersonAccount[] {
  const wanted = folded(text);
  const ways: ((one: PersonAccount) => boolean)[] = [
    ({ id, email }) => [id, email ?? ""].some((one) => folded(one) === wanted),
    ({ name }) => folded(name) === wanted,
    ({ name }) => ` ${folded(name)} `.includes(` ${wanted} `),
  ];
  for (const way of ways) {
    const fits = found.filter(way);
    if (fits.length > 0) return fits;
  }
  return found;
}

/** In lower case, without accents. */
function folded(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();
}

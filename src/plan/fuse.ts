/** Damps the difference between first places, as in the paper. */
const RANK = 60;

/**
 * One ranking of several, best first, by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): places
 * count and not scores, which have different scales. Of equals the one of the earlier ranking comes first.
 */
export function fuse(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [place, id] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK + place + 1));
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}

import { distance } from "fastest-levenshtein";

/** Nobody mistypes more than that, and comparing takes time with the square of it. */
const MOST_CHARS = 64;

/**
 * The name that was probably meant by one that does not exist: at most two letters away (one for short words), or
 * made of the same words, as `get_issue` and `get_jira_issue`. Of ids such as `jira.get_issue` the part after the
 * dot is enough. Undefined where none is near.
 */
export function nearest(said: string, names: Iterable<string>): string | undefined {
  const typed = said.toLowerCase();
  if (typed === "" || typed.length > MOST_CHARS) return undefined;
  let best: { name: string; far: number } | undefined;
  for (const name of names) {
    if (name.length > MOST_CHARS) continue;
    const whole = name.toLowerCase();
    const far = Math.min(farness(typed, whole), farness(typed, whole.slice(whole.indexOf(".") + 1)));
    if (far < (best?.far ?? Infinity)) best = { name, far };
  }
  return best?.name;
}

/** ` Did you mean “X”?`, to follow a sentence; empty where nothing is near. `show` writes the name as it is typed. */
export function didYouMean(
  said: string,
  names: Iterable<string>,
  show: (name: string) => string = (name) => name,
): string {
  const name = nearest(said, names);
  return name === undefined ? "" : ` Did you mean ${show(name)}?`;
}

/** Infinity for names that are not near. */
function farness(typed: string, name: string): number {
  const edits = distance(typed, name);
  if (edits <= (typed.length < 4 ? 1 : 2)) return edits;
  const words = wordsOf(name);
  const said = wordsOf(typed);
  const isWithin = said.every((word) =>
    words.some((each) => each === word || (word.length > 3 && distance(each, word) === 1)),
  );
  // Fewer words that were not said are nearer.
  return isWithin && said.length > 0 && typed.length > 2 ? 3 + edits / (2 * MOST_CHARS) : Infinity;
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

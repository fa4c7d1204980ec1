import { cut } from "../text.ts";
import { exactLine } from "./shown.ts";

/**
 * `http:ana` as "ana (http)"; the whole id stays readable, as two people may share a name. Where the
 * platform has a name for the person, that and the last part of the id, which no name can imitate.
 */
export function who(actor: string, names?: Readonly<Record<string, string>>): string {
  const at = actor.lastIndexOf(":");
  if (at === -1) return exactLine(actor);
  const name = names !== undefined && Object.hasOwn(names, actor) ? names[actor] : undefined;
  const plain = words((name ?? "").replaceAll(/[()]/g, " "), 80);
  return plain === ""
    ? `${exactLine(actor.slice(at + 1))} (${exactLine(actor.slice(0, at))})`
    : `${plain} (${exactLine(actor.slice(at + 1))})`;
}

/** What a person or a server wrote, on one line in which everything can be seen. */
export function words(text: string, max = 1000): string {
  return cut(exactLine(text.replaceAll(/\s+/g, " ").trim()), max);
}

import { cut } from "../text.ts";
import { exactLine } from "./shown.ts";

/** `http:ana` as "ana (http)"; the whole id stays readable, as two people may share a name. */
export function who(actor: string): string {
  const at = actor.lastIndexOf(":");
  return at === -1
    ? exactLine(actor)
    : `${exactLine(actor.slice(at + 1))} (${exactLine(actor.slice(0, at))})`;
}

/** What a person or a server wrote, on one line in which everything can be seen. */
export function words(text: string, max = 1000): string {
  return cut(exactLine(text.replaceAll(/\s+/g, " ").trim()), max);
}

import { plainLine } from "#src/base/terminal-text.ts";
import { printNote, type Session } from "./session.ts";

/** Something to choose: what to type, and perhaps what that does. */
export interface Choice {
  typed: string;
  about?: string;
}

const NOTES = {
  pasted: "That came in one piece, as pasted text does, and decided nothing. Type it, then press Enter.",
  begun: "That line was begun before the question was shown, and decided nothing.",
};

/**
 * Says what to type and takes one of these words with Enter; undefined when it was left undecided, and
 * always without a terminal. Whatever else is typed, or was typed before, decides nothing.
 */
export async function choose(session: Session, choices: readonly Choice[]): Promise<string | undefined> {
  const { screen, keyboard } = session;
  const words = choices.map(({ typed }) => typed);
  for (;;) {
    screen.print(offer(session, choices));
    const line = await keyboard.word(screen.ink.paint("gray", "answer> "));
    if (line === undefined) return undefined;
    if (line.kind !== "typed") {
      printNote(session, NOTES[line.kind]);
      continue;
    }
    const said = line.text.trim();
    // Names have to be right to the letter; the chat's own words not.
    const word =
      words.find((one) => one === said) ??
      words.find((one) => one === one.toLowerCase() && one === said.toLowerCase());
    if (word !== undefined) return word;
    if (said !== "") printNote(session, `"${plainLine(said)}" is none of these words; nothing was decided.`);
  }
}

/** `Type approve, deny or later, then Enter.` */
function offer({ screen }: Session, choices: readonly Choice[]): string {
  const parts = choices.map(({ typed, about }) =>
    about === undefined
      ? screen.ink.paint("bold", typed)
      : `${screen.ink.paint("bold", typed)} ${screen.ink.paint("gray", `(${about})`)}`,
  );
  const last = parts.pop() ?? "";
  return `Type ${parts.length === 0 ? "" : `${parts.join(", ")} or `}${last}, then Enter.`;
}

import type { SetupChoice, SetupChoices, SetupSecret, SetupTelling, SetupText } from "#contract/setup.ts";
import { CountersignError } from "#src/base/errors.ts";

interface Checked {
  /** What is wrong with an answer; undefined where nothing is. */
  check?: (answer: string) => string | undefined;
}

export type TextQuestion = Omit<SetupText, "kind"> & Checked;
export type SecretQuestion = Omit<SetupSecret, "kind"> & Checked;
export type ChoiceQuestion = Omit<SetupChoice, "kind">;
export type ChoicesQuestion = Omit<SetupChoices, "kind">;

/**
 * Where a set-up asks and tells: a terminal, a file with answers, a page. Every question rejects with SetupLeft when the
 * person leaves.
 */
export interface Surface {
  text(question: TextQuestion): Promise<string>;
  /** Undefined: the one that is there stays. */
  secret(question: SecretQuestion): Promise<string | undefined>;
  choice(question: ChoiceQuestion): Promise<string>;
  choices(question: ChoicesQuestion): Promise<string[]>;
  tell(kind: SetupTelling, text: string): void;
  /** Offers an address to be opened. */
  link(title: string, url: string): Promise<void>;
  /** Shows that something is under way, and how far it is. */
  work<Result>(title: string, work: (tell: (how: string) => void) => Promise<Result>): Promise<Result>;
  /** How the product takes over what was written. */
  readonly next: string;
}

/** The person has left; what was written stays. */
export class SetupLeft extends CountersignError {
  constructor() {
    super("setup_left", "Left. What was written stays; npm run setup goes on from there.");
  }
}

import { CountersignError } from "#src/base/errors.ts";

/** One of several answers. */
export interface Option {
  value: string;
  label: string;
  hint?: string;
}

interface About {
  /** Stable, for answers that come from a file: `jira.url`. */
  id: string;
  title: string;
  /** Where to find the answer, in a few sentences. */
  help?: string;
}

export interface TextQuestion extends About {
  /** What Enter keeps. */
  initial?: string;
  placeholder?: string;
  /** What is wrong with an answer; undefined where nothing is. */
  check?: (answer: string) => string | undefined;
}

export interface SecretQuestion extends About {
  /** One is there, and Enter keeps it. */
  isSet: boolean;
  check?: (answer: string) => string | undefined;
}

export interface ChoiceQuestion extends About {
  options: readonly Option[];
  /** What Enter takes. */
  initial: string;
}

export interface ChoicesQuestion extends About {
  options: readonly Option[];
  initial: readonly string[];
}

/**
 * `step` begins one; `guide` says what to do elsewhere, for people alone; `change` is a line of what would be written, as
 * it stands in the file.
 */
export type Telling = "step" | "guide" | "info" | "good" | "bad" | "change";

/**
 * Where a set-up asks and tells: a terminal, a file with answers, a page. Every method rejects with SetupLeft when the
 * person leaves.
 */
export interface Surface {
  text(question: TextQuestion): Promise<string>;
  /** Undefined: the one that is there stays. */
  secret(question: SecretQuestion): Promise<string | undefined>;
  choice(question: ChoiceQuestion): Promise<string>;
  choices(question: ChoicesQuestion): Promise<string[]>;
  tell(kind: Telling, text: string): void;
  /** Offers an address to be opened. */
  link(title: string, url: string): Promise<void>;
  /** Shows that something is under way, and how far it is. */
  work<Result>(title: string, work: (tell: (how: string) => void) => Promise<Result>): Promise<Result>;
}

/** The person has left; what was written stays. */
export class SetupLeft extends CountersignError {
  constructor() {
    super("setup_left", "Left. What was written stays; npm run setup goes on from there.");
  }
}

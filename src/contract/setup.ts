/** One of several answers. */
export interface SetupOption {
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

export interface SetupText extends About {
  kind: "text";
  /** What is there today. */
  initial?: string;
  placeholder?: string;
}

export interface SetupSecret extends About {
  kind: "secret";
  /** One is there, and stays where nothing is typed. */
  isSet: boolean;
}

export interface SetupChoice extends About {
  kind: "choice";
  options: readonly SetupOption[];
  initial: string;
}

export interface SetupChoices extends About {
  kind: "choices";
  options: readonly SetupOption[];
  initial: readonly string[];
}

export type SetupQuestion = SetupText | SetupSecret | SetupChoice | SetupChoices;

/**
 * `step` begins one; `guide` says what to do elsewhere, for people alone; `change` is a line of what would be written, as
 * it stands in the file.
 */
export type SetupTelling = "step" | "guide" | "info" | "good" | "bad" | "change";

export interface SetupLine {
  kind: SetupTelling;
  text: string;
  /** Where the text was a question: what was answered, of a secret only that it was. */
  answer?: string;
  /** An address to be opened. */
  url?: string;
}

/** Where a set-up on a page stands. */
export interface SetupState {
  /** What was told and answered so far, oldest first; never a secret. */
  lines: readonly SetupLine[];
  /** What is asked now; absent while something is tried, before the beginning and after the end. */
  question?: SetupQuestion;
  /** What is under way. */
  working?: string;
  /** What is wrong with the last answer. */
  fault?: string;
  phase: "ready" | "running" | "over";
  /** Has to come with the next answer: it is of this state and of no other, and no other page knows it. */
  key: string;
}

/** A set-up that one person leads through a page; whoever opens it sees where it stands. */
export interface SetupPage {
  /** Nothing of the team's own is connected yet. */
  isFirst: boolean;
  /** As it stands as soon as something is asked or all is over, but after so many milliseconds at the latest. */
  state(limitMs: number): Promise<SetupState>;
  /** Begins, or begins anew. False where the key is of another state. */
  begin(key: string): boolean;
  /** Answers what is asked; of a secret an empty text keeps what is there. False where the key is of another state. */
  answer(key: string, values: readonly string[]): boolean;
}

/*
 * What the contract suite asks of a surface, in the words of people: they say something, read what stands
 * there, decide, stop. A driver translates that into clicks, requests or keys, and hides nothing: `text`
 * is what a person reads, `live` what more than read can happen to them.
 */

/** What some surfaces have and others cannot. */
export type Capability =
  /** The platform may deliver a message again, under the id it has. */
  | "redelivery"
  /** Several people share a conversation. */
  | "people"
  /** What a call lacks is asked for in a form. */
  | "forms";

/** Those who are there. Where only one person can be, all three are that one. */
type Person = "ana" | "ben" | "chloe";

/** A surface that can be opened: its other end, if it has one, and the product. */
export interface Surface {
  readonly name: string;
  readonly has: readonly Capability[];
  /** Resolves when something can be said. */
  open(): Promise<OpenSurface>;
}

export interface OpenSurface {
  /** What took effect, one line each, as the tools' own server wrote it down. */
  readonly effects: Effects;
  /**
   * Says something in a conversation of its own, or in that of another message. It is delivered `times`
   * times at once, 1 unless told. Resolves when it is on its way.
   */
  say(who: Person, text: string, more?: { in?: Said; times?: number }): Promise<Said>;
  /** The platform delivers a message again, as it was. Only with `redelivery`. */
  redeliver(said: Said): Promise<void>;
  /** Ends the product as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on what it left. */
  restart(): Promise<void>;
  /** Asks it to end, as an operator or a person does; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends everything; rejects when something that was sent broke a rule of the platform. */
  close(): Promise<void>;
}

export interface Effects {
  /** How often this line was written. */
  count(line: string): number;
  /** Resolves once it was. */
  happened(line: string): Promise<void>;
  /** Lets a call go on that waits for this. */
  open(gate: string): void;
}

/** A message of a person, and all that the product shows for it. */
export interface Said {
  /** Resolves once what is shown holds the words; rejects when they do not come. */
  until(words: string | RegExp): Promise<void>;
  /** What people read now, markup taken away. */
  text(): string;
  /**
   * What of it acts: addresses that are linked, `@name` of whom it mentions, `formats WORDS` for words that
   * look otherwise than those around them, a word of the driver's for everything else.
   */
  live(): Promise<string[]>;
  /** How many messages of the product stand in the conversation; a message that changes is one. */
  answers(): number;
  /** All of the result that can be reached from here: pages, files, JSON. */
  whole(): Promise<string>;
  /** Resolves once a decision is asked for. */
  waits(): Promise<void>;
  /** Resolves once what stands there is the answer: nothing runs for it and no decision is asked for. */
  isOver(): Promise<void>;
  /** These people approve, at the same time. Resolves when all were heard. */
  approve(...people: Person[]): Promise<void>;
  deny(who: Person, reason: string): Promise<void>;
  /** Resolves once this person was told something with these words about what they pressed. */
  told(who: Person, words: string | RegExp): Promise<void>;
  /** Stops what runs for this message. */
  stop(who: Person): Promise<void>;
  /** Gives what is asked for, by label. Only with `forms`. */
  fill(who: Person, values: Record<string, string>): Promise<void>;
}

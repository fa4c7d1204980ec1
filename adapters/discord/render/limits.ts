/**
 * What Discord accepts, from its reference of components, messages, embeds and application commands
 * (https://docs.discord.com/developers/components/reference).
 */
export const LIMITS = {
  /** Components are counted with those inside others; text over all text displays. */
  message: { components: 40, text: 4000, files: 10 },
  /** Once a fixed limit of containers, and still the one that clients were built for. */
  containerChildren: 10,
  row: 5,
  button: { label: 80, customId: 100 },
  file: { bytes: 8_388_608 },
  embed: { perMessage: 10 },
  modal: { title: 45, components: 5, label: 45, description: 100, text: 4000 },
  select: { options: 25, label: 100, value: 100 },
  command: { name: 32, description: 100, options: 25, choices: 25, choiceName: 100, choiceValue: 100 },
  thread: { name: 100 },
} as const;

/** Characters of a bar. */
export const BAR = 16;

/** What one piece of text may take up at most, so that several fit any budget. */
export const PIECE = 900;

/** How much of a message something may take up. */
export interface Budget {
  /** Of text, with the labels of buttons. */
  chars: number;
  /** Components, with those inside others. */
  components: number;
}

/** With a reserve, for the text that Discord may count otherwise. */
export const MESSAGE_BUDGET: Budget = { chars: 3900, components: 38 };

/** The smallest budget within which every card can be paged. */
export const LEAST_BUDGET: Budget = { chars: 1600, components: 18 };

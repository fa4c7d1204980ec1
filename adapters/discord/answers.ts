/** Which interactions of this process were answered with "thinking", for the message that fills the answer. */
export interface Answers {
  /** The interaction will be deferred; the returned function says whether it was. */
  expect(interaction: string): (isDeferred: boolean) => void;
  /** Waits until that is known. One of another process counts as deferred: Discord says if it was not. */
  isDeferred(interaction: string): Promise<boolean>;
}

/** Long after any process has filled the answer. */
const KEPT = 1000;

export function createAnswers(): Answers {
  const known = new Map<string, Promise<boolean>>();
  return {
    expect(interaction) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const [oldest] = known.keys();
      if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
      known.set(interaction, promise);
      return resolve;
    },
    isDeferred: (interaction) => known.get(interaction) ?? Promise.resolve(true),
  };
}

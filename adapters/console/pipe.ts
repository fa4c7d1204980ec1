import { createInterface } from "node:readline/promises";

import { echo, type Keyboard, MessageBuilder } from "./keyboard.ts";
import type { ConsoleInput, Screen } from "./screen.ts";
import { plainText } from "#src/base/terminal-text.ts";

/** Each line of a pipe or file is a message. Nobody is there to answer questions. */
export function openPipe(input: ConsoleInput, screen: Screen): Keyboard {
  const reader = createInterface({ input, crlfDelay: Infinity, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const builder = new MessageBuilder();
  return {
    async next() {
      for (;;) {
        const line = await lines.next();
        const message = line.done === true ? builder.take() : builder.add(line.value);
        if (message !== undefined && message.trim() !== "") {
          echo(screen, plainText(message));
          return message;
        }
        if (line.done === true) return undefined;
      }
    },
    word: () => Promise.resolve(undefined),
    ask: () => Promise.resolve(undefined),
    onInterrupt: () => () => {},
    close: () => reader.close(),
  };
}

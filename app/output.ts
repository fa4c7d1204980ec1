import { wrap } from "#adapters/console/render/layout.ts";
import { plainJson, plainText } from "#src/base/text.ts";

// All that commands write goes through here, so no server, model or file can make a terminal obey it:
// also where it goes to a file, since people read files on terminals.

/** Lines for people. What must not break a line, such as a name in a table, is made one by plainLine first. */
export function print(text: string): void {
  process.stdout.write(`${plainText(text)}\n`);
}

/** What a command found: for programs with `--json`, else for people. */
export function answer(
  flags: Record<string, true | undefined>,
  value: unknown,
  forPeople: () => string,
): void {
  if (flags.json === true) process.stdout.write(`${toJson(value)}\n`);
  else print(forPeople());
}

/** What went wrong, or how far something is: not part of the answer. */
export function complain(text: string): void {
  const columns = process.stderr.isTTY ? process.stderr.columns : Infinity;
  process.stderr.write(`${wrap(plainText(text), columns).join("\n")}\n`);
}

/** One of many values, on one line and equal to what it was when it is parsed; resolves when there is room for the next, as a slow reader must not fill the memory. */
export async function printJsonLine(value: unknown): Promise<void> {
  const isTaken = process.stdout.write(`${toJson(value)}\n`);
  if (!isTaken) await new Promise((resolve) => process.stdout.once("drain", resolve));
}

/** JSON for people and programs, without a character that a terminal would obey or hide. */
export function toJson(value: unknown, indent?: number): string {
  return plainJson(JSON.stringify(value, null, indent));
}

/** On a terminal a line that the next one replaces, elsewhere lines. */
export function createProgressLine(): { show(text: string): void; end(): void } {
  const isTerminal = process.stderr.isTTY;
  return {
    show(text) {
      const line = plainText(text).replaceAll("\n", " ");
      process.stderr.write(isTerminal ? `\r\u001B[2K${line}` : `${line}\n`);
    },
    end: () => void (isTerminal && process.stderr.write("\n")),
  };
}

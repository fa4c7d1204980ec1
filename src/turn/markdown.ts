/**
 * Data as words of a reply, which surfaces read as Markdown: nothing in it formats, links or begins a block.
 * Marks that could not act where they stand, as in `snake_case`, `[Bug]` and `5 * 3`, stay as they are.
 */
export function inMarkdown(text: string): string {
  return (
    text
      // A backslash that is text, before whatever becomes a mark below or is one already.
      .replaceAll(/\\(?=[!-/:-@[-`{-~]|$)/gm, String.raw`\\`)
      .replaceAll(/`|(?<!\s|^)[*~]|[*~](?!\s|$)|\](?=[(:[])|<(?=[a-z/!?])|&(?=#?\w+;)/gim, String.raw`\$&`)
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // Addresses become links by themselves.
      .replaceAll(/:(?=\/\/)/g, String.raw`\:`)
      .replaceAll(/(?<=www)\./gi, String.raw`\.`)
      .replaceAll(/(?<=[\w.+-])@(?=[\w-])/g, String.raw`\@`)
      // What begins a heading, a quote, a list, a rule or the second line of a table.
      .replaceAll(/^([^\S\n\r\u2028\u2029]*)([-+*#=>|:])/gm, String.raw`$1\$2`)
      .replaceAll(/^([^\S\n\r\u2028\u2029]*\d+)([.)])/gm, String.raw`$1\$2`)
  );
}

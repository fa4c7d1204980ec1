/**
 * Data as words of a reply, which surfaces read as Markdown: nothing in it formats, links or begins a block.
 * Marks that could not act where they stand, such as the `_` of `snake_case`, stay as they are.
 */
export function inMarkdown(text: string): string {
  return text
    .replaceAll(/[\\*`~[\]<>|]/g, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=#?\w+;)/g, String.raw`\&`)
    // Addresses become links by themselves.
    .replaceAll(/:(?=\/\/)/g, String.raw`\:`)
    .replaceAll(/(?<=\bwww)\./gi, String.raw`\.`)
    .replaceAll(/(?<=[\w.+-])@(?=\w)/g, String.raw`\@`)
    .replaceAll(/^(\s*)([-+#=])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d+)([.)])/gm, String.raw`$1\$2`);
}

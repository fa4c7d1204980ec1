const opening = "<think>";
const closing = "</think>";

/**
 * An answer without the thoughts that a model puts before it. A thought that never ends leaves
 * nothing; a template that opened the thought itself leaves a lone closing tag.
 */
export function withoutThinking(text: string): string {
  const start = text.trimStart();
  if (start.startsWith(opening)) {
    const end = start.indexOf(closing);
    return end === -1 ? "" : start.slice(end + closing.length).trimStart();
  }
  const end = text.indexOf(closing);
  const lone = end !== -1 && !text.slice(0, end).includes(opening);
  return lone ? text.slice(end + closing.length).trimStart() : text;
}

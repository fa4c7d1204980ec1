import type { JsonValue } from "#contract/json.ts";
import type { ModelText } from "#contract/model.ts";

/**
 * Text for a model whose words stand in the source: only text that is fit for a model already, and
 * numbers, can be inserted. What people, tools and documents say gets in through the fence alone.
 */
export function text(parts: TemplateStringsArray, ...values: (ModelText | number)[]): ModelText {
  return parts.reduce((all, part, at) => `${all}${values[at - 1] ?? ""}${part}`) as ModelText;
}

export function joinText(parts: readonly ModelText[], separator: "\n" | "\n\n" | " " = "\n"): ModelText {
  return parts.join(separator) as ModelText;
}

/** What the operator wrote: the files in prompts/ and the examples of the configuration. */
export function fromOperator(written: string): ModelText {
  return written as ModelText;
}

/** Tool data as text of at most `limit` characters; a cut is marked with what was left out. */
export function cutForModel(data: JsonValue, limit: number): string {
  const text = asText(data);
  const most = Math.max(0, limit);
  if (text.length <= most) return text;
  return `${firstCharacters(text, most)}\n[cut: ${most} of ${text.length} characters are shown]`;
}

/** Tool data as a model reads it. */
export function asText(data: JsonValue): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** The first `count` UTF-16 units, or one less where a letter outside the basic plane would be cut in two. */
export function firstCharacters(text: string, count: number): string {
  const isSplit = count > 0 && count < text.length && (text.codePointAt(count - 1) ?? 0) > 0xffff;
  return text.slice(0, isSplit ? count - 1 : count);
}

/** A rough count that needs no tokenizer: models of today spend a token on three to four characters. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3.5);
}

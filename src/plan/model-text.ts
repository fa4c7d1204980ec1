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

import { createSheet } from "./sheet.ts";

/** A part of a message between commas, dashes and the ends of sentences. */
export interface Part {
  text: string;
  /** What parts it from the next. */
  joint: string;
}

const ENDS_SENTENCE = /[.!?]/;

/** The parts of a text between commas, dashes and the ends of sentences; what is quoted is whole. */
export function partsOf(text: string): Part[] {
  const { masked } = createSheet(text);
  const parts: Part[] = [];
  let from = 0;
  for (const { index, 0: joint } of masked.matchAll(/\s*[,;]\s+|[.!?]+\s+|[.!?]+$|\s+[-–—]{1,2}\s+/gu)) {
    if (joint.startsWith(".") && ABBREVIATED.test(masked.slice(0, index))) continue;
    parts.push({ text: text.slice(from, index), joint });
    from = index + joint.length;
  }
  parts.push({ text: text.slice(from), joint: "" });
  return parts.filter((part) => part.text.trim() !== "");
}

const ABBREVIATED = /(?<![\p{L}\p{N}])(?:e\.g|i\.e|vs|no|nr|approx|incl|min|max|ca|\p{L}|etc)$/iu;

export function sentencesOf(parts: readonly Part[]): Part[][] {
  const sentences: Part[][] = [[]];
  for (const part of parts) {
    sentences.at(-1)?.push(part);
    if (ENDS_SENTENCE.test(part.joint)) sentences.push([]);
  }
  return sentences.filter((sentence) => sentence.length > 0);
}

/** Parts as they stand, without what ends the last. */
export function ended(parts: readonly Part[]): string {
  return parts.map(({ text, joint }, at) => text + (at === parts.length - 1 ? "" : joint)).join("");
}

export function joined(parts: readonly Part[]): string {
  return parts
    .map(({ text, joint }) => text + joint)
    .join("")
    .trim();
}

import { Lexer } from "marked";

/** About how long a piece is, and how much of one the next begins with, in characters. */
const SIZE = 1000;
const OVERLAP = 200;

export interface Piece {
  /** The headings above it, outermost first. */
  headings: string[];
  text: string;
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** Markdown by its headings, and what is long under one of them by its sentences. */
export function chunkMarkdown(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  const headings: { depth: number; text: string }[] = [];
  let body = "";
  const flush = (): void => {
    const path = headings.map(({ text }) => text);
    for (const text of chunkText(body)) pieces.push({ headings: path, text });
    body = "";
  };
  for (const token of new Lexer().blockTokens(markdown)) {
    if (token.type === "heading") {
      flush();
      const depth = token["depth"] as number;
      while ((headings.at(-1)?.depth ?? 0) >= depth) headings.pop();
      headings.push({ depth, text: String(token["text"]).replaceAll(/[`*_]/g, "").trim().slice(0, 200) });
    }
    body += token.raw;
  }
  flush();
  return pieces;
}

/** Text in pieces of about 1,000 characters that end with a sentence or a line, each with the end of the one before. */
export function chunkText(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  if (trimmed.length <= SIZE * 1.3) return [trimmed];
  const pieces: string[] = [];
  let piece = "";
  for (const part of partsOf(trimmed)) {
    if (piece.length + part.length > SIZE && piece.trim() !== "") {
      pieces.push(piece.trim());
      piece = tailOf(piece);
    }
    piece += part;
  }
  if (piece.trim() !== "") pieces.push(piece.trim());
  return pieces;
}

/** Paragraphs, the long ones by sentences, and what is no sentence either by its length. */
function partsOf(text: string): string[] {
  return text.split(/(?<=\n\n)/).flatMap((paragraph) => {
    if (paragraph.length <= SIZE / 2) return [paragraph];
    return Array.from(sentences.segment(paragraph), ({ segment }) => segment).flatMap(cut);
  });
}

function cut(sentence: string): string[] {
  if (sentence.length <= SIZE) return [sentence];
  const parts: string[] = [];
  for (let at = 0; at < sentence.length; at += SIZE - OVERLAP)
    parts.push(sentence.slice(at, at + SIZE - OVERLAP));
  return parts;
}

function tailOf(piece: string): string {
  const tail = piece.slice(-OVERLAP);
  const start = tail.search(/\s/);
  return start === -1 ? tail : tail.slice(start + 1);
}

import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/**
 * Lines of at most `width` columns. Words break only where they are longer than a line; a line that
 * starts with spaces keeps them, also where it goes on.
 */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    if (stringWidth(line) <= width) return [line];
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    const indent = " ".repeat(Math.min(spaces, Math.floor(width / 2)));
    const columns = Math.max(1, width - indent.length);
    return wrapAnsi(line.slice(spaces), columns, { hard: true })
      .split("\n")
      .map((part) => indent + part);
  });
}

/** Lines with `first` before the first one and spaces of the same width before the others. */
export function hang(first: string, text: string, width: number): string[] {
  const indent = stringWidth(first);
  return wrap(text, Math.max(1, width - indent)).map((line, index) =>
    index === 0 ? first + line : " ".repeat(indent) + line,
  );
}

/** A label in a column of `labels` columns and its value beside it; below it where the label is longer. */
export function labelled(label: string, value: string, labels: number, width: number): string[] {
  if (stringWidth(label) <= labels) return hang(`${pad(label, labels)}  `, value, width);
  return [...wrap(label, width), ...hang("  ", value, width)];
}

export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const gap = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "right" ? gap + text : text + gap;
}

/** A plain line of at most `width` columns, with `…` where something was left out. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const columns = stringWidth(segment);
    if (used + columns > width - 1) break;
    shown += segment;
    used += columns;
  }
  return `${shown.trimEnd()}…`;
}

/** The width of the widest line. */
export function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

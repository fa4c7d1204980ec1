import type {
  CardElement,
  Cell,
  ChartElement,
  ChartKind,
  ChartWish,
  SectionElement,
  TableElement,
} from "#contract/card.ts";
import { chartNumber } from "#src/base/charts.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

/** More bars, and more slices, say nothing. */
const MOST_BARS = 30;
const SHOWN_BARS = 20;
const MOST_SLICES = 6;
const MOST_POINTS = 100;
const MOST_SERIES = 3;
const LEAST_LINE = 3;
const LABEL = 60;
const TOLD = 8;

interface Column {
  label: string;
  at: number;
}

/** What is drawn of a table, before it is cut to what can be seen. */
interface Numbers {
  title: string;
  categories: string[];
  series: ChartElement["series"];
  isTime: boolean;
  /** Counts and sums: what is left out may be put together. */
  isAdditive: boolean;
}

/** A chart with what says its numbers, where the table itself does not. */
export interface Charted {
  chart: ChartElement;
  numbers?: SectionElement;
}

/**
 * The chart that fits a table: of one that has one column of names or times beside its numbers; with a wish also of
 * rows that are counted, or summed up, by a column. Undefined where there is nothing to see.
 */
export function chartOf(table: TableElement, wish: ChartWish | undefined, say: Words): Charted | undefined {
  const columns = columnsOf(table);
  const ready = readyNumbers(table, columns, wish, say);
  if (ready !== undefined) return { chart: toChart(ready, table, wish, say) };
  if (wish === undefined) return undefined;
  const counted = countedNumbers(table, columns, wish, say);
  if (counted === undefined) return undefined;
  const { categories, series, title } = counted;
  const numbers: SectionElement = {
    type: "section",
    title: say.charts.numbers,
    folded: true,
    elements: [
      {
        type: "table",
        caption: title,
        columns: [{ label: "" }, ...series.map(({ name }) => ({ label: name, align: "right" as const }))],
        rows: categories.map((label, at) => [label, ...series.map(({ values }) => values[at] ?? null)]),
      },
    ],
  };
  return { chart: toChart(counted, table, wish, say), numbers };
}

/** The elements of a card with the chart of its first table before it; a wish that cannot be met is answered. */
export function withChart(
  elements: readonly CardElement[],
  wish: ChartWish | undefined,
  say: Words,
): CardElement[] {
  const tables = elements.flatMap((element, at) => (element.type === "table" ? [{ element, at }] : []));
  // What is asked for may stand in a part of the card; by itself none of those is drawn.
  const inner = elements.flatMap((element, at) =>
    element.type === "section" && element.folded !== true && wish !== undefined
      ? element.elements.flatMap((one) => (one.type === "table" ? [{ element: one, at }] : []))
      : [],
  );
  for (const { element, at } of [...tables, ...inner]) {
    const charted = chartOf(element, wish, say);
    if (charted === undefined) continue;
    const { chart, numbers } = charted;
    return [
      ...elements.slice(0, at),
      chart,
      ...(numbers === undefined ? [] : [numbers]),
      ...elements.slice(at),
    ];
  }
  if (wish === undefined) return [...elements];
  return [...elements, { type: "footer", text: say.charts.none }];
}

/** Numbers that say which one it is, and measure nothing. */
const ID = /(?:^|[\s_])(?:id|oid|uid|key|no|number|code|zip|phone|port|version|rank|#)$/i;
const TIME =
  /^(?:date|day|week|month|quarter|year|hour|minute|time|period|datum|tag|woche|monat|quartal|jahr|stunde)\b|(?:^|[\s_])(?:date|day|month|year|week)$/i;
const MOMENT =
  /^\d{4}(?:-\d{2}(?:-\d{2})?)?(?:[T ]\d{2}:\d{2}.*)?$|^\d{4}[- ]?(?:Q[1-4]|W\d{2})$|^\d{1,2} \p{L}{3,9} \d{4}\b/u;
const SHARE = /%|percent|share|ratio|anteil|prozent/i;

function columnsOf({ columns, rows }: TableElement): { numeric: Column[]; others: Column[] } {
  const numeric: Column[] = [];
  const others: Column[] = [];
  for (const [at, { label }] of columns.entries()) {
    const values = rows.map((row) => row[at] ?? null).filter((value) => value !== null && value !== "");
    const isNumeric = values.length > 0 && values.every((value) => typeof value === "number");
    const column = { label: oneLine(label, LABEL), at };
    if (isNumeric && !ID.test(label) && !TIME.test(label)) numeric.push(column);
    else others.push(column);
  }
  return { numeric, others };
}

/** Numbers that stand in the table as they are drawn. */
function readyNumbers(
  { rows }: TableElement,
  { numeric, others }: ReturnType<typeof columnsOf>,
  wish: ChartWish | undefined,
  say: Words,
): Numbers | undefined {
  const category = categoryOf(rows, others, wish, say);
  if (category === undefined || numeric.length === 0) return undefined;
  const texts = rows.map((row) => textOf(row[category.at] ?? null, say));
  if (new Set(texts).size < texts.length) return undefined;
  const isTime = isTimes(category, texts);
  const measures = alike(rows, numeric).slice(0, MOST_SERIES);
  const kept = texts.flatMap((text, at) =>
    measures.some((one) => numberIn(rows[at], one) !== null) ? [{ text, at }] : [],
  );
  const order =
    isTime && kept.every(({ text }) => /^\d{4}/.test(text))
      ? kept.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
      : kept;
  const series = measures.map((one) => ({
    name: one.label,
    values: order.map(({ at }) => numberIn(rows[at], one)),
  }));
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  if (order.length < 2) return undefined;
  // Where all are the same a chart says no more than the table.
  if (wish === undefined && new Set(values).size < 2) return undefined;
  const names = series.map(({ name }) => name).join(", ");
  return {
    title: category.label === "" ? names : say.charts.by(names, category.label),
    categories: order.map(({ text }) => text),
    series,
    isTime,
    isAdditive: false,
  };
}

/** The column that names the numbers: the only one, or the one that is asked for; else one that names each row. */
function categoryOf(
  rows: TableElement["rows"],
  others: readonly Column[],
  wish: ChartWish | undefined,
  say: Words,
): Column | undefined {
  if (wish?.by !== undefined) {
    const [only, ...more] = others;
    // What was counted by it already stands under a heading that says no more than "Value".
    const isPlain = only !== undefined && more.length === 0 && PLAIN.test(only.label);
    return columnNamed(others, wish.by) ?? (isPlain ? { at: only.at, label: wish.by } : undefined);
  }
  if (others.length === 1 || wish === undefined) return others.length === 1 ? others[0] : undefined;
  if (others.some(({ label }) => GROUPS.test(label))) return undefined;
  return others.find(({ at, label }) => {
    const texts = new Set(rows.map((row) => textOf(row[at] ?? null, say)));
    return texts.size === rows.length && !ID.test(label);
  });
}

const PLAIN = /^(?:value|group|wert|gruppe)$/i;

/** Rows counted by a column, or a number of theirs summed up that the wish names. */
function countedNumbers(
  { rows }: TableElement,
  { numeric, others }: ReturnType<typeof columnsOf>,
  wish: ChartWish,
  say: Words,
): Numbers | undefined {
  const category = wish.by === undefined ? groupColumn(rows, others, say) : columnNamed(others, wish.by);
  if (category === undefined) return undefined;
  const asked = plain(wish.of ?? "");
  const measure = numeric.find(({ label }) => plain(label).length > 2 && asked.includes(plain(label)));
  const sums = new Map<string, number>();
  for (const row of rows) {
    const text = textOf(row[category.at] ?? null, say);
    const value = measure === undefined ? 1 : (numberIn(row, measure) ?? 0);
    sums.set(text, (sums.get(text) ?? 0) + value);
  }
  const texts = [...sums.keys()];
  const isTime = isTimes(category, texts);
  const found = [...sums].toSorted(([a, one], [b, other]) =>
    isTime && texts.every((text) => /^\d{4}/.test(text)) ? (a < b ? -1 : 1) : other - one,
  );
  if (found.length < 2) return undefined;
  const name = measure?.label ?? say.charts.count;
  return {
    title: say.charts.by(name, category.label),
    categories: found.map(([text]) => text),
    series: [{ name, values: found.map(([, sum]) => finite(sum)) }],
    isTime,
    isAdditive: true,
  };
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** By its name, or the beginning of it: "status", "assignees". */
function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const wanted = plain(name);
  const isSame = ({ label }: Column): boolean =>
    [wanted, wanted.replace(/s$/, ""), wanted.replace(/es$/, "")].includes(plain(label));
  return columns.find(isSame) ?? columns.find(({ label }) => plain(label).startsWith(wanted.slice(0, 20)));
}

const GROUPS =
  /^(?:status|state|type|kind|priority|category|group|role|region|country|severity|outcome|assignee|owner|zustand|typ|priorität|gruppe)$/i;

/** The column that rows are best counted by: few values that come again. */
function groupColumn(rows: TableElement["rows"], columns: readonly Column[], say: Words): Column | undefined {
  const fit = columns.filter(({ at, label }) => {
    const values = new Set(rows.map((row) => textOf(row[at] ?? null, say)));
    return values.size > 1 && values.size < rows.length && values.size <= MOST_BARS && !ID.test(label);
  });
  return fit.find(({ label }) => GROUPS.test(label)) ?? fit[0];
}

/** Series that can share an axis: those of the order of the first one. */
function alike(rows: TableElement["rows"], columns: readonly Column[]): Column[] {
  const sizes = columns.map((one) => Math.max(...rows.map((row) => Math.abs(numberIn(row, one) ?? 0))));
  const [first = 0] = sizes;
  return columns.filter((_, at) => {
    const size = sizes[at] ?? 0;
    return at === 0 || (size <= first * 20 && first <= size * 20);
  });
}

function isTimes({ label }: Column, texts: readonly string[]): boolean {
  return (
    texts.every((text) => MOMENT.test(text)) || (TIME.test(label) && texts.every((text) => /\d/.test(text)))
  );
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function numberIn(row: readonly Cell[] | undefined, { at }: Column): number | null {
  const value = row?.[at];
  return typeof value === "number" ? finite(value) : null;
}

function textOf(cell: Cell, { cards: say }: Words): string {
  const text =
    typeof cell === "object"
      ? (cell?.text ?? "")
      : typeof cell === "boolean"
        ? cell
          ? say.yes
          : say.no
        : String(cell);
  return oneLine(text, LABEL) || say.none;
}

function toChart(
  numbers: Numbers,
  table: TableElement,
  wish: ChartWish | undefined,
  say: Words,
): ChartElement {
  const notes: string[] = [];
  const kind = kindOf(numbers, wish, say, notes);
  const { categories, series } = cut(numbers, kind, say, notes);
  const { title } = numbers;
  const { rows, total = 0 } = table;
  if (total > rows.length) notes.push(say.charts.ofRead(rows.length, total));
  const alt = say.charts.alt(say.charts.kinds[kind], title, told(categories, series, say));
  return {
    type: "chart",
    kind,
    title: cutText(title, 150),
    categories,
    series,
    ...(notes.length > 0 && { note: notes.join(" ") }),
    alt: cutText(alt, 1000),
  };
}

function kindOf(
  { categories, series, isTime }: Numbers,
  wish: ChartWish | undefined,
  { charts: say }: Words,
  notes: string[],
): ChartKind {
  const [only] = series.length === 1 ? series : [];
  const isWhole =
    only?.values.every((value) => value !== null && value >= 0) === true &&
    only.values.filter((value) => value !== null && value > 0).length > 1;
  if (wish?.kind === "pie" && !isWhole) notes.push(say.noPie);
  if (wish?.kind === "line" && categories.length < LEAST_LINE) notes.push(say.noLine);
  if (wish?.kind === "pie") return isWhole ? "pie" : "bar";
  if (wish?.kind === "bar") return "bar";
  if (categories.length >= LEAST_LINE && (wish?.kind === "line" || isTime)) return "line";
  // Parts that say themselves that they are of one whole.
  const sum = only === undefined ? 0 : sumOf(only.values);
  const isShare =
    only !== undefined && SHARE.test(only.name) && [1, 100].some((all) => Math.abs(sum - all) < all / 50);
  return isShare && isWhole && categories.length <= MOST_SLICES ? "pie" : "bar";
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** As much as a picture can show: of a line the end, of others the largest. */
function cut(
  { categories, series, isAdditive }: Numbers,
  kind: ChartKind,
  { charts: say }: Words,
  notes: string[],
): Pick<ChartElement, "categories" | "series"> {
  const pick = (places: readonly number[]): Pick<ChartElement, "categories" | "series"> => ({
    categories: places.map((at) => categories[at] ?? ""),
    series: series.map(({ name, values }) => ({ name, values: places.map((at) => values[at] ?? null) })),
  });
  const places = categories.map((_, at) => at);
  if (kind === "line") {
    if (places.length <= MOST_POINTS) return { categories, series };
    notes.push(say.newest(MOST_POINTS, places.length));
    return pick(places.slice(-MOST_POINTS));
  }
  const size = (at: number): number => Math.abs(series[0]?.values[at] ?? 0);
  const bySize = places.toSorted((a, b) => size(b) - size(a) || a - b);
  if (kind === "pie") {
    const seen = bySize.filter((at) => size(at) > 0);
    if (seen.length <= MOST_SLICES) return pick(seen);
    return withRest(pick(seen.slice(0, MOST_SLICES - 1)), seen.slice(MOST_SLICES - 1));
  }
  if (places.length <= MOST_BARS) return { categories, series };
  const shown = pick(bySize.slice(0, SHOWN_BARS));
  if (isAdditive) return withRest(shown, bySize.slice(SHOWN_BARS));
  notes.push(say.largest(SHOWN_BARS, places.length));
  return shown;

  function withRest(
    some: Pick<ChartElement, "categories" | "series">,
    rest: readonly number[],
  ): Pick<ChartElement, "categories" | "series"> {
    return {
      categories: [...some.categories, say.others(rest.length)],
      series: some.series.map(({ name, values }, index) => ({
        name,
        values: [...values, finite(sumOf(rest.map((at) => series[index]?.values[at] ?? null)))],
      })),
    };
  }
}

/** "North 120, South 80, and 12 more". */
function told(categories: readonly string[], series: ChartElement["series"], { charts: say }: Words): string {
  const some = categories.slice(0, TOLD).map((label, at) => {
    const values = series.map(({ values: own }) => chartNumber(own[at] ?? null));
    return `${label} ${values.join(" / ")}`;
  });
  return [...some, ...(categories.length > TOLD ? [say.andMore(categories.length - TOLD)] : [])].join(", ");
}

import type { GraphNode } from "#contract/card.ts";

/** A place in a drawing from left to right: its column, and how many rows it stands below the middle. */
export interface Place {
  column: number;
  row: number;
}

export interface Placed {
  /** By node. */
  places: Place[];
  /** From a node to one after it; between them one place in each column that the line passes. */
  lines: Place[][];
  columns: number;
  rows: number;
}

/** Nodes and passing lines of a drawing that can still be followed with the eye. */
const MOST_PLACES = 250;
/** Each goes over all columns and back, and most crossings are gone after the first. */
const SWEEPS = 3;

/** A node, or a line on its way through a column. */
interface Item {
  before: Item[];
  after: Item[];
  place: Place;
}

/** The nodes that come right before one: places of nodes that stand before it, each once. */
export function before({ after }: GraphNode, index: number): number[] {
  return [...new Set(after)].filter((one) => Number.isInteger(one) && one >= 0 && one < index);
}

/** Where everything stands; undefined where there is nothing, or too much, to be drawn. */
export function placeGraph(nodes: readonly GraphNode[]): Placed | undefined {
  if (nodes.length === 0 || nodes.length > MOST_PLACES) return undefined;
  const columns: Item[][] = [];
  let count = 0;
  const add = (column: number): Item => {
    const item = { before: [], after: [], place: { column, row: 0 } };
    (columns[column] ??= []).push(item);
    count += 1;
    return item;
  };
  const join = (from: Item, to: Item): void => {
    from.after.push(to);
    to.before.push(from);
  };
  const items: Item[] = [];
  const lines: Item[][] = [];
  for (const [index, node] of nodes.entries()) {
    const sources = before(node, index).flatMap((one) => items[one] ?? []);
    const item = add(Math.max(0, ...sources.map(({ place }) => place.column + 1)));
    items.push(item);
    for (const source of sources) {
      const way = [source];
      for (let column = source.place.column + 1; column < item.place.column; column += 1) {
        way.push(add(column));
        if (count > MOST_PLACES) return undefined;
      }
      way.push(item);
      for (const [at, one] of way.slice(1).entries()) join(way[at] ?? source, one);
      lines.push(way);
    }
  }
  arrange(columns);
  return {
    places: items.map(({ place }) => place),
    lines: lines.map((way) => way.map(({ place }) => place)),
    columns: columns.length,
    rows: Math.max(0, ...columns.map(({ length }) => length)),
  };
}

/** Puts what is joined near each other: each item where its neighbours are on the average. */
function arrange(columns: Item[][]): void {
  const number = (column: Item[]): void =>
    column.forEach((item, index) => (item.place.row = index - (column.length - 1) / 2));
  const sort = (column: Item[], side: "before" | "after"): void => {
    const mean = (item: Item): number =>
      item[side].length === 0
        ? item.place.row
        : item[side].reduce((sum, { place }) => sum + place.row, 0) / item[side].length;
    const means = new Map(column.map((item) => [item, mean(item)]));
    column.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
    number(column);
  };
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of columns) sort(column, "before");
    for (const column of columns.toReversed()) sort(column, "after");
  }
}

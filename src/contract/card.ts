import type { JsonValue } from "./json.ts";

/**
 * A platform-neutral piece of output: views make cards, one renderer per surface draws them. Every string is
 * data that a renderer escapes, so no mention, link or format comes out of a ticket title. Only texts with
 * `format: "markdown"` are formatted, by a safe subset (paragraphs, headings, emphasis, code, lists, quotes,
 * tables, http links).
 */
export interface Card {
  kind: "result" | "answer" | "question" | "approval" | "status" | "error";
  /** One plain line that stands for the card where nothing else can be shown (notifications, logs). */
  title: string;
  elements: CardElement[];
  /** What its own words are written in, such as German; absent: English. */
  language?: string;
}

export type Tone = "neutral" | "info" | "good" | "warn" | "bad";

/** A short piece of text, optionally linked and coloured (a badge when `tone` is set). */
export interface Inline {
  text: string;
  /** http or https only; renderers drop any other scheme and show the text. */
  href?: string;
  tone?: Tone;
}

export type Cell = string | number | boolean | null | Inline;

export type CardElement =
  | HeaderElement
  | FieldsElement
  | TextElement
  | TableElement
  | ChartElement
  | ListElement
  | CodeElement
  | LinksElement
  | ProgressElement
  | ChangesElement
  | SectionElement
  | ActionsElement
  | { type: "footer"; text: string }
  | ErrorElement;

export interface HeaderElement {
  type: "header";
  text: string;
  href?: string;
  /** Small text above the header, such as an issue key or a space name. */
  eyebrow?: string;
  badges?: Inline[];
}

/** Label and value pairs, such as the metadata of an issue. */
export interface FieldsElement {
  type: "fields";
  items: { label: string; value: Cell }[];
}

export interface TextElement {
  type: "text";
  text: string;
  /** `plain` (the default) keeps line breaks and formats nothing. */
  format?: "plain" | "markdown";
  /** Long text: surfaces that can fold show the first lines and a way to open the rest. */
  folded?: boolean;
  /** The same as a drawing: surfaces that draw show it instead, with the text for whoever cannot see it. */
  graph?: GraphNode[];
}

/** One of several that come after one another, at least those that it comes after standing before it in the list. */
export interface GraphNode {
  text: string;
  /** One character that says how it stands, such as ✓. */
  sign?: string;
  tone?: Tone;
  /** Places in the list of those right before it. */
  after: number[];
}

export interface TableElement {
  type: "table";
  caption?: string;
  columns: { label: string; align?: "left" | "right" }[];
  /** Each row has one cell per column. */
  rows: Cell[][];
  /** Rows that exist at the source, when more than `rows` shows. */
  total?: number;
}

export type ChartKind = "bar" | "line" | "pie";

/**
 * Numbers as a picture: of 2 to 100 categories, in 1 to 3 series (of a pie one, of positive numbers). The numbers
 * themselves stand in a table beside it.
 */
export interface ChartElement {
  type: "chart";
  kind: ChartKind;
  /** What is drawn, such as "Revenue by region". */
  title: string;
  categories: string[];
  /** Each has one finite value per category; null where there is none. */
  series: { name: string; values: (number | null)[] }[];
  /** What the picture does not show, such as that smaller categories are left out. */
  note?: string;
  /** The same in words, for who does not see it. */
  alt: string;
}

/** How a person wants to see the numbers of an answer. */
export interface ChartWish {
  kind?: ChartKind;
  /** What the rows are counted by, in the person's word for a column. */
  by?: string;
  /** What is asked for beside the chart: a column of numbers that it names is summed up. */
  of?: string;
}

export interface ListElement {
  type: "list";
  ordered?: boolean;
  items: { text: string; href?: string; detail?: string; badges?: Inline[] }[];
}

export interface CodeElement {
  type: "code";
  text: string;
  language?: string;
  folded?: boolean;
}

export interface LinksElement {
  type: "links";
  items: { label: string; href: string }[];
}

/** A bar. Without `total` the amount is shown as a count. */
export interface ProgressElement {
  type: "progress";
  label: string;
  value: number;
  total?: number;
}

/**
 * What a change would do or did: one line per field, before and after. An absent side is one that nobody knows,
 * or that there is nothing of: the other one is shown alone.
 */
export interface ChangesElement {
  type: "changes";
  items: { label: string; before?: JsonValue; after?: JsonValue }[];
}

/** A titled group, for nested data. */
export interface SectionElement {
  type: "section";
  title: string;
  /** What the title leads to. */
  href?: string;
  /**
   * `details`: everything exact about a request. Surfaces with a window for details show it there, and leave it out
   * of the message; others fold it. `item`: one of several requests that are asked for together.
   */
  role?: "details" | "item";
  folded?: boolean;
  elements: CardElement[];
}

export interface CardAction {
  /** What the surface does when it is used. `prompt` sends `value` as a message. */
  id:
    | "approve"
    | "approve_all"
    | "deny"
    | "deny_all"
    | "stop"
    | "settle_happened"
    | "settle_did_not"
    | "prompt";
  label: string;
  style?: "primary" | "danger";
  /** The approval id; the turn id for `stop` and for all requests of a turn; or the message to send. */
  value: string;
}

export interface ActionsElement {
  type: "actions";
  items: CardAction[];
}

export interface ErrorElement {
  type: "error";
  message: string;
  detail?: string;
}

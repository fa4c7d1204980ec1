/**
 * What Slack accepts, from its reference of blocks and elements where it is documented. The sum over a
 * message is not documented: `msg_blocks_too_long` comes somewhere above 12,000 characters of JSON.
 */
export const LIMITS = {
  message: { blocks: 50, chars: 12_000, text: 40_000 },
  view: { blocks: 100, title: 24, metadata: 3000, id: 255 },
  header: 150,
  plainText: 3000,
  contextText: 2000,
  contextElements: 10,
  actionsElements: 25,
  button: { text: 75, value: 2000, url: 3000 },
  /** Options of the menu behind three dots. */
  overflow: 5,
  actionId: 255,
  sectionFields: 10,
  fieldText: 2000,
  /** https://docs.slack.dev/reference/block-kit/blocks/container-block; the same for its subtitle. */
  container: { title: 150, children: 10 },
  /** Header row included. One table per message, and no table in modals and the app home. */
  table: { rows: 100, columns: 20, chars: 10_000 },
  /** Without the header row; all else as in a table. */
  dataTableRows: 100,
  caption: 150,
  /** Of `data_visualization`; the last is not documented. */
  chart: { title: 50, label: 20, points: 20, series: 6, segments: 6, perMessage: 2 },
  option: { text: 75, value: 75, perList: 100, groups: 100 },
  input: { label: 2000, hint: 2000, text: 3000 },
} as const;

/** Characters of a bar. */
export const BAR = 20;

/** What one piece may weigh at most (see `weigh`), so that several fit any budget. */
export const PIECE = 1500;

/** How much of a message or view something may take up. */
export interface Budget {
  /** As `weigh` counts. */
  chars: number;
  blocks: number;
}

/** With a reserve, as nobody knows how exactly Slack counts. */
export const MESSAGE_BUDGET: Budget = { chars: 11_500, blocks: 48 };

/** A view may have 250 kB; more than this at once is slow to open and no easier to read. */
export const VIEW_BUDGET: Budget = { chars: 60_000, blocks: 95 };

/** The smallest budget within which every card can be paged. */
export const LEAST_BUDGET: Budget = { chars: 6500, blocks: 12 };

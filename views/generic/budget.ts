/** What a card may still hold; shared by all that is drawn of one result, and counted down. */
export interface Budget {
  /** Nested values (sections, tables, long texts). */
  groups: number;
  /** Cells of all tables. */
  cells: number;
  /** Characters of all long texts. */
  chars: number;
}

export function createBudget(): Budget {
  return { groups: 40, cells: 4000, chars: 60_000 };
}

import type { JsonObject } from "#contract/json.ts";
import type { KnownName, PlanInput } from "#contract/plan.ts";

import { cellsIn } from "../../base/text.ts";
import { asRow, headsOf, type Page, tellingIn } from "./page-places.ts";
import { folded, valuesIn } from "./value-kinds.ts";

// Who does something when, in a table of a page: "I carry the phone from 2 December instead of Ana".

const TAKES_OVER =
  /\bswap(?:ped|s)?\b|\binstead\s+of\s|\bit(?:['’]?s|\s+is)\s+me\b|\bi(?:\s+will|['’]ll|['’]m)?\s+(?:carry|take|do|have|cover|doing|taking|covering)\b|\bput\s+me\b|\bcovers?\s+for\b/iu;
const OWN = /\b(?:i|me|myself)\b/i;
/** "Emi stays backup": of another cell. */
const STAYS = /(?:^|[,.;]\s+|\band\s+)(?:the\s+)?\p{L}+\s+(?:stays?|remains?|keeps?|is\s+still)\b[^,.;]*/giu;

/** Whether a message may be of somebody who does what another one has to do. */
export function takesOver(said: string): boolean {
  return TAKES_OVER.test(said) && OWN.test(said);
}

/**
 * The row of a table in which whoever asks stands in place of somebody else: the row of the day that is said, the cell
 * of the person, or of the column, that is named. Undefined where that is not one.
 */
export function takenOver(said: string, page: Page, input: PlanInput): JsonObject | undefined {
  const people = (input.known ?? []).filter(({ kind }) => kind === "person");
  const asker = askerOf(input.actorName, people);
  if (asker === undefined || !takesOver(said)) return undefined;
  const names = new Set(people.map(({ name }) => folded(name.split(" ")[0] ?? name)));
  const own = said.replaceAll(STAYS, " ");
  const before = /\bthat\s+(?:week|day)\b/i.test(own) ? (input.history.at(-1)?.message ?? "") : "";
  const [days = []] = [own, before].map((text) => daysIn(text, input.now)).filter(({ length }) => length > 0);
  const rows = page.flatMap(({ kind, text }) => {
    const isOne = kind === "row" && days.some((day) => daysIn(text, input.now).includes(day));
    return isOne ? [{ text, cells: cellsIn(text), heads: headsOf(text, page) }] : [];
  });
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) return undefined;
  const isName = (cell: string): boolean => names.has(folded(cell));
  const spoken = new Set(
    valuesIn(own, names).flatMap(({ kind, text }) => (kind === "name" ? [folded(text)] : [])),
  );
  const stems = new Set(tellingIn(own));
  const held = row.cells.flatMap((cell, at) => (isName(cell) && spoken.has(folded(cell)) ? [at] : []));
  const headed = row.heads.flatMap((head, at) =>
    isName(row.cells[at] ?? "") && tellingIn(head).some((stem) => stems.has(stem)) ? [at] : [],
  );
  // "For her": the first who stands there.
  const first = /\b(?:her|him)\b/i.test(own) ? row.cells.findIndex(isName) : -1;
  const columns = [held, headed, first === -1 ? [] : [first]].find((found) => found.length > 0);
  const [at, ...more] = columns ?? [];
  if (at === undefined || more.length > 0 || folded(row.cells[at] ?? "") === folded(asker)) return undefined;
  return { passage: row.text, replacement: asRow(row.cells.with(at, asker)) };
}

/** The first name of whoever asks. */
function askerOf(actor: string, people: readonly KnownName[]): string | undefined {
  const own = folded(actor);
  const found = people.find(({ id, name }) =>
    [id, name, name.split(" ")[0] ?? name].some((one) => folded(one) === own),
  );
  return found?.name.split(" ")[0];
}

/** A new row as the others of its table are written: whoever asks by name, days with their year, with capitals. */
export function asOthers(row: string, page: Page, { known = [], actorName, now }: PlanInput): string {
  const cells = cellsIn(row);
  const others = page.flatMap(({ kind, text }) => (kind === "row" ? [cellsIn(text)] : [])).slice(1);
  const asker = askerOf(
    actorName,
    known.filter(({ kind }) => kind === "person"),
  );
  return asRow(
    cells.map((cell, at) => {
      const column = others.map((other) => other[at] ?? "").filter((text) => text !== "");
      const isEach = (pattern: RegExp): boolean =>
        column.length > 0 && column.every((text) => pattern.test(text));
      if (/^(?:me|myself|i)$/i.test(cell) && asker !== undefined) return asker;
      const dated =
        /^\d{1,2}\s+\p{L}{3,}$/u.test(cell) && isEach(/\b20\d\d\b/) ? `${cell} ${yearOf(cell, now)}` : cell;
      return isEach(/^(?:\p{Lu}|\d|\W)/u)
        ? dated.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
        : dated;
    }),
  );
}

/** The year in which a day without one is nearest: in December, "6 January" is of the next one. */
function yearOf(day: string, now: Date): number {
  const month = MONTHS.findIndex((name) => new RegExp(`(?<!\\p{L})${name}`, "iu").test(day));
  const ahead = month === -1 ? 0 : month - now.getMonth();
  return now.getFullYear() + (ahead < -6 ? 1 : ahead > 6 ? -1 : 0);
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");

/** The days of a text as "2 dec": a day of the week is the next one. */
function daysIn(text: string, now: Date): string[] {
  return valuesIn(text, new Set()).flatMap(({ kind, text: said }) => {
    const lower = said.toLowerCase();
    const day = /\d{1,2}/.exec(lower)?.[0];
    const month = MONTHS.find((name) => new RegExp(`(?<!\\p{L})${name}`, "u").test(lower));
    if (kind === "date" && day !== undefined && month !== undefined) return [`${Number(day)} ${month}`];
    const weekday = kind === "weekday" ? WEEKDAYS.findIndex((name) => lower.startsWith(name)) : -1;
    if (weekday === -1) return [];
    const ahead = (weekday - now.getDay() + 7) % 7 || 7;
    const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + ahead, 12);
    return [`${next.getDate()} ${MONTHS[next.getMonth()] ?? ""}`];
  });
}

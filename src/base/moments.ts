const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "21 Nov 2026", of the day in UTC. */
export function dayText(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** "21 Nov 2026, 14:05 UTC": the one way in which cards write a moment, so that surfaces find it again. */
export function momentText(date: Date): string {
  return `${dayText(date)}, ${date.toISOString().slice(11, 16)} UTC`;
}

const MOMENT = new RegExp(`\\b(\\d{1,2}) (${MONTHS.join("|")}) (\\d{4}), (\\d{2}):(\\d{2}) UTC\\b`, "g");

/** A moment that a text names, in milliseconds since the epoch. */
export interface NamedMoment {
  text: string;
  at: number;
}

/** A text in its order, with the moments in it set apart, for surfaces that know the reader's own time. */
export function splitMoments(text: string): (string | NamedMoment)[] {
  const parts: (string | NamedMoment)[] = [];
  let from = 0;
  for (const match of text.matchAll(MOMENT)) {
    const [whole, day, month = "", year, hour, minute] = match;
    const at = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hour), Number(minute));
    // Not what only looks like one, such as 31 Feb or 25:00.
    if (momentText(new Date(at)) !== whole) continue;
    parts.push(text.slice(from, match.index), { text: whole, at });
    from = match.index + whole.length;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== "");
}

import type { Inline, Tone } from "#contract/card.ts";

/** A status in the colour of its category; without one, by the words trackers commonly use. */
export function statusBadge(status: string, category: string | null): Inline {
  return { text: status, tone: categoryTone(category) ?? wordTone(status) };
}

export function priorityBadge(priority: string): Inline {
  return { text: priority, tone: priorityTone(priority) };
}

function categoryTone(category: string | null): Tone | undefined {
  if (category === "done") return "good";
  if (category === "in_progress") return "info";
  return category === "todo" ? "neutral" : undefined;
}

function wordTone(status: string): Tone {
  if (/\b(?:done|closed|resolved|complete[d]?|released)\b/i.test(status)) return "good";
  if (/\b(?:blocked|rejected|failed)\b/i.test(status)) return "bad";
  return /\b(?:progress|review|testing|started|active)\b/i.test(status) ? "info" : "neutral";
}

function priorityTone(priority: string): Tone {
  if (/^(?:highest|blocker|critical|urgent|p0)$/i.test(priority)) return "bad";
  return /^(?:high|major|p1)$/i.test(priority) ? "warn" : "neutral";
}

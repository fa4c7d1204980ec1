import type { ChartKind, ChartWish } from "#contract/card.ts";

const KINDS: Readonly<Record<string, ChartKind>> = {
  pie: "pie",
  donut: "pie",
  doughnut: "pie",
  bar: "bar",
  column: "bar",
  line: "line",
  kreis: "pie",
  torten: "pie",
  balken: "bar",
  säulen: "bar",
  linien: "line",
};

const WORD = String.raw`(?:chart|graph|diagram|plot)`;
const KIND = String.raw`(pie|donut|doughnut|bar|column|line)`;
const BY = String.raw`(?: by (\p{L}[\p{L}\p{N} _-]{0,40}?))?`;
/** "… as a pie", "… in a bar chart", "… as a chart by status", "… als Kreisdiagramm". */
const BEHIND = new RegExp(
  String.raw`(?:^|[\s,]+)(?:and )?(?:(?:as|in) (?:an? )?(?:${KIND}[ -]?)?${WORD}s?|as (?:an? )?${KIND}s?|als (?:(kreis|torten|balken|säulen|linien)-?)?diagramm)${BY}[\s,.!?]*(?:please|pls|bitte)?[\s.!?]*$`,
  "iu",
);
/** "Make it a pie", "can I have that as bars": of what was read before. */
const MAKE_IT = new RegExp(
  String.raw`^\s*(?:(?:and|now|please|pls|ok|can you|could you)[\s,]+)*(?:make|turn|draw|show|give me|i(?:['’]d)? (?:want|like))\s+(?:it|that|this|them|those)\s+(?:in)?(?:to\s+)?an?\s+(?:${KIND}(?:[ -]?${WORD})?|${WORD})[\s.,!?]*(?:please|pls)?[\s.!?]*$`,
  "iu",
);
/** "Chart", "as bars please", and nothing else. */
const ALONE = new RegExp(
  String.raw`^\s*(?:(?:and|now|please|pls|as|in|an?)[\s,]+)*(?:${KIND}s?(?:[ -]?${WORD})?|${WORD})[\s.,!?]*(?:please|pls)?[\s.!?]*$`,
  "iu",
);
/** "Bars by assignee please" */
const BARS = new RegExp(
  String.raw`^\s*(?:(?:and|now|please|pls|as|in|an?)[\s,]+)*(?:${KIND}s?(?:[ -]?${WORD})?|${WORD})\s+by\s+(\p{L}[\p{L}_-]{0,40})[\s.,!?]*(?:please|pls)?[\s.!?]*$`,
  "iu",
);
/** "chart the issues", "draw a pie of the issues", "bar chart of the issues". */
const AHEAD = new RegExp(
  String.raw`^\s*(?:please |can you |could you )?(?:(?:(?:show|draw|make|give|create|i need|i want)(?: me| us)? an? |an? )?(?:${KIND}[ -]?)?(?:${WORD}|(?<=pie )) ?(?:of|with|for) |(?:chart|plot|graph|visuali[sz]e) (?=\S+ \S))`,
  "iu",
);
const GROUPED =
  /[\s,]+(?:grouped |broken down |split )?by (\p{L}[\p{L}\p{N}_-]*(?: \p{L}[\p{L}\p{N}_-]*)?)\s*$/iu;

/** "Bar chart: who has how many open tickets" */
const HEADED = new RegExp(String.raw`^\s*((?:\p{L}+ )?${WORD})\s*:\s+(.+?)[\s.?!]*$`, "isu");
/** "As a chart per assignee" */
const PER = new RegExp(
  String.raw`\b(${WORD}|pie|bars?|columns?|donut)(\b[^.?!:]{0,40}?)\s+per\s+(?=\p{L})`,
  "iu",
);
/** "Open bugs by priority chart" */
const NAMED_BEHIND = new RegExp(
  String.raw`(\S.*? by \p{L}[\p{L}_-]{0,40}) ((?:${KIND}[ -]?)?${WORD})(?=[\s.!?]*$)`,
  "isu",
);
const POLITE = /,?\s+(?:please|pls|plz|thanks|thx)(?=[\s.!]*$)/i;

interface Read {
  wish?: ChartWish;
  rest: string;
}

/** Where one wish of a message may end and the next begin; not in what is quoted or dictated. */
const NEXT_WISH = /(\s*(?:;|,?\s+and then|,?\s+then|,?\s+and)\s+)/i;
const GIVEN_WORDS = /["“”„«»`:]/;

/**
 * Whether a message, or one wish of several in it, asks for a chart, and what it asks beside that: the whole message
 * where it does not. `mayBe` says of a text that its words about charts are no part of something else.
 */
export function readChartWish(message: string, mayBe: (text: string) => boolean = () => true): Read {
  if (message.length > 1000) return { rest: message };
  const whole = readClause(
    message
      .replace(POLITE, "")
      .replace(HEADED, "$2 as a $1")
      .replace(PER, "$1$2 by ")
      .replace(NAMED_BEHIND, "$1 as a $2"),
  );
  if (whole.wish !== undefined && (whole.rest === "" || mayBe(message))) return whole;
  const parts = GIVEN_WORDS.test(message) ? [] : message.split(NEXT_WISH);
  for (const [at, clause] of parts.entries()) {
    if (at % 2 === 1 || parts.length === 1) continue;
    const { wish, rest } = readClause(clause);
    if (wish !== undefined && rest !== "" && mayBe(clause))
      return { wish, rest: parts.with(at, rest).join("") };
  }
  return { rest: message };
}

function readClause(message: string): Read {
  const again = MAKE_IT.exec(message) ?? ALONE.exec(message);
  if (again !== null) {
    const kind = KINDS[again[1]?.toLowerCase() ?? ""];
    return { wish: kind === undefined ? {} : { kind }, rest: "" };
  }
  const [, bars = "", group = ""] = BARS.exec(message) ?? [];
  const drawn = KINDS[bars.toLowerCase()];
  if (group !== "") return { wish: { ...(drawn === undefined ? {} : { kind: drawn }), by: group }, rest: "" };
  const behind = BEHIND.exec(message);
  const ahead = behind === null ? AHEAD.exec(message) : null;
  if (behind === null && ahead === null) return { rest: message };
  const rest =
    behind === null ? `show ${message.slice(ahead?.[0].length ?? 0)}` : message.slice(0, behind.index);
  const trimmed = rest.replace(/[\s.,!?]+$/, "");
  const grouped = GROUPED.exec(trimmed);
  const named = behind === null ? ahead?.[1] : (behind[1] ?? behind[2] ?? behind[3]);
  const kind = KINDS[named?.toLowerCase() ?? ""];
  const by = behind?.[4] ?? grouped?.[1];
  const asked = grouped === null ? trimmed : trimmed.slice(0, grouped.index);
  return {
    wish: {
      ...(kind === undefined ? {} : { kind }),
      ...(by === undefined ? {} : { by }),
      ...(asked === "" ? {} : { of: asked.slice(0, 200) }),
    },
    rest: asked,
  };
}

/** A number as it stands in a chart: to six digits, whole ones in full. */
export function chartNumber(value: number | null): string {
  if (value === null) return "–";
  return String(Number.isInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(6)));
}

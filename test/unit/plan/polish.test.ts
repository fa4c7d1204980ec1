import { describe, expect, it } from "vitest";

import { polish } from "#src/plan/respond.ts";

import { observed } from "./tools.ts";

const sources = (count: number) => Array.from({ length: count }, (_, at) => observed(`t.${at}`, {}));

function polished(raw: string, message = "what is it", count = 3, language?: string): string {
  return polish(raw, {
    message,
    observations: sources(count),
    ...(language === undefined ? {} : { language }),
  });
}

describe("a model's answer", () => {
  it.each([
    ["It is open [source 1]. Happy to help!", "It is open [source 1]. Happy to help!"],
    ["It is open [Source #2]. Cheers!", "It is open [source 2]. Cheers!"],
    ["A [source 1]. B [source 2]. C [source 3]. Bye!", "A [source 1]. B [source 2]. C. Bye!"],
    ["A [source 1] B [source 1] C [source 2]!", "A [source 1] B [source 1] C [source 2]!"],
    ["A [source 9], B [source 0]!", "A, B!"],
    ["A [sources 1, 2 and 3]!", "A [source 1] [source 2]!"],
    ["A (source 1)!", "A [source 1]!"],
  ])("[plan.cite] %j cites at most two sources that are there", (raw, expected) => {
    expect(polished(raw)).toBe(expected);
  });

  it("[plan.cite] gets a friendly closing where it has none", () => {
    expect(polished("It is the one that you want.")).toBe(
      "It is the one that you want.\n\nHappy to help with anything else!",
    );
    for (const kind of [
      "Let me know if you need more.",
      "I hope this helps.",
      "Have a nice day.",
      "Good luck 🙂",
    ])
      expect(polished(`It is open. ${kind}`)).toBe(`It is open. ${kind}`);
  });

  it("[plan.cite] in another language is left as it is", () => {
    expect(polished("Das Ticket ist offen und niemand arbeitet daran.")).toBe(
      "Das Ticket ist offen und niemand arbeitet daran.",
    );
    expect(polished("Offen.", "was", 1, "German")).toBe("Offen.");
  });

  it("[plan.cite] is cut at the end of a sentence and keeps its closing, unless detail is asked for", () => {
    const long = `${"This is a sentence of seven words. ".repeat(40)}Happy to help!`;
    const short = polished(long);
    expect(short.split(/\s+/).length).toBeLessThan(150);
    expect(short).toMatch(/words\. …\n\nHappy to help!$/);
    expect(polished(long, "explain it in detail")).toBe(long);
    const endless = "word ".repeat(400);
    expect(polished(endless).split(/\s+/).length).toBeLessThanOrEqual(150);
  });
});

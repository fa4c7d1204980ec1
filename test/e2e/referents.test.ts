import { expect, test } from "vitest";

import { playDemoAt } from "../../bench/outcome/play.ts";
import { referentCases } from "../../bench/outcome/referents.ts";
import { openDemo } from "../../bench/outcome/site.ts";
import { cleanUp } from "./support.ts";

test("[plan.referents] what is shown and then spoken of is what changes are proposed for", async () => {
  const site = await openDemo();
  cleanUp(() => site.close());
  // Every third here; `npm run eval -- --referents` plays all of them, in every wording.
  const cases = referentCases({ everyWording: false }).filter((_, at) => at % 3 === 0);
  const played = await playDemoAt(site, cases);
  expect(played.length).toBeGreaterThan(100);
  const wrong = played.filter(({ verdict }) => verdict !== "useful");
  expect(wrong.map(({ case: { id }, why }) => `${id}: ${why}`)).toEqual([]);
}, 120_000);

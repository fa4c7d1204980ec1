import { expect, test } from "vitest";

import { playDemoAt } from "../../bench/outcome/play.ts";
import { referentCases } from "../../bench/outcome/referents.ts";
import { openDemo } from "../../bench/outcome/site.ts";
import { cleanUp } from "./support.ts";

test("[plan.referents] what is shown and then spoken of is what changes are proposed for", async () => {
  const site = await openDemo();
  cleanUp(() => site.close());
  const played = await playDemoAt(site, referentCases({ everyWording: false }));
  const wrong = played.filter(({ verdict }) => verdict !== "useful");
  expect(wrong.map(({ case: { id }, why }) => `${id}: ${why}`)).toEqual([]);
}, 120_000);

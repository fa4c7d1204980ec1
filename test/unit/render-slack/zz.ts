import * as fc from "fast-check";
import { slackCard } from "./arbitrary.ts";
import { everythingOf, wordsOf } from "./shown.ts";
let n = 0;
fc.assert(
  fc.property(slackCard, (c) => {
    const { words } = everythingOf(c);
    const m = wordsOf(c).filter((w) => !words.includes(w));
    return m.length === 0;
  }),
  {
    numRuns: 400,
    endOnFailure: false,
    seed: Number(process.argv[2]),
    reporter: (r) => {
      if (r.failed && r.counterexample) {
        const c = r.counterexample[0];
        const { words, messages, views } = everythingOf(c);
        console.log(JSON.stringify(c).slice(0, 1500));
        console.log(
          wordsOf(c)
            .filter((w) => !words.includes(w))
            .map((x) => x.slice(0, 200)),
        );
        console.log(JSON.stringify(messages).slice(0, 2500));
        console.log(JSON.stringify(views).slice(0, 2500));
      } else console.log("ok", r.numRuns);
    },
  },
);

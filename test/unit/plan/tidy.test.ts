import { describe, expect, it } from "vitest";

import { tidied } from "#src/plan/builtin/tidy.ts";

const context = { names: ["Ben Okafor", "Ben", "Emi Tanaka", "Emi"], hasKeys: true };

describe("what people put around a message", () => {
  it.each([
    ["close `DEMO-4`", "close DEMO-4"],
    ["close *demo-4* and **DEMO-5**", "close demo-4 and DEMO-5"],
    ["show [DEMO-4](https://jira.example.com/browse/DEMO-4)", "show DEMO-4"],
    ["https://jira.example.com/browse/DEMO-4 is done", "DEMO-4 is done"],
    ["close <https://jira.example.com/browse/DEMO-4|Login>, it works", "close DEMO-4, it works"],
    ["assign https://x.test/jira/boards/1?selectedIssue=MOB-3&view=2 to emi", "assign MOB-3 to emi"],
    ["#DEMO-4 goes to Ben", "DEMO-4 goes to Ben"],
    ["ok so close DEMO-4", "close DEMO-4"],
    ["@Countersign: hmm, what is overdue?", "what is overdue?"],
    ["@countersign undo", "undo"],
    ["move DEMO-4 to done 🙏🏽", "move DEMO-4 to done"],
    ["is DEMO-4 done? thanks a lot!", "is DEMO-4 done?"],
    ["could you close DEMO-4 pls?", "could you close DEMO-4?"],
    ["make DEMO-4 high asap", "make DEMO-4 high"],
    ["give OPS-10 to emi...", "give OPS-10 to emi"],
    ["the second one is done\n– Ben", "the second one is done"],
    ["what is overdue?\n\nThanks,\nEmi", "what is overdue?"],
    ["comment on DEMO-4 that it works, thanks!", "comment on DEMO-4 that it works"],
  ])("[plan.anchors] is no part of it: %s", (message, text) => {
    expect(tidied(message, context)).toEqual({ text });
  });

  it.each([
    "yes please",
    "ok so",
    "thanks, that was all!",
    "OPS-8 is done, please",
    "comment on DEMO-4: see `DEMO-5`, thanks!",
    "comment on DEMO-4 that https://jira.example.com/browse/DEMO-5 is the reason",
    'comment "see https://jira.example.com/browse/DEMO-5" on DEMO-4',
    "comment on DEMO-4 that it works 🎉",
    "https://example.com/DEMO-4/log.txt is the log",
    "new bugs in OPS:\n- Printer\n- Ben",
    "`npm run DEMO-4-fix` fails in DEMO",
    "soap is no okra, umbrella stays",
    "rename DEMO-4 to Send a cc to sales",
    "rename DEMO-4 to Log in with Yahoo!",
  ])("[plan.anchors] stays where it says something: %s", (message) => {
    expect(tidied(message, context)).toEqual({ text: message });
  });

  it.each([
    ["close DEMO-4 (cc Emi)", "close DEMO-4", "cc Emi"],
    ["close DEMO-4, cc @ben and @emi!", "close DEMO-4", "cc @ben and @emi"],
  ])(
    "[plan.nothing-dropped] who else shall know is left out, and that is said: %s",
    (message, text, aside) => {
      expect(tidied(message, context)).toEqual({ text, aside });
    },
  );

  it("[plan.anchors] an address is one where nothing has a key", () => {
    const text = "fetch https://jira.example.com/browse/DEMO-4";
    expect(tidied(text, { names: [], hasKeys: false })).toEqual({ text });
  });
});

import { describe, expect, it } from "vitest";

import { restated } from "#src/plan/builtin/restate.ts";

describe("[llm.builtin] what people say more simply", () => {
  it.each([
    // Nobody has done anything that could be reviewed.
    ["someone should look at MOB-17", "show MOB-17"],
    ["can somebody take a quick look at the disk bug?", "show the disk bug"],
    ["the gift wrapping story needs somebody", "show the gift wrapping story"],
    ["DEMO-18 has no owner, any volunteers?", "show DEMO-18"],
    ["hold off on MOB-15 for now", "show MOB-15"],
    ["don't assign DEMO-15 to emi, assign it to dmitri", "assign DEMO-15 to dmitri"],
    ["not farid but ben should get OPS-20", "assign OPS-20 to ben"],
    ["close OPS-2 and leave a note saying we fixed it", "close OPS-2 and comment on it: we fixed it"],
    ["close OPS-2 and let ben know that it runs", "close OPS-2 and comment on it: ben, it runs"],
    ["add a comment on OPS-20 telling emi to send one", "add a comment on OPS-20: emi, please send one"],
    ["take MOB-16 out of its epic and give it to ben", "remove MOB-16 from its epic and give it to ben"],
    ["let's not forget the disk bug", "show the disk bug"],
    ["MOB-9 should live in the app epic please", "put MOB-9 in the app epic"],
    [
      "leave a note on OPS-4 that support waits for it, friendly please",
      "leave a note on OPS-4 that support waits for it",
    ],
    ["close OPS-2 and tell him in a comment that it runs", "close OPS-2 and comment on it: it runs"],
    [
      "tell ben on the emoji bug that he can start his migration",
      "comment on the emoji bug: ben, you can start your migration",
    ],
    [
      "what do we tell who was charged twice? there should be something in the wiki",
      "what do we tell who was charged twice?",
    ],
    ["leave out what's already being worked on", "without the ones in progress"],
    ["I'd like to work on MOB-7", "assign MOB-7 to me"],
    ["and the unassigned ones of those", "only the unassigned ones"],
    ["overdue stuff please, all projects", "overdue stuff please"],
    ["bump MOB-7 and MOB-8 a week", "push MOB-7 and MOB-8 by a week"],
    ["hand the map story over to ben", "hand the map story to ben"],
    ["I'll take the disk bug myself", "I'll take the disk bug"],
    ["epics with a due date before new year", "epics due before january 1"],
    ["stuff that hasn't been touched for a month", "open issues not updated for a month"],
    ["ops-9 description should just say: later", "set the description of ops-9 to: later"],
    ["if nobody has DEMO-6 give it to ben", "if nobody has DEMO-6, give it to ben"],
    ["guest checkout is due on december 11", "set the due date of guest checkout to december 11"],
    ["label the newsletter bug backend", "add the label backend to the newsletter bug"],
    ["start DEMO-4 + comment 'hi' on OPS-9", "start DEMO-4, then comment 'hi' on OPS-9"],
    ["deadline for the beta test is now dec 19", "set the due date of the beta test to dec 19"],
    ["due date of MOB-9: next tuesday", "set the due date of MOB-9 to next tuesday"],
    ["DEMO-1 isn't really a regression, take that label off", "remove the label regression from DEMO-1"],
    ["take the regression label off please", "remove the label regression from it"],
    ["what's the story with the alert at night?", "show the alert at night?"],
    ["lets do it earlier, 9th of dezember", "set the due date of it to 9th of december"],
    ["let's do it later, we are tired", "let's do it later, we are tired"],
    ["anything on the printer, ticket or wiki?", "anything on the printer?"],
    ["what's on for me today?", "show my open issues"],
    [
      "Please put the one about Swish on my list and give it high priority",
      "Please assign the one about Swish to me and give it high priority",
    ],
    [
      "can you show the printer bugs? Close the first one",
      "can you show the printer bugs? Close the first one",
    ],
    ["we could do it later, next week maybe", "we could do it later, next week maybe"],
    ["what's on my plate today?", "show my open issues?"],
    ["take the regression label off DEMO-1", "remove the label regression from DEMO-1"],
    ["take DEMO-1's regression label off", "remove the label regression from DEMO-1"],
    ["mark MOB-20 as related to the passkey story", "link MOB-20 relates to the passkey story"],
    ["hand everything chloé has in MOB over to emi", "give all of chloé's issues in MOB to emi"],
    ["guest checkout assignee?", "what is the assignee of guest checkout?"],
    ["is there an assignee on guest checkout?", "what is the assignee of guest checkout?"],
    [
      'we sold it, so the page "Setting up the printer" is obsolete. delete it, please!',
      'delete the page "Setting up the printer"',
    ],
    [
      "of the issues in DEMO-10, how many are finished and how many are there",
      "count issues in DEMO-10 by status",
    ],
    ["security labelled tickets", "tickets labelled security"],
    ["what is due by friday, incl. stuff that's already late", "what is due by friday"],
    ["which spoilsport filed DEMO-4?", "who filed DEMO-4?"],
  ])("%s", (message, plain) => {
    expect(restated(message)).toBe(plain);
  });

  it.each([
    "who needs somebody",
    "is it ok to put a new feature on production today?",
    'if the page "Setting up the printer" is obsolete, delete it',
    "open bugs by assignee?",
    "what is the assignee?",
    "what is the due date of DEMO-1?",
    "what is due on friday",
    "all open bugs in project WEB, newest first",
    "create a task to write the project plan",
    'rename OPS-1 to "someone should look at MOB-17"',
    "comment on OPS-1: don't assign it to emi, assign it to ben",
  ])("stays: %s", (message) => {
    expect(restated(message)).toBe(message);
  });
});

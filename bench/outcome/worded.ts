import type { Case, Expectation } from "./cases.ts";
import { assigns, proposes, sets, toCase } from "./referents.ts";

/** One change of one issue, in the words that people have for it. */
export function wordedCases(): Case[] {
  return WORDED.flatMap(({ said, expect }) =>
    said.split("|").map((one) => toCase("worded", "worded", [one], expect)),
  );
}

const WORDED: readonly { said: string; expect: Expectation }[] = [
  {
    said: "give DEMO-4 to ben|DEMO-4 is ben's now|ben takes DEMO-4|put ben on DEMO-4|ben should do DEMO-4|DEMO-4 → ben|assign ben to DEMO-4|assign ben DEMO-4|make ben the assignee of DEMO-4|make ben responsible for DEMO-4|DEMO-4 goes to ben|hand DEMO-4 to ben|DEMO-4 for ben|pass DEMO-4 on to ben|let ben have DEMO-4|DEMO-4 should be with ben|set the assignee of DEMO-4 to ben|change assignee on DEMO-4 to ben|DEMO-4 assignee: ben|DEMO-4 assignee ben|can ben take DEMO-4?|please have ben take over DEMO-4|ben will take care of DEMO-4|reassign DEMO-4 to ben|I want ben on DEMO-4|DEMO-4 belongs to ben|new owner of DEMO-4: ben|ben is the new owner of DEMO-4",
    expect: assigns("DEMO-4", "ben"),
  },
  {
    said: "I take DEMO-4|I'll take DEMO-4|assign DEMO-4 to me|DEMO-4 is mine|give me DEMO-4 please, I'll do it|put me on DEMO-4|I'm taking DEMO-4|take DEMO-4 for me|I can do DEMO-4|let me take DEMO-4|assign me DEMO-4|assign myself to DEMO-4|can I have DEMO-4?|I'd like to work on DEMO-4|make me the owner of DEMO-4|DEMO-4 → me",
    expect: assigns("DEMO-4", "ana"),
  },
  {
    said: "unassign DEMO-2|remove the assignee from DEMO-2|nobody should be on DEMO-2|take ana off DEMO-2|clear the assignee of DEMO-2|DEMO-2 should have no assignee|free up DEMO-2|make DEMO-2 unassigned|set DEMO-2 to unassigned|DEMO-2 is nobody's now|drop the assignee of DEMO-2|I can't do DEMO-2, take me off|take me off DEMO-2|remove me from DEMO-2|I give DEMO-2 back",
    expect: assigns("DEMO-2", null),
  },
  {
    said: "close MOB-3|MOB-3 is done|MOB-3 is finished|MOB-3 done|move MOB-3 to done|set MOB-3 to done|mark MOB-3 as done|mark MOB-3 done|MOB-3 can be closed|finish MOB-3|complete MOB-3|resolve MOB-3|I finished MOB-3|I'm done with MOB-3|we fixed MOB-3|MOB-3 has been fixed|MOB-3 → done|MOB-3 to done|status of MOB-3: done|change the status of MOB-3 to done|set the status of MOB-3 to done|put MOB-3 in done|drag MOB-3 to done|MOB-3 is ready, close it|tick off MOB-3|MOB-3 should be done|please close ticket MOB-3|close out MOB-3|MOB-3 has shipped, close it|can we close MOB-3|you can close MOB-3",
    expect: proposes("transition_issue", { issue_key: "MOB-3", status: "Done" }),
  },
  {
    said: "start MOB-3|start working on MOB-3|I started MOB-3|I'm working on MOB-3 now|move MOB-3 to in progress|MOB-3 is in progress|set MOB-3 in progress|put MOB-3 into progress|MOB-3 in progress|mark MOB-3 as in progress|begin MOB-3|work on MOB-3 has started|MOB-3 → in progress|MOB-3 to in progress please|we've begun MOB-3",
    expect: proposes("transition_issue", { issue_key: "MOB-3", status: "In Progress" }),
  },
  {
    said: "move MOB-3 to review|send MOB-3 to review|MOB-3 is ready for review|put MOB-3 in review|set MOB-3 to in review|MOB-3 needs to go to review|MOB-3 in review|MOB-3 is in review now|mark MOB-3 as in review|MOB-3 → in review|submit MOB-3 for review|MOB-3 is up for review",
    expect: proposes("transition_issue", { issue_key: "MOB-3", status: "In Review" }),
  },
  {
    said: "reopen DEMO-9|open DEMO-9 again|DEMO-9 isn't fixed, reopen it|move DEMO-9 back to to do|put DEMO-9 back to to do|DEMO-9 is back, reopen it please|set DEMO-9 to to do|DEMO-9 back to to do|DEMO-9 was closed by mistake, reopen it|DEMO-9 must be reopened|re-open DEMO-9",
    expect: proposes("transition_issue", { issue_key: "DEMO-9", status: "To Do" }),
  },
  {
    said: "set the priority of DEMO-1 to low|DEMO-1 low prio|DEMO-1 is low priority|make DEMO-1 low|make DEMO-1 low priority|change the prio of DEMO-1 to low|lower DEMO-1 to low|DEMO-1 priority low|DEMO-1 prio: low|priority of DEMO-1 should be low|DEMO-1 should be low|DEMO-1 isn't urgent, make it low|put DEMO-1 on low|give DEMO-1 low priority|downgrade DEMO-1 to low|reduce the priority of DEMO-1 to low|low is enough for DEMO-1|DEMO-1 → low|set DEMO-1 to low priority|drop DEMO-1 to low",
    expect: sets("DEMO-1", { priority: "Low" }),
  },
  {
    said: "set the due date of OPS-5 to 2031-12-10|OPS-5 is due 2031-12-10|make OPS-5 due 2031-12-10|OPS-5 due 2031-12-10|due date OPS-5: 2031-12-10|OPS-5 must be done by 2031-12-10|OPS-5 has to be finished by 2031-12-10|move the deadline of OPS-5 to 2031-12-10|change OPS-5's due date to 2031-12-10|the deadline for OPS-5 is 2031-12-10 now|new deadline for OPS-5: 2031-12-10|push OPS-5 to 2031-12-10|postpone OPS-5 to 2031-12-10|put 2031-12-10 as due date on OPS-5|OPS-5 deadline → 2031-12-10|give OPS-5 a deadline: 2031-12-10|give OPS-5 until 2031-12-10|OPS-5 needs to be ready by 2031-12-10|reschedule OPS-5 to 2031-12-10|set OPS-5 due on 2031-12-10|OPS-5 should be due 2031-12-10|delay OPS-5 until 2031-12-10",
    expect: sets("OPS-5", { due_date: "2031-12-10" }),
  },
  {
    said: "remove the due date of OPS-5|OPS-5 has no deadline any more|clear the due date on OPS-5|drop the deadline of OPS-5|no due date for OPS-5|take the due date off OPS-5|OPS-5 doesn't need a due date|delete the due date from OPS-5|OPS-5 should have no due date|unset the due date of OPS-5",
    expect: sets("OPS-5", { due_date: null }),
  },
  {
    said: "add label q1 to MOB-19|label MOB-19 q1|label MOB-19 with q1|tag MOB-19 with q1|tag MOB-19 as q1|put the label q1 on MOB-19|MOB-19 gets the label q1|MOB-19 needs the label q1|add q1 to the labels of MOB-19|add the tag q1 to MOB-19|MOB-19 label q1|MOB-19: add label q1|give MOB-19 the label q1|stick a q1 label on MOB-19|add a label to MOB-19: q1|MOB-19 should be labelled q1|MOB-19 +q1 label|attach the label q1 to MOB-19",
    expect: sets("MOB-19", { labels: { contains: "q1" } }),
  },
  {
    said: "rename MOB-19 to Wish list|rename MOB-19: Wish list|change the title of MOB-19 to Wish list|MOB-19 should be called Wish list|call MOB-19 Wish list|set the summary of MOB-19 to Wish list|new title for MOB-19: Wish list|retitle MOB-19 to Wish list|MOB-19 title: Wish list|change MOB-19's name to Wish list|the title of MOB-19 should be Wish list|make the title of MOB-19 Wish list|update the summary of MOB-19 to Wish list|give MOB-19 the title Wish list",
    expect: sets("MOB-19", { summary: "Wish list" }),
  },
  {
    said: "comment on OPS-9: we ship it on monday|add a comment to OPS-9: we ship it on monday|OPS-9 comment: we ship it on monday|comment OPS-9: we ship it on monday|leave a comment on OPS-9 that we ship it on monday|write on OPS-9: we ship it on monday|note on OPS-9: we ship it on monday|put a note on OPS-9 that we ship it on monday|reply on OPS-9: we ship it on monday|post on OPS-9: we ship it on monday|add to OPS-9 that we ship it on monday|say on OPS-9 that we ship it on monday|tell people on OPS-9 that we ship it on monday|mention on OPS-9 that we ship it on monday|add comment OPS-9 we ship it on monday|comment we ship it on monday on OPS-9|write a comment in OPS-9 saying we ship it on monday|drop a line on OPS-9: we ship it on monday|let people on OPS-9 know that we ship it on monday|can you comment on OPS-9 that we ship it on monday?|add a remark to OPS-9: we ship it on monday|answer on OPS-9: we ship it on monday|for OPS-9, add a comment: we ship it on monday|log on OPS-9 that we ship it on monday",
    expect: proposes("add_comment", { issue_key: "OPS-9", body: "we ship it on monday" }),
  },
  {
    said: "link DEMO-4 to OPS-9|DEMO-4 relates to OPS-9|link DEMO-4 and OPS-9|connect DEMO-4 with OPS-9|DEMO-4 and OPS-9 are related|relate DEMO-4 to OPS-9|add a link from DEMO-4 to OPS-9|DEMO-4 is related to OPS-9, link them|link OPS-9 to DEMO-4 please",
    expect: {
      one_of: [
        proposes("link_issues", { from_key: "DEMO-4", to_key: "OPS-9", type: "relates to" }),
        proposes("link_issues", { from_key: "OPS-9", to_key: "DEMO-4", type: "relates to" }),
      ],
    },
  },
  {
    said: "DEMO-4 blocks OPS-9|link DEMO-4 blocks OPS-9|OPS-9 is blocked by DEMO-4|mark OPS-9 as blocked by DEMO-4|OPS-9 depends on DEMO-4|OPS-9 can't start before DEMO-4 is done, link them|OPS-9 is waiting for DEMO-4, please link|set DEMO-4 as a blocker of OPS-9|DEMO-4 is blocking OPS-9|OPS-9 blocked by DEMO-4",
    expect: {
      one_of: [
        proposes("link_issues", { from_key: "DEMO-4", to_key: "OPS-9", type: "blocks" }),
        proposes("link_issues", { from_key: "OPS-9", to_key: "DEMO-4", type: "is blocked by" }),
      ],
    },
  },
  {
    said: "put MOB-7 in the epic MOB-1|move MOB-7 to epic MOB-1|add MOB-7 to the epic MOB-1|MOB-7 belongs to the epic MOB-1|MOB-7 is part of epic MOB-1|set the epic of MOB-7 to MOB-1|MOB-7 epic: MOB-1|MOB-7 goes under MOB-1|put MOB-7 under MOB-1|change the epic of MOB-7 to MOB-1|MOB-1 should be the epic of MOB-7",
    expect: { one_of: [sets("MOB-7", { epic_key: "MOB-1" }), { says: ["already"] }] },
  },
  {
    said: "delete MOB-7|remove MOB-7|delete the ticket MOB-7|get rid of MOB-7|MOB-7 can be deleted|please delete MOB-7 for good|MOB-7 should be deleted|erase MOB-7|delete issue MOB-7 permanently|can you delete MOB-7|MOB-7: delete",
    expect: proposes("delete_issue", { issue_key: "MOB-7" }),
  },
];

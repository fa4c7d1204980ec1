import type { Case, Expectation } from "./cases.ts";
import { assigns, proposes, sets, toCase } from "./referents.ts";

/** Second messages that wish otherwise what waits, each behind an order that the first one is. */
export function otherwiseCases(): Case[] {
  return OTHERWISE.flatMap(({ first, others, expect }) =>
    others.map((said) => ({ ...toCase(first, "otherwise", [first, said], expect), changesBefore: true })),
  );
}

const made = (more: Record<string, unknown>): Expectation =>
  proposes("create_issue", { summary: "renew the certificate", type: "Task", project: "OPS", ...more });
const NEW = "create a task in OPS: renew the certificate";

const OTHERWISE: readonly { first: string; others: string[]; expect: Expectation }[] = [
  {
    first: "assign DEMO-4 to emi",
    others:
      `no wait, ben|actually ben|sorry, to ben|ben instead|make that ben|I meant ben|not emi, ben|change it to ben|ben please|oops ben|should be ben|hmm rather ben|to ben, not emi|no, give it to ben|wait, emi is on holiday, ben then|ah no, ben has to do it|let's take ben instead`.split(
        "|",
      ),
    expect: assigns("DEMO-4", "ben"),
  },
  {
    first: "assign DEMO-4 to emi",
    others:
      `no, DEMO-5|I meant DEMO-5|wrong one, DEMO-5|sorry, DEMO-5 not DEMO-4|DEMO-5 instead|not DEMO-4, DEMO-5|oops, DEMO-5|actually DEMO-5|that should be DEMO-5|make that DEMO-5|wrong ticket, I meant DEMO-5|and DEMO-5 too|DEMO-5 as well|same for DEMO-5|and DEMO-5|do the same with DEMO-5`.split(
        "|",
      ),
    expect: assigns("DEMO-5", "emi"),
  },
  {
    first: "move MOB-3 to done",
    others:
      `no, in review|in review I mean|make that in review|review actually|not done, in review|sorry in review|rather in review|oops, review|no wait, it should go to review|hm, review first|to review, not done|set it to in review instead|I meant review`.split(
        "|",
      ),
    expect: proposes("transition_issue", { issue_key: "MOB-3", status: "In Review" }),
  },
  {
    first: "set priority of DEMO-1 to low",
    others:
      `no, medium|medium is enough|make it medium|actually medium|sorry medium|medium instead|not low, medium|medium I meant|hm medium should do|no wait make that medium`.split(
        "|",
      ),
    expect: sets("DEMO-1", { priority: "Medium" }),
  },
  {
    first: "set the due date of OPS-5 to 2031-12-10",
    others:
      `no, 2031-12-14|2031-12-14 I mean|make it 2031-12-14|actually 2031-12-14|better 2031-12-14|not 2031-12-10, 2031-12-14|2031-12-14 instead|let's say 2031-12-14`.split(
        "|",
      ),
    expect: sets("OPS-5", { due_date: "2031-12-14" }),
  },
  {
    first: "comment on OPS-9: we deploy on monday",
    others:
      `no, say: we deploy on tuesday|make that: we deploy on tuesday|I meant: we deploy on tuesday|tuesday I mean|not monday, tuesday|sorry, tuesday|actually tuesday|change it to: we deploy on tuesday|make it tuesday`.split(
        "|",
      ),
    expect: proposes("add_comment", { issue_key: "OPS-9", body: "we deploy on tuesday" }),
  },
  {
    first: "rename MOB-19 to Wish list",
    others:
      `no, Wish lists|call it Wish lists|make that Wish lists|I meant Wish lists|sorry: Wish lists|actually Wish lists|Wish lists instead|not Wish list, Wish lists`.split(
        "|",
      ),
    expect: sets("MOB-19", { summary: "Wish lists" }),
  },
  {
    first: NEW,
    others: `make it a bug|a bug, not a task|it's a bug actually|bug instead|as a bug`.split("|"),
    expect: made({ type: "Bug" }),
  },
  {
    first: NEW,
    others: `in DEMO I mean|no, in DEMO|DEMO instead|put it in DEMO|sorry, project DEMO|not OPS, DEMO`.split(
      "|",
    ),
    expect: made({ project: "DEMO" }),
  },
  {
    first: NEW,
    others:
      `and assign it to ben|for ben|ben should do it|assign to ben please|give it to ben|ben takes it|owner is ben`.split(
        "|",
      ),
    expect: made({ assignee: "ben" }),
  },
  {
    first: NEW,
    others: `high priority|priority high|prio high please|make it high|it's high prio|and high`.split("|"),
    expect: made({ priority: "High" }),
  },
  {
    first: NEW,
    others: `label it tls|with label tls|add the label tls|and tag it tls`.split("|"),
    expect: made({ labels: ["tls"] }),
  },
];

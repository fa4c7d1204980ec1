import type { Case, Expectation } from "./cases.ts";
import { assigns, proposes, sets, toCase } from "./referents.ts";

/**
 * What people say around an order or a question: greetings, reasons, asides and thanks, before it and behind it. None
 * of them changes what is meant.
 */
export function spokenCases(): Case[] {
  return ALL.flatMap(([frames, asked]) =>
    frames.flatMap((frame, at) =>
      asked.flatMap(([said, expect], nth) =>
        (at + nth) % 2 === 0 ? [toCase("spoken", "spoken", [frame.replace("$", said)], expect)] : [],
      ),
    ),
  );
}

type Asked = readonly [said: string, expect: Expectation];

const ORDERS: readonly Asked[] = [
  ["assign DEMO-4 to ben", assigns("DEMO-4", "ben")],
  ["give OPS-9 to chloe", assigns("OPS-9", "chloe")],
  ["unassign DEMO-2", assigns("DEMO-2", null)],
  ["move MOB-3 to done", proposes("transition_issue", { issue_key: "MOB-3", status: "Done" })],
  ["set the priority of DEMO-1 to low", sets("DEMO-1", { priority: "Low" })],
  ["set the due date of OPS-5 to 2031-12-10", sets("OPS-5", { due_date: "2031-12-10" })],
  ["rename MOB-19 to 'Wish list'", sets("MOB-19", { summary: "Wish list" })],
  ["delete MOB-7", proposes("delete_issue", { issue_key: "MOB-7" })],
  [
    "comment 'we ship it on monday' on OPS-9",
    proposes("add_comment", { issue_key: "OPS-9", body: "we ship it on monday" }),
  ],
  [
    "create a bug in OPS called 'The lights are off'",
    proposes("create_issue", { project: "OPS", type: "Bug", summary: "The lights are off" }),
  ],
];

const QUESTIONS: readonly Asked[] = [
  ["show me DEMO-1", { keys: ["DEMO-1"] }],
  ["list the open bugs in OPS", { keys: { where: { project: "OPS", type: "Bug", category: "open" } } }],
  ["how many tasks are in MOB?", { count: { project: "MOB", type: "Task" } }],
  ["what's the status of OPS-4?", { keys: ["OPS-4"] }],
  ["which issues in MOB have no assignee?", { keys: { where: { project: "MOB", assignee: "none" } } }],
];

const BEFORE = `hey, $|morning! $|hi team, $|quick one: $|ok so $|when you get a minute, $|could you please $|I need you to $|please go ahead and $|just $|let's $|I'd like you to $|as discussed in the standup, $|per our chat with legal: $|to unblock QA, $|before I forget, $|for the release, $|next up: $|the customer called again. $|sorry to bother you, but $|good news: the fix works, so $|change of plans: $|while you're at it, $|one more thing - $|Ben is on vacation this week, so $|we talked about it and decided to $|do me a favour and $|it's time to $|can we $|mind if I ask you to $|you can $ now|go and $|time to $|my manager wants us to $|hey bot, can you $|yo $|thanks! now $|great. $|and also $|ok then $|after the demo today we agreed: $|todo: $|action item: $`;
const BEHIND = `$ please|$ pls|$ thx|$, thanks!|$ asap|$ when you can|$ - the customer is waiting|$ because it blocks QA|$, it has been waiting for weeks|$ so we can ship|$ for me|$ now|$ right away|$ if you can|$ if possible|$ (see the thread)|$ as agreed with emi|$ as farid suggested|$ :)|$ 🙏|$!!|$, would you?|$, ok?|$ before the release|$ - farid is on vacation|$ since we ship tomorrow|$ as it is nearly finished|$, otherwise we miss the deadline|$ and that's it|$, nothing else|$. that's all|$. sorry for the noise|$. emi told me to|$. it was a mistake|$, I checked with emi|$. the client insists|$. we need this before friday|$, you know why|$, the team lead said so|$, thank you so much for your help`;
const ASKING = `hey, $|morning! $|hi team, $|quick one: $|ok so $|when you get a minute, $|just $|before I forget, $|for the release meeting: $|next up: $|the customer called again. $|sorry to bother you, but $|while you're at it, $|one more thing - $|hey bot, $|thanks! now $|great. $|ok then $|I'm new here. $|I have a call with the client in five minutes, $|I forgot: $|stupid question maybe: $|Ben asked me: $|out of curiosity, $|$ I need it for the standup|$ asking for a friend|$ thanks in advance|$ pls|$ thx|$ asap|$ - the customer is waiting|$ my boss wants to know|$ just curious|$ :)|$ 🙏|$ I can't find it anywhere|$ can't remember|$ (for the report)|$ we're in the planning right now|$ ben and I were wondering`;

const ALL: readonly (readonly [frames: readonly string[], asked: readonly Asked[]])[] = [
  [[...BEFORE.split("|"), ...BEHIND.split("|")], ORDERS],
  [ASKING.split("|"), QUESTIONS],
];

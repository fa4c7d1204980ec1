import { beforeAll, expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";

import { demoTools, named, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const known = [
  ...peopleAndStates,
  ...["DEMO", "MOB", "OPS"].map((id) => named("project", id, `Project ${id}`)),
];
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

const MESSAGES = [
  "show me DEMO-1",
  "close DEMO-4",
  "assign DEMO-4 to Ben and make it high",
  "OPS-8 is Done. OPS-9 can go to To Do",
  "DEMO-12 is blocked by DEMO-6, link them",
  "move DEMO-4 and MOB-3 to In Review",
  "open bugs in OPS, highest priority first",
  "how many stories does Emi have in MOB?",
  "what is overdue?",
  "create a bug in DEMO, logo is blurry on retina screens, high, for Emi",
  "add OPS-19 to the epic OPS-10",
  "compare MOB-12 and MOB-14",
  "the due date of DEMO-2 should be Dec 20",
  "unassign MOB-4",
];

const KEY = /\b[A-Z]{2,5}-\d+\b/g;
/** What people put around a message, or around the keys in it. */
const WAYS: Readonly<Record<string, (message: string) => string>> = {
  "in code": (message) => message.replace(KEY, "`$&`"),
  "in bold": (message) => message.replace(KEY, "*$&*"),
  "as links": (message) => message.replace(KEY, "https://jira.example.com/browse/$&"),
  "as links with a text": (message) => message.replace(KEY, "[$&](https://jira.example.com/browse/$&)"),
  "with a number sign": (message) => message.replace(KEY, "#$&"),
  "in small letters": (message) => message.replace(KEY, (key) => key.toLowerCase()),
  "behind a mention": (message) => `@Countersign ${message}`,
  "behind a hesitation": (message) => `ok so ${message}`,
  "before thanks": (message) => `${message}${message.endsWith("?") ? "" : ","} thanks!`,
  "before a picture": (message) => `${message} 🙏`,
  "with a bang": (message) => `${message}!`,
  "trailing off": (message) => (message.endsWith("?") ? message : `${message}...`),
  "between spaces": (message) => `  ${message}  \n`,
  "behind a greeting": (message) => `Hi there! ${message}`,
  "behind an announcement": (message) => `one more thing: ${message}`,
  "with no hurry": (message) => `${message}, no rush`,
  "in a hurry": (message) => `${message} asap`,
  "where it suits": (message) => (message.endsWith("?") ? message : `${message} when you get a chance`),
  "before a kindness": (message) => `${message}, that would be great`,
  "above a name": (message) => `${message}\n– Ben`,
  "above thanks": (message) => `${message}\n\nThanks,\nEmi`,
};

const TITLES: Readonly<Record<string, string>> = {
  "DEMO-1": "Login shows a blank page when the password contains an emoji",
  "DEMO-2": "Accounts and login",
  "DEMO-4": "Login page remembers the previous customer's email on shared computers",
  "DEMO-19": 'Search finds nothing for "teapots" but everything for "teapot"',
  "MOB-3": "App crashes on login when the keyboard is set to emoji",
  "MOB-4": "Users are logged out after every update",
  "MOB-19": "Share a wish list with friends",
  "OPS-5": "Rotate the payment provider's API keys",
  "OPS-9": "Deploy on Fridays again",
};
const titled = [...known, ...Object.entries(TITLES).map(([id, name]) => named("issue", id, name))];

/** The plan's commands. */
function planOf(message: string, names = known): unknown {
  const { text, further = [] } = planner.plan(planInput(message, tools, { known: names }));
  return [text, ...further];
}

/** What the messages are planned as, with nothing around them. */
let plain: { message: string; plan: unknown }[];
let titledPlain: { message: string; plan: unknown }[];

beforeAll(() => {
  plain = MESSAGES.map((message) => ({ message, plan: planOf(message) }));
  titledPlain = ABOUT_ONE.map((message) => ({ message, plan: planOf(message, titled) }));
});

it.each(Object.entries(WAYS))("[plan.anchors] a message %s is planned as without it", (_, change) => {
  expect(MESSAGES.map((message) => ({ message, plan: planOf(change(message)) }))).toEqual(plain);
});

/** How people call an issue whose title they copied or remember. */
const CALLED: Readonly<Record<string, (title: string) => string>> = {
  "by its title": (title) => title,
  "by its title in quotes": (title) => `"${title}"`,
  "by its title in small letters": (title) => `the ${title.toLowerCase()} ticket`,
  "as what is about it": (title) => `the one about ${title}`,
  "as an issue of that title": (title) => `the issue “${title}”`,
};
const ABOUT_ONE = [
  "close DEMO-4",
  "show me DEMO-1",
  "OPS-9 is done",
  "make OPS-5 high",
  "OPS-9 belongs to ben",
  "give DEMO-19 to Emi and make it high",
  "rename MOB-19 to 'Wish list'",
  "take ben off MOB-4 please",
  "the due date of OPS-5 should be Dec 20",
  "who has DEMO-2?",
  "delete OPS-9",
  "comment on DEMO-4: we look into it",
  "todo: move MOB-3 to In Review",
  "log on OPS-9 that we ship it on monday",
];

it.each(Object.entries(CALLED))("[plan.anchors] an issue is found %s, as by its key", (_, call) => {
  const called = ABOUT_ONE.map((message) => ({
    message,
    plan: planOf(
      message.replace(KEY, (key) => call(TITLES[key] ?? "")),
      titled,
    ),
  }));
  expect(called).toEqual(titledPlain);
});

it.each([
  ['create a bug "Deploy on Fridays again" in OPS', "Deploy on Fridays again"],
  ['rename MOB-19 to "Deploy on Fridays again"', "Deploy on Fridays again"],
  ['comment on DEMO-4 that "Deploy on Fridays again" is the reason', "Deploy on Fridays again"],
  ["comment on DEMO-4: see Deploy on Fridays again", "Deploy on Fridays again"],
  ["add a task in OPS called Deploy on Fridays again", "Deploy on Fridays again"],
  ["bug in OPS: Deploy on Fridays again", "Deploy on Fridays again"],
  ["OPS-5 title: Deploy on Fridays again", "Deploy on Fridays again"],
])("[plan.anchors] a title is kept where it is a text: %s", (message, title) => {
  expect(JSON.stringify(planOf(message, titled))).toContain(title);
});

it.each([
  ['close "deploy on fridays"', "close OPS-9"],
  ["give the 'login page remembers the previous' thing to chloe", "give DEMO-4 to chloe"],
  ["action item: make the payment provider keys ticket high", "make OPS-5 high"],
])("[plan.anchors] a part that only one title has is enough: %s", (message, plain) => {
  expect(planOf(message, titled)).toEqual(planOf(plain, titled));
});

it("[plan.anchors] a quote that several titles have is none of them", () => {
  const twice = [...titled, named("issue", "OPS-30", "Deploy on Fridays once more")];
  expect(planOf('close "deploy on fridays"', twice)).not.toEqual(planOf("close OPS-9", twice));
});

it.each([
  ["ops5 status", "OPS-5 status"],
  ["DEMO4 and OPS9 to ben", "DEMO-4 and OPS-9 to ben"],
])("[plan.anchors] a key in one word is that of an issue that is known: %s", (message, plain) => {
  expect(planOf(message, titled)).toEqual(planOf(plain, titled));
});

it("[plan.anchors] a word that only looks like one names no issue", () => {
  expect(JSON.stringify(planOf("search for ops2024", titled))).not.toContain("OPS-2024");
});

it("[plan.anchors] a title that two issues have, in whatever letters, is none of them", () => {
  const twice = [...titled, named("issue", "OPS-31", "deploy on fridays AGAIN")];
  expect(planOf('close "Deploy on Fridays again"', twice)).not.toEqual(planOf("close OPS-9", twice));
});

it("[plan.sources] a card can say by which title its issue was found", () => {
  const plan = planner.plan(planInput('close "Deploy on Fridays again"', tools, { known: titled }));
  expect(plan.sources).toEqual([{ issue_key: { from: "result", ref: "Deploy on Fridays again" } }]);
});

it.each([
  ["get me DEMO-4", "show me DEMO-4"],
  ["could I have a look at DEMO-4?", "show me DEMO-4"],
  ["open bug tickets in OPS", "open bugs in OPS"],
  ["issues of type bug in MOB", "bugs in MOB"],
  ["assign the ticket DEMO-4 to @ben", "assign DEMO-4 to ben"],
  ["issue MOB-9 is done and issue DEMO-14 too", "MOB-9 is done and DEMO-14 too"],
  ["block ticket DEMO-12 by ticket OPS-4", "block DEMO-12 by OPS-4"],
  ["add issue OPS-19 to the epic OPS-10", "add OPS-19 to the epic OPS-10"],
  ["remove @ben from MOB-4", "remove ben from MOB-4"],
  ['move DEMO-4 to "In Review" and give it to Emi', "move DEMO-4 to In Review and give it to Emi"],
  ["move DEMO-4 to the in progress column", "move DEMO-4 to in progress"],
  ["tick off OPS-8 & then start OPS-9", "close OPS-8 and then start OPS-9"],
  ["mark as done: MOB-15 and MOB-17", "close MOB-15 and MOB-17"],
  ["throw away MOB-7", "delete MOB-7"],
  ["shift DEMO-4 to in review", "move DEMO-4 to in review"],
  ["DEMO-3 is done - please update it", "DEMO-3 is done, please update it"],
  ["raise the priority of DEMO-12 and also DEMO-15", "raise the priority of DEMO-12 and DEMO-15"],
  ["make DEMO-2 due the coming friday", "make DEMO-2 due friday"],
  ["what's on my plate today?", "my open issues"],
  ["how many tickets has emi open?", "how many open tickets has emi?"],
  ["how many bugs do I have open?", "how many open bugs do I have?"],
  ["i'll finish DEMO-4", "i'll take DEMO-4"],
  ["just started working on DEMO-4", "i just started with DEMO-4"],
  ["regression label off MOB-9", "remove the label regression from MOB-9"],
  ["make MOB-20 a blocker for MOB-8", "link MOB-20 blocks MOB-8"],
  ["OPS-9 can go to done, i think it's over", "OPS-9 can go to done, it's over"],
  [
    "dmitri needs another week for OPS-5, can you shift the due date accordingly?",
    "push the due date of OPS-5 back by one week",
  ],
  ["it clips again, can you leave that as a note on MOB-16", "comment on MOB-16: it clips again"],
  ["OPS-4 can lose its due date", "remove the due date of OPS-4"],
  ["OPS-12 gets the comment: day 13 of 30", "comment on OPS-12: day 13 of 30"],
  ["which tickets have the customer label", "which tickets have the label customer"],
  [
    "what is due in the next two weeks, earliest first",
    "what is due in the next two weeks, sorted by due date",
  ],
  [
    "Dear colleague, would it be possible that you close (DEMO-4)? I thank you very much.",
    "can you close DEMO-4?",
  ],
  ["please, if it makes no trouble, unassign MOB-4", "please unassign MOB-4"],
  ["MOB-19 comes with MOB-1 after all, and make it high", "move MOB-19 under the epic MOB-1; make it high"],
  ['The title of DEMO-4 reads odd. Could it say "Wish list" instead?', 'rename DEMO-4 to "Wish list"'],
  ["sorry for the noise, but I'd like to close DEMO-4", "I'd like to close DEMO-4"],
  ["how many bugs in MOB and how many in OPS?", "how many bugs in MOB? how many bugs in OPS?"],
  ["new bug for teh app: cart badge shows teh 0", "new bug for the app: cart badge shows teh 0"],
  ["move DEMO-11 to in review, but leave him as assignee", "move DEMO-11 to in review"],
  ["everything with the label privacy, closed ones too", "everything with the label privacy"],
  ["which tickets came in since monday", "which tickets created since monday"],
  ["OPS-5 slips by one week, not Farid's fault", "push the due date of OPS-5 back by one week"],
  ["bring OPS-5 forward to tuesday", "move the due date of OPS-5 to tuesday"],
  [
    "Since the copy went through, OPS-4 isn't the top emergency any more, high will do",
    "set the priority of OPS-4 to high",
  ],
  ["MOB-12 and MOB-14 can go to lowest, they only clutter my view", "set MOB-12 and MOB-14 to lowest"],
  [
    "put DEMO-26 under DEMO-20, no wait, it has nothing to do with it. Just give it high",
    "give DEMO-26 high",
  ],
  ["move MOB-4 to To Do so nobody thinks it's moving", "move MOB-4 to To Do"],
  ["unassign MOB-4, and back to to do with it", "unassign MOB-4, and move it to to do"],
  ["highest prio things right now?", "open issues with priority highest"],
  ["set DEMO-4 to medium while you're at it", "set DEMO-4 to medium"],
  ["DEMO-21 and DEMO-19 → both high", "set the priority of DEMO-21 and DEMO-19 to high"],
  ["reassign MOB-4 from me to farid", "assign MOB-4 to farid"],
  ["move OPS-5 to in progress, farid told me he started", "move OPS-5 to in progress"],
  ["label OPS-17 with on-call", 'add the label "on-call" to OPS-17'],
  ["what came in since last monday?", "which issues were created since last monday?"],
  ["can farid have MOB-16 instead of emi, she's drowning", "can farid have MOB-16"],
  [
    "everything that farid has in to do should be mine for this week",
    "give all of farid's issues with status to do to me",
  ],
])("[plan.anchors] what is said in several ways is one thing: %s", (message, plain) => {
  expect(planOf(message)).toEqual(planOf(plain));
});

it.each([
  ["comment on DEMO-4: get me the ticket DEMO-5", "get me the ticket DEMO-5"],
  ["comment on DEMO-4 that @ben has a look", "@ben has a look"],
  ["create a task in OPS called Get me the old server", "Get me the old server"],
  ["bug in OPS: get me out of the open bug tickets", "get me out of the open bug tickets"],
  ["bug in OPS: fast and also small", "fast and also small"],
  [
    "create a task in OPS to throw away the old disk and also its cable",
    "throw away the old disk and also its cable",
  ],
  ["rename DEMO-4 to Fast and also small", "Fast and also small"],
  ["rename DEMO-4 to 'Tick off open bug tickets'", "Tick off open bug tickets"],
])("[plan.anchors] what is dictated stays as it was said: %s", (message, text) => {
  expect(JSON.stringify(planOf(message))).toContain(text);
});

it.each([
  "OPS-4 is not the top emergency any more. If nobody objects, high will do",
  "everything that farid has in to do should be mine if he agrees",
  "OPS-5 slipped by two days",
])("[plan.anchors] what has a condition, or is only told, changes nothing: %s", (message) => {
  expect(JSON.stringify(planOf(message))).not.toContain("TASK");
});

it.each([
  ["drop DEMO-23 and close DEMO-21", { "DEMO-23": "Won't Do", "DEMO-21": "Done" }],
  [
    "we decided to drop DEMO-23, and DEMO-21 is ready for to do",
    { "DEMO-23": "Won't Do", "DEMO-21": "To Do" },
  ],
])("[plan.anchors] what is dropped is not moved where another one goes: %s", (message, states) => {
  const moves = Object.entries(states).map(([key, status]) => JSON.stringify({ issue_key: key, status }));
  const plan = JSON.stringify(planOf(message)).replaceAll("\\", "");
  expect(moves.filter((move) => !plan.includes(move))).toEqual([]);
});

it.each([
  [
    "MOB-9 is shipped. Close it and leave a note 'live since today'",
    "close MOB-9 and leave a note 'live since today'",
  ],
  [
    "DEMO-17 is back. Reopen it and leave a comment about that",
    "reopen DEMO-17; add a comment to DEMO-17: It is back",
  ],
])("[plan.anchors] an order behind what is told is all of it: %s", (message, order) => {
  expect(planOf(message)).toEqual(planOf(order));
});

/** What people say before an order. */
const LEADS = [
  "go ahead and",
  "please go ahead and",
  "can someone",
  "would you be able to",
  "any chance you could",
  "we should",
  "I think we need to",
  "you can",
  "next,",
  "actually,",
  "yes please,",
  "just",
  "quickly",
  "kindly",
  "do me a favor and",
  "feel free to",
];
const ORDERS = [
  "show me DEMO-1",
  "close DEMO-4",
  "assign DEMO-4 to Ben and make it high",
  "move DEMO-4 and MOB-3 to In Review",
  "unassign MOB-4",
  "delete the epic OPS-10",
  "rename DEMO-4 to 'Wish list'",
];

it.each(LEADS)("[plan.anchors] an order is the same behind “%s”", (lead) => {
  const plans = ORDERS.map((order) => ({ order, plan: planOf(order) }));
  expect(ORDERS.map((order) => ({ order, plan: planOf(`${lead} ${order}`) }))).toEqual(plans);
});

it.each([
  "we should not close DEMO-4",
  "you can never delete MOB-7",
  "feel free to close DEMO-4 if nobody is on it",
])("[plan.anchors] what is behind such words counts: %s", (message) => {
  expect(planOf(message)).not.toEqual(planOf("close DEMO-4"));
  expect(planOf(message)).not.toEqual(planOf("delete MOB-7"));
});

it.each([
  "can you comment on DEMO-4 that we ship on monday?",
  "could you add a comment on DEMO-4 saying we ship on monday?",
  "any chance you could write on DEMO-4 that we ship on monday?",
])("[plan.anchors] the question mark is that of the order, and not of its text: %s", (message) => {
  expect(planOf(message)).toEqual(planOf("comment on DEMO-4: we ship on monday"));
});

it.each([
  ["tell ben on DEMO-4 to look at it", "comment on DEMO-4: ben, please look at it"],
  ["could you remind Emi on MOB-3 to attach the logs?", "comment on MOB-3: Emi, please attach the logs"],
  ["let farid know in DEMO-11 that it is fixed", "comment on DEMO-11: farid, it is fixed"],
  ["can you comment on DEMO-4 asking whether it is done?", "comment on DEMO-4: is it done?"],
  ["can you ask Emi on MOB-3 if it's reproducible?", "comment on MOB-3: Emi, is it reproducible?"],
])("[plan.anchors] who is told something is told it in a comment: %s", (message, comment) => {
  expect(planOf(message)).toEqual(planOf(comment));
});

it.each([
  ["Shwo me DEMO-11", "Show me DEMO-11"],
  ["open isues in OPS", "open issues in OPS"],
  ["cuold you give DEMO-21 to emi?", "could you give DEMO-21 to emi?"],
  ["set the due date of DEMO-2 to friady", "set the due date of DEMO-2 to friday"],
  ["it sohuld be DEMO-4 that is bolcked by OPS-4", "it should be DEMO-4 that is blocked by OPS-4"],
  ["make OPS-10 the praent of OPS-19", "make OPS-10 the parent of OPS-19"],
  ["push the dedaline of OPS-5 to 2026-12-24", "push the deadline of OPS-5 to 2026-12-24"],
])("[plan.anchors] a slip of the keyboard is mended before anything is read: %s", (slipped, meant) => {
  expect(planOf(slipped)).toEqual(planOf(meant));
});

it.each(["change of plans: delete MOB-7", "How many defects are we sitting on at the moment?"])(
  "[plan.anchors] a word that is like one of a title is no slip of it: %s",
  (message) => {
    const titles = ["Care for the plants", "Setting up a laptop"].map((name) => named("page", name, name));
    const { text } = planner.plan(planInput(message, tools, { known: [...known, ...titles] }));
    expect([text]).toEqual(planOf(message));
  },
);

it.each([
  ["comment on DEMO-4 that teh vpn drosp on firday", "teh vpn drosp on firday"],
  ["add a comment to DEMO-4 saying we sohuld wait until firday", "we sohuld wait until firday"],
  ["comment on DEMO-4: we sohuld wait", "we sohuld wait"],
])("[plan.anchors] a dictated text keeps its slips: %s", (message, body) => {
  expect(planOf(message)).toEqual([expect.stringContaining(JSON.stringify(body))]);
});

import type { Case } from "./cases.ts";
import { proposes, toCase } from "./referents.ts";

/** New issues, in the forms in which people ask for them, with what they shall have. */
export function createdCases(): Case[] {
  return FORMS.flatMap((form, at) =>
    KINDS.flatMap(([kind, type], nth) => {
      const turn = at * 5 + nth * 3;
      const [title, summary] = TITLES[(turn + nth) % TITLES.length] ?? ["", ""];
      const [place, project] = PLACES[turn % PLACES.length] ?? ["", ""];
      const more = form.includes("MORE")
        ? (DETAILS[(turn + at) % DETAILS.length] ?? ["", {}])
        : (["", {}] as const);
      const said = form
        .replace("KIND", kind)
        .replace("PLACE", place)
        .replace("TITLE", title)
        .replace("MORE", more[0]);
      return [
        toCase(
          "created",
          "created",
          [said],
          proposes("create_issue", { project, type, summary: { matches: `^${summary}\\.?$` }, ...more[1] }),
        ),
      ];
    }),
  );
}

const KINDS = [
  ["bug", "Bug"],
  ["task", "Task"],
  ["story", "Story"],
] as const;
const PLACES = [
  ["in OPS", "OPS"],
  ["for the demo shop", "DEMO"],
  ["in MOB", "MOB"],
  ["for DEMO", "DEMO"],
] as const;
const TITLES = [
  ["the footer overlaps the map on small phones", "[Tt]he footer overlaps the map on small phones"],
  ["renew the certificate of the mail server", "[Rr]enew the certificate of the mail server"],
  ["Customers can reorder with one click", "Customers can reorder with one click"],
  ["search is slow when many people are logged in", "[Ss]earch is slow when many people are logged in"],
] as const;
const DETAILS: readonly (readonly [said: string, args: Record<string, unknown>])[] = [
  ["high priority", { priority: "High" }],
  ["assign it to ben", { assignee: "ben" }],
  ["label it seo", { labels: ["seo"] }],
  ["due 2031-12-10", { due_date: "2031-12-10" }],
  ["prio low", { priority: "Low" }],
  ["for emi", { assignee: "emi" }],
  ["high prio and assign it to ben", { priority: "High", assignee: "ben" }],
];
const FORMS: readonly string[] = [
  "create a KIND PLACE: TITLE",
  "create a KIND PLACE: TITLE, MORE",
  "new KIND PLACE: TITLE",
  "KIND PLACE: TITLE",
  "please file a KIND PLACE: TITLE. MORE",
  "open a KIND PLACE, TITLE",
  "can you create a KIND PLACE called 'TITLE'?",
  "can you create a KIND PLACE called 'TITLE', MORE?",
  "add a KIND PLACE titled 'TITLE' with MORE",
  "we need a KIND PLACE: TITLE",
  "I'd like to report a KIND PLACE: TITLE - MORE",
  "make a KIND PLACE saying TITLE",
  "make me a KIND PLACE: TITLE and MORE please",
  "create KIND 'TITLE' PLACE",
  "create KIND 'TITLE' PLACE, MORE",
  "PLACE: new KIND 'TITLE', MORE",
  "TITLE - please create a KIND PLACE for that",
  "log this as a KIND PLACE: TITLE",
  "KIND: TITLE (PLACE)",
  "could somebody create a KIND PLACE? TITLE",
];

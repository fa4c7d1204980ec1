import type { Case } from "./cases.ts";
import { readDemo } from "./demo-data.ts";
import { descriptionsOf } from "./described.ts";
import { toCase } from "./referents.ts";

/** What people ask about one issue, which they name by its key or by words of its title. */
export function askedCases(): Case[] {
  const { issues } = readDemo(new Date());
  return issues.flatMap((issue, at) =>
    [issue.key, ...descriptionsOf(issue, issues)].flatMap((words, nth) =>
      [0, 1, 2].map((more) => {
        const name =
          nth === 0 || (at + more) % 3 === 0 ? words : `the ${words} ${["one", "ticket"][(at + more) % 2]}`;
        const wording = WORDINGS[(at * 11 + nth * 5 + more * 17) % WORDINGS.length] ?? "show $";
        return toCase(issue.key, "asked", [wording.replace("$", name)], { keys: [issue.key] });
      }),
    ),
  );
}

const WORDINGS: readonly string[] =
  `what's the status of $?|is $ done?|how is $ going?|where are we with $?|$ status?|has $ been started?|is anyone working on $|who has $|who's on $?|who is working on $|who owns $|$ assignee?|whose is $?|who reported $?|who opened $|who filed $?|when is $ due?|what's the deadline for $|$ due date?|how urgent is $|what's the priority of $|is $ urgent?|prio of $?|what labels does $ have|which epic is $ in?|when was $ created|how old is $?|when was $ last updated?|any comments on $?|show the comments on $|last comment on $?|what is $ about?|describe $|tell me about $|show me $|open $|details of $ please|can you pull up $|give me a summary of $|what's going on with $|any news on $?|what do we know about $|link to $?|is $ blocked?|what blocks $?|did someone take $ already?|do we have a due date for $|who should I ask about $?|is $ still open?|remind me what $ is|what type is $|has $ been closed?|when will $ be done?|I need to see $|is there an assignee on $?`.split(
    "|",
  );

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { toTool } from "#src/mcp/catalogue/catalogue.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { checkCalls } from "#src/plan/gate.ts";

/** What requests over a server are made of: verbs and things that its changes are about, places, and records. */
const servers = {
  git: {
    places: ["in /work/repo", ""],
    verbs: "commit add stage reset create checkout switch delete merge push revert undo",
    things: "branch commit file change",
    records: ["main", "src/app.ts", "release-2"],
  },
  github: {
    places: ["in nordic/shop", ""],
    verbs: "merge close create open approve review comment fork push update delete assign label",
    things: "pull request,issue,branch,repository,file",
    records: ["pull request 17", "issue 31", "README.md"],
  },
  filesystem: {
    places: ["in /srv/data", "under /srv/app"],
    verbs: "write edit create move rename delete copy overwrite",
    things: "file folder report line",
    records: ["/srv/data/a.txt", "notes.md"],
  },
  memory: {
    places: [""],
    verbs: "create add delete remove forget relate store link note",
    things: "entity relation observation note",
    records: ["Acme", '"Project Falcon"'],
  },
  "mcp-atlassian": {
    places: ["in DEMO", ""],
    verbs: "create update assign transition close delete link comment move add edit upload copy log start",
    things: "issue page comment sprint worklog attachment watcher version",
    records: ["DEMO-3", "page 1001"],
  },
} as const;

type Parts = Record<"verb" | "done" | "thing" | "place" | "record", string>;

/** Requests that change nothing, whatever verbs stand in them. */
const reads = ({ verb, done, thing, place, record }: Parts): string[] => [
  `who ${done} the ${thing} ${place}?`,
  `who ${done} ${record} ${place}?`,
  `when was the last ${thing} ${done} ${place}`,
  `which ${thing}s were ${done} last week ${place}`,
  `show me the ${done} ${thing}s ${place}`,
  `has ${record} been ${done} yet`,
  `is ${record} ${done}?`,
  `did ben ${verb} ${record}?`,
  `how do I ${verb} a ${thing} ${place}`,
  `is it safe to ${verb} ${record}?`,
  `what happens when we ${verb} ${record}`,
  `how many ${thing}s did we ${verb} ${place} this week`,
  `list everything ben ${done} ${place}`,
  `show the ${verb} history ${place}`,
  `the last ${verb} ${place}`,
  `don't ${verb} ${record}`,
  `please do not ${verb} the ${thing} ${place}`,
  `should we ${verb} ${record}?`,
  `what is the ${verb} policy`,
  `any ${thing}s to ${verb} ${place}?`,
  `I already ${done} ${record}`,
  `before we ${verb} ${record}, show it to me`,
  `see what ben ${done} ${place}`,
  `which ${thing} should I ${verb}`,
  `check whether ${record} can be ${done}`,
  `was ${record} ${done} by mistake?`,
  `${record}: who ${done} it?`,
  `what needs to be ${done} ${place}`,
];

/** Changes that do not say of what. */
const changes = ({ verb, thing, place }: Parts): string[] => [
  `${verb} the ${thing} ${place}`,
  `${verb} a ${thing} ${place}`,
  `please ${verb} that ${thing} ${place}`,
  `${verb} the wrong ${thing} ${place}`,
  `${verb} the old ${thing}s ${place}`,
  `can you ${verb} my ${thing} ${place}`,
  `${verb} the ${thing} from yesterday ${place}`,
  `${verb} the ${thing} that ben made ${place}`,
  `${verb} one of the ${thing}s ${place}`,
  `${verb} a few ${thing}s ${place}`,
  `${verb} the ${thing} ${place} again`,
  `${verb} all ${thing}s ${place}`,
  `${verb} the last ${thing} ${place}`,
];

const DONE: Readonly<Record<string, string>> = {
  write: "written",
  reset: "reset",
  commit: "committed",
  undo: "undone",
};

const done = (verb: string): string => DONE[verb] ?? (verb.endsWith("e") ? `${verb}d` : `${verb}ed`);

/** Every so many of the requests, so that a run takes seconds: the more tools, the fewer. */
const EVERY = 61;
const EVERY_OF_MANY = 307;

function requests(server: keyof typeof servers, make: (parts: Parts) => string[]): string[] {
  const { places, verbs, things, records } = servers[server];
  const all = verbs
    .split(" ")
    .flatMap((verb) =>
      things
        .split(things.includes(",") ? "," : " ")
        .flatMap((thing) =>
          places.flatMap((place) =>
            records.flatMap((record) => make({ verb, done: done(verb), thing, place, record })),
          ),
        ),
    );
  const each = [...new Set(all.map((text) => text.replaceAll(/\s+/g, " ").trim()))];
  const every = server === "mcp-atlassian" ? EVERY_OF_MANY : EVERY;
  return each.filter((_, at) => at % every === 0);
}

describe.each(Object.keys(servers) as (keyof typeof servers)[])("[plan.sources] over %s", (server) => {
  const url = new URL(`../../fixtures/outcome/catalogues/${server}.json`, import.meta.url);
  const list = JSON.parse(readFileSync(url, "utf8")) as { server: string; tools: never[] };
  const tools: Tool[] = list.tools.map((tool) => toTool(list.server, true, tool));
  const planner = createBuiltinPlanner();

  /** The changes that would be proposed: whole, and past the gate. */
  function proposed(message: string): { tool: string; args: JsonObject }[] {
    const input = { message, history: [], observations: [], tools };
    const { text, further = [] } = planner.plan({
      ...input,
      actorName: "ana",
      examples: [],
      now: new Date(2026, 10, 23, 12),
    });
    const calls = [text, ...further].flatMap((step) =>
      [...step.matchAll(/^TASK\((.*)\)$/gm)].map(
        ([, call = ""]) => JSON.parse(call) as { tool: string; args: JsonObject },
      ),
    );
    return calls.filter((call) => {
      const required = tools.find(({ id }) => id === call.tool)?.inputSchema.required;
      const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
      const isWhole = names.every((name) => name in call.args);
      return isWhole && "ok" in checkCalls([call], { ...input, isBuiltin: true });
    });
  }

  it("proposes no change where none is wished", () => {
    const wrong = requests(server, reads).flatMap((message) =>
      proposed(message).map((call) => ({ message, call })),
    );
    expect(wrong).toEqual([]);
  });

  it("takes nothing for the record of a change that does not name it", () => {
    const where = server === "filesystem" ? [] : ["/work/repo", "nordic", "shop", "DEMO"];
    const wrong = requests(server, changes).flatMap((message) =>
      proposed(message)
        .filter(({ args }) => !Object.values(args).every((value) => where.some((place) => place === value)))
        .map((call) => ({ message, call })),
    );
    expect(wrong).toEqual([]);
  });
});

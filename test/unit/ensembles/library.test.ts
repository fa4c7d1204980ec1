import { beforeAll, describe, expect, it } from "vitest";

import type { Run } from "#servers/ensembles/engine/result.ts";
import { runEnsemble } from "#servers/ensembles/engine/run.ts";
import { factsOf, scriptsOf } from "#servers/ensembles/store/scripts.ts";
import { faultsOf, type Workshop } from "#servers/ensembles/workshop.ts";

import { workshop, type Script } from "./support.ts";

const DIFF = `diff --git a/src/login.js b/src/login.js
--- a/src/login.js
+++ b/src/login.js
@@ -1,2 +1,3 @@
-const user = find(name);
+const user = query("select * from users where name = '" + name + "'");
+const password = "hunter2hunter2";
diff --git a/src/page.js b/src/page.js
--- a/src/page.js
+++ b/src/page.js
@@ -1 +1 @@
-a
+b
`;
const SURVEY = Array.from({ length: 12 }, (_, n) => `Answer ${n}: the search is slow`).join("\n");
const LOG = `2026-11-23 10:00:01 INFO started in 32ms
2026-11-23 10:00:05 ERROR timeout after 3000ms for order 1234
2026-11-23 10:20:05 ERROR timeout after 3001ms for order 77
2026-11-23 10:21:00 INFO recovered`;

/** What a small model might answer, by what it is told to be. */
const model: Script = ({ system = "", prompt, json }) => {
  if (json && system.includes("Classify")) return '{"kind": "bug", "urgency": "high", "about": "login"}';
  if (json) return JSON.stringify({ items: prompt.split("\n").map(() => ({ theme: "Speed", mood: "bad" })) });
  if (system.includes("plain language")) return "The plan is good. We start on Monday.";
  return `Done: ${system.slice(0, 30)}`;
};

describe("[ensembles.library] the library", () => {
  let world: Workshop;
  beforeAll(() => {
    world = workshop(
      { "profiles/default.yaml": "name: default\nprovider: ollama\nmodel: qwen3:4b-instruct" },
      model,
    );
  });
  const run = (name: string, input: string): Promise<Run> =>
    runEnsemble(world.engine, world.engine.ensemble(name), input, { signal: new AbortController().signal });

  it("ships at least 12 ensembles in four categories and 12 scripts, all of them right", () => {
    const ensembles = world.project.ensembles().filter(({ source }) => source === "library");
    const scripts = scriptsOf(world.project).map(factsOf);
    expect(ensembles.length).toBeGreaterThanOrEqual(12);
    expect(scripts.length).toBeGreaterThanOrEqual(12);
    expect(new Set(ensembles.map(({ category }) => category)).size).toBeGreaterThanOrEqual(4);
    expect(ensembles.flatMap((one) => faultsOf(world.project, one))).toEqual([]);
    for (const { description } of [...scripts, ...ensembles.map(({ parsed }) => parsed.value)].flatMap(
      (one) => one ?? [],
    ))
      expect(description.length).toBeGreaterThan(20);
  });

  it.each<[string, string, object]>([
    [
      "code-review",
      DIFF,
      {
        facts: { data: { file_count: 2, added: 3, removed: 2, has_tests: false } },
        summary: { status: "success" },
      },
    ],
    ["review-by-file", DIFF, { review: { instances: [{}, {}] }, summary: { status: "success" } }],
    ["security-review", DIFF, { secrets: { data: { findings: [{ line: 7, kind: "password" }] } } }],
    [
      "meeting-notes",
      "Ana: I'll send the plan by Friday.\nBen will ask the vendor.\nTODO(Cem): book a room",
      {
        actions: {
          data: {
            items: [
              { who: "Ana", what: "send the plan", due: "Friday" },
              { who: "Ben", what: "ask the vendor" },
              { who: "Cem", what: "book a room" },
            ],
          },
        },
      },
    ],
    [
      "incident-review",
      LOG,
      { timeline: { ensemble: { name: "incident-timeline" } }, actions: { status: "success" } },
    ],
    [
      "support-triage",
      "I cannot log in!",
      { bug_report: { status: "success" }, reply: { status: "skipped" } },
    ],
    ["survey-themes", SURVEY, { tally: { data: { answers: 12, themes: [{ theme: "speed", count: 12 }] } } }],
    [
      "plain-language",
      "It is hereby made known.",
      { rewrite: { response: expect.stringContaining('"iterations":1,"terminated":"until"') } },
    ],
    ["plain-language-round", "It is hereby made known.", { measure: { data: { readable: true } } }],
    ["startup-advisory-board", "We sell umbrellas.", { recommendation: { status: "success" } }],
    ["validate-ollama", "", { validator: { status: "success" } }],
  ])("runs %s on a scripted model", async (name, input, results) => {
    const outcome = await run(name, input);
    expect(outcome.results).toMatchObject(results);
    expect(outcome.status).toBe("completed");
  });

  it.each<[string, string, object]>([
    ["secret-scan", DIFF, { count: 1 }],
    [
      "incident-timeline",
      LOG,
      { count: 4, minutes: 21, entries: [{}, {}, { minutes_of_silence_before: 20 }, {}] },
    ],
    [
      "log-triage",
      LOG,
      { group_count: 3, groups: [{ level: "error", count: 2 }, { level: "other" }, { level: "other" }] },
    ],
    [
      "translation-check",
      '{"en": {"a": "{n} files", "b": "Ready", "c": "x"}, "de": {"a": "Dateien", "b": "Fertig"}}',
      {
        texts: 3,
        findings: [
          { key: "a", fault: "placeholders differ" },
          { key: "c", fault: "missing" },
        ],
      },
    ],
    [
      "data-quality",
      "id,price\n1,10\n1,-3\n2,\n2,ten\n2,ten",
      {
        faults: expect.arrayContaining([
          expect.objectContaining({ column: "id", advice: "mend first" }),
          expect.objectContaining({ column: "price" }),
        ]),
      },
    ],
    [
      "duplicate-finder",
      "Login is slow\nprinter on fire\nThe login is slow!",
      { pairs: [{ lines: [1, 3] }] },
    ],
  ])("runs %s without any model", async (name, input, data) => {
    const outcome = await run(name, input);
    expect(Object.values(outcome.results).at(-1)?.data).toMatchObject(data);
    expect(outcome.metadata.usage.totals.total_tokens).toBe(0);
  });

  it("makes release notes of a git log", async () => {
    const log =
      "a1b2c3d feat(search): find by date\nb1b2c3d fix!: no more login by name\nc1b2c3d Bump yaml\nd1b2c3d Tidy words";
    expect((await run("release-notes", log)).deliverable).toBe(
      "# Release notes\n\n## Breaking changes\n\n- No more login by name\n\n## New\n\n- Search: find by date\n\n## Changed\n\n- Tidy words\n\n## Behind the scenes\n\n- Bump yaml",
    );
  });

  it.each(["release-notes", "incident-timeline", "translation-check", "data-quality", "review-by-file"])(
    "%s says what it expected where it got nothing",
    async (name) => {
      const { results, status } = await run(name, "");
      expect(Object.values(results)[0]).toMatchObject({
        status: "failed",
        error: expect.stringMatching(/^expected .*got n/),
      });
      expect(status).toBe("completed_with_errors");
    },
  );
});

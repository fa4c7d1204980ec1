import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { openArtifacts } from "#servers/ensembles/store/artifacts.ts";
import { invoke } from "#servers/ensembles/workshop.ts";

import { workshop } from "./support.ts";

const signal = new AbortController().signal;
const PANEL =
  "name: panel\nagents:\n  - { name: a, model_profile: local-small }\n  - { name: b, model_profile: local-small, depends_on: [a] }";

describe("[ensembles.artifacts] a run that is kept", () => {
  it("is a folder of its time with JSON and Markdown, and latest leads to it", async () => {
    const world = workshop(
      { "ensembles/panel.yaml": PANEL },
      ({ prompt }) => `said of ${prompt.split("\n")[0]}`,
    );
    const { artifact, run } = await invoke(world, "panel", "the plan", { signal, onEvent: () => {} });
    const folder = join(world.project.local, "artifacts/panel");
    expect(artifact).toMatch(/^panel\/\d{8}-\d{6}-\d{3}$/);
    expect(readlinkSync(join(folder, "latest"))).toBe(artifact.slice("panel/".length));
    expect(JSON.parse(readFileSync(join(folder, "latest/execution.json"), "utf8"))).toEqual(run);
    const report = readFileSync(join(folder, "latest/execution.md"), "utf8");
    expect(report).toContain("Completed: 2 of 2 agents succeeded.");
    expect(report).toContain("## Outcome\n\nsaid of the plan");
    expect(readdirSync(folder).toSorted()).toEqual([artifact.slice("panel/".length), "latest"]);
  });

  it("says where it stands while it goes on, and where it stood when its process is gone", async () => {
    const seen: string[] = [];
    const world = workshop({ "ensembles/panel.yaml": PANEL }, async (_, n) => {
      if (n === 1) {
        const folder = join(world.project.local, "artifacts/panel/latest");
        const read = (): { results: object; status: string; metadata: { running: string[] } } =>
          JSON.parse(readFileSync(join(folder, "execution.json"), "utf8"));
        await expect.poll(() => read().metadata.running).toEqual(["b"]);
        expect(read()).toMatchObject({ status: "running", results: { a: { status: "success" } } });
        seen.push(
          world.artifacts.read("panel", "latest").status,
          openArtifacts(world.project.local).read("panel", "latest").status,
        );
      }
      return "fine";
    });
    await invoke(world, "panel", "x", { signal, onEvent: () => {} });
    // Whoever did not begin it, in this process, knows that nobody does it any more.
    expect(seen).toEqual(["running", "interrupted"]);
    expect(world.artifacts.read("panel", "latest").status).toBe("completed");
  });

  it("has a folder of its own, however many begin at once", async () => {
    const world = workshop({ "ensembles/panel.yaml": PANEL });
    const runs = await Promise.all(
      Array.from({ length: 30 }, () => invoke(world, "panel", "x", { signal, onEvent: () => {} })),
    );
    expect(new Set(runs.map(({ artifact }) => artifact)).size).toBe(30);
    expect(world.artifacts.list("panel")).toHaveLength(30);
  });

  it("goes without a trace when it is deleted, and latest moves on", async () => {
    const world = workshop({ "ensembles/panel.yaml": PANEL });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.push(
        (await invoke(world, "panel", "x", { signal, onEvent: () => {} })).artifact.slice("panel/".length),
      );
    const folder = join(world.project.local, "artifacts/panel");
    world.artifacts.remove("panel", ids[2] ?? "");
    expect(readlinkSync(join(folder, "latest"))).toBe(ids[1]);
    world.artifacts.remove("panel", ids[0] ?? "");
    expect(readlinkSync(join(folder, "latest"))).toBe(ids[1]);
    world.artifacts.remove("panel", "latest");
    expect(readdirSync(folder)).toEqual([]);
    expect(() => world.artifacts.read("panel", ids[0] ?? "")).toThrow("there is no run panel/");
  });

  it("of llm-orc itself is read", () => {
    const foreign = {
      ensemble: "old",
      status: "completed",
      input: { data: "x" },
      results: { a: { response: "r", status: "success" } },
      synthesis: null,
      metadata: {
        agents_used: 1,
        started_at: 1757175003.639,
        duration: "1.08s",
        completed_at: 1757175004.722,
      },
    };
    const world = workshop({
      "artifacts/old/20250906-091004-722/execution.json": JSON.stringify(foreign),
      "artifacts/old/20250906-091004-723/execution.json": "{ half",
    });
    expect(world.artifacts.read("old", "20250906-091004-722")).toMatchObject({
      status: "completed",
      metadata: { started_at: "2025-09-06T16:10:03.639Z", duration_ms: 1080 },
    });
    expect(() => world.artifacts.read("old", "20250906-091004-723")).toThrow("cannot be read");
  });

  it.each(["../x", "a/b", "..", "", "a\0", "20250101-000000-000/../../x"])(
    "is never looked for at %j",
    (name) => {
      const world = workshop({});
      expect(() => world.artifacts.read(name, "latest")).toThrow(/cannot be the name/);
      expect(() => world.artifacts.read("panel", name)).toThrow("there is no run");
    },
  );
});

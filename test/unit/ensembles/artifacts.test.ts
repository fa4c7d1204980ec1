import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { openArtifacts } from "#servers/ensembles/store/artifacts.ts";
import { invoke } from "#servers/ensembles/workshop.ts";

import { toolsOf, workshop } from "./support.ts";

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
    const id = artifact?.slice("panel/".length);
    expect(readlinkSync(join(folder, "latest"))).toBe(id);
    expect(JSON.parse(readFileSync(join(folder, "latest/execution.json"), "utf8"))).toEqual(run);
    const report = readFileSync(join(folder, "latest/execution.md"), "utf8");
    expect(report).toContain("Completed: 2 of 2 agents succeeded.");
    expect(report).toContain("## Outcome\n\nsaid of the plan");
    expect(readdirSync(folder).toSorted()).toEqual([id, "latest"]);
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
        (await invoke(world, "panel", "x", { signal, onEvent: () => {} })).artifact?.slice("panel/".length) ??
          "",
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

  it("answers what came of it also where it cannot be kept to its end, and says so", async () => {
    const world = workshop({ "ensembles/panel.yaml": PANEL }, (_, n) => {
      const folder = join(world.project.local, "artifacts");
      if (n === 1) {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, "a file in its place");
      }
      return `answer ${n}`;
    });
    expect(await toolsOf(world)("invoke", { ensemble_name: "panel", input_data: "x" })).toMatchObject({
      status: "completed",
      deliverable: "answer 1",
      results: { a: { response: "answer 0" } },
      artifact: null,
      warning: expect.stringMatching(/^this run is not kept: cannot write .*ENOTDIR/),
    });
    // One that cannot even begin has asked no model yet.
    await expect(toolsOf(world)("invoke", { ensemble_name: "panel", input_data: "x" })).rejects.toThrow(
      "cannot write",
    );
  });

  it("takes away what killed processes left unfinished, but nothing that may be under way", async () => {
    const world = workshop({ "ensembles/panel.yaml": PANEL });
    const folders = ["artifacts/panel", "ensembles"].map((one) => join(world.project.local, one));
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const folder of folders) {
      for (const name of [".77-1.tmp", ".new.tmp"]) mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, ".latest-77-2.tmp"), "x");
      writeFileSync(join(folder, ".77-1.tmp/execution.json"), "{ half");
      for (const name of [".77-1.tmp", ".latest-77-2.tmp"]) utimesSync(join(folder, name), old, old);
    }
    await invoke(world, "panel", "x", { signal, onEvent: () => {} });
    await toolsOf(world)("create_ensemble", { name: "new", agents: [] });
    for (const folder of folders)
      expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([".new.tmp"]);
  });

  it("is cleaned up when it is old, whatever else lies there, and never while it is under way", async () => {
    const world = workshop({
      "ensembles/panel.yaml": PANEL,
      "ensembles/other.yaml": "name: other\nagents: []",
      "artifacts/a..b/20250101-000000-000/execution.json": "{}",
      "artifacts/.hidden/20250101-000000-000/execution.json": "{}",
      "artifacts/gone/20250101-000000-000/notes.txt": "no run at all",
      "artifacts/gone/20259999-999999-999/execution.json": "{}",
      "artifacts/gone/notes/execution.json": "{}",
      "artifacts/table.csv": "a,b",
    });
    const call = toolsOf(world);
    const clean = (more: object = {}): Promise<object> =>
      call("cleanup_artifacts", { older_than_days: 0, dry_run: false, ...more });
    const old = { deleted: ["gone/20250101-000000-000"], count: 1 };
    const seen: object[] = [];
    world.models.ask = async () => {
      seen.push(await clean());
      await expect(call("delete_artifact", { artifact_id: "panel/latest", confirm: true })).rejects.toThrow(
        /^the run panel\/latest is under way: end it first, or wait$/,
      );
      return { text: "ok", inputTokens: 1, outputTokens: 1 };
    };
    const { artifact } = await invoke(world, "panel", "x", { signal, onEvent: () => {} });
    expect(seen).toEqual([
      { dry_run: false, ...old, still_running: [artifact] },
      { dry_run: false, deleted: [], count: 0, still_running: [artifact] },
    ]);
    expect(await clean({ dry_run: true })).toEqual({ dry_run: true, would_delete: [artifact], count: 1 });
    expect(await clean()).toEqual({ dry_run: false, deleted: [artifact], count: 1 });
    expect(readdirSync(join(world.project.local, "artifacts")).toSorted()).toEqual(
      [".hidden", "a..b", "gone", "panel", "table.csv"].toSorted(),
    );
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

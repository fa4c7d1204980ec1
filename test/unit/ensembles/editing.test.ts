import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { toolsOf, workshop } from "./support.ts";

const AGENT = "agents:\n  - { name: a, model_profile: local-small }";

describe("[ensembles.crud] nothing is overwritten by something else", () => {
  const OTHER = { "ensembles/mine.yaml": `name: other\n${AGENT}` };

  it.each<[string, Record<string, string>, readonly [string, object], string]>([
    [
      "a new ensemble whose file is another ensemble's",
      OTHER,
      ["create_ensemble", { name: "mine", agents: [] }],
      'ensembles/mine.yaml is there already and is the ensemble "other": rename that file, or choose another name',
    ],
    [
      "a new ensemble whose file is broken",
      { "ensembles/mine.yaml": "name: [" },
      ["create_ensemble", { name: "mine", agents: [] }],
      'there is an ensemble "mine" already',
    ],
    [
      "a name that another ensemble has",
      { ...OTHER, "ensembles/b.yaml": `name: b\n${AGENT}` },
      ["update_ensemble", { ensemble_name: "b", changes: { name: "other" }, dry_run: false }],
      'there is an ensemble "other" already: one of the two would be hidden',
    ],
    [
      "one of the library whose file here is another ensemble's",
      { "ensembles/secret-scan.yaml": `name: other\n${AGENT}` },
      ["update_ensemble", { ensemble_name: "secret-scan", changes: { description: "ours" }, dry_run: false }],
      'ensembles/secret-scan.yaml is there already and is the ensemble "other"',
    ],
    [
      "a copy over another ensemble",
      { "ensembles/code/code-review.yaml": `name: other\n${AGENT}` },
      ["library_copy", { source: "code-review", overwrite: true }],
      'ensembles/code/code-review.yaml is another ensemble, "other"',
    ],
    [
      "a copy beside a file of its name",
      { "ensembles/ours.yaml": `name: code-review\n${AGENT}` },
      ["library_copy", { source: "code-review", overwrite: true }],
      'the project has "code-review" already, in ensembles/ours.yaml',
    ],
    [
      "a new profile whose file has others",
      { "profiles/mine.yaml": "model_profiles:\n  b: { provider: ollama, model: x }" },
      ["create_profile", { name: "mine", provider: "ollama", model: "y" }],
      "profiles/mine.yaml is there already and has b: add the profile there by hand",
    ],
    [
      "a new profile whose file cannot be read",
      { "profiles/mine.yaml": "name: mine\nprovidr: ollama" },
      ["create_profile", { name: "mine", provider: "ollama", model: "y" }],
      "profiles/mine.yaml is there already and has no profile that can be read",
    ],
    [
      "the library's profile whose file here has another",
      { "profiles/local-large.yaml": "name: b\nprovider: ollama\nmodel: x" },
      ["update_profile", { name: "local-large", changes: { max_tokens: 5 } }],
      "profiles/local-large.yaml is there already and has b",
    ],
    [
      "the name of a profile",
      { "profiles/mine.yaml": "name: mine\nprovider: ollama\nmodel: x" },
      ["update_profile", { name: "mine", changes: { name: "local-small" } }],
      "a profile keeps its name",
    ],
    [
      "a profile that goes with a broken one of its file",
      { "profiles/mine.yaml": "model_profiles:\n  mine: { provider: ollama, model: x }\n  b: { model: x }" },
      ["delete_profile", { name: "mine", confirm: true }],
      "has other things beside the profile",
    ],
  ])("%s is refused", async (_, files, call, why) => {
    const world = workshop(files);
    await expect(toolsOf(world)(...call)).rejects.toThrow(why);
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(world.project.local, path), "utf8")).toBe(text);
  });

  it("a copy replaces the copy of before, and one of the library keeps its own file", async () => {
    const world = workshop({ "ensembles/ours.yaml": `name: code-review\n${AGENT}` });
    const call = toolsOf(world);
    const destination = "ensembles/ours.yaml";
    expect(await call("library_copy", { source: "code-review", destination, overwrite: true })).toMatchObject(
      {
        copied: true,
      },
    );
    const path = join(world.project.local, "ensembles/secret-scan.yaml");
    const changes = { description: "ours" };
    expect(
      await call("update_ensemble", { ensemble_name: "secret-scan", changes, dry_run: false }),
    ).toMatchObject({ updated: true, path, backup: false });
    expect(
      await call("update_ensemble", {
        ensemble_name: "secret-scan",
        changes: { name: "scan" },
        dry_run: false,
      }),
    ).toMatchObject({ updated: true, path, backup: true, backup_path: `${path}.bak` });
  });

  it("a profile is changed where it stands, whatever its file and its key are called", async () => {
    const world = workshop({
      "profiles/team.yaml":
        "# ours\nmodel_profiles:\n  first: { name: mine, provider: ollama, model: x }\n  b: { provider: ollama, model: z }\n",
      "profiles/alone.yml": "name: other\nprovider: ollama\nmodel: x\n",
    });
    const call = toolsOf(world);
    await call("update_profile", { name: "mine", changes: { model: "y" } });
    await call("update_profile", { name: "other", changes: { model: "y" } });
    const read = (path: string): string => readFileSync(join(world.project.local, path), "utf8");
    expect(read("profiles/team.yaml")).toBe(
      "# ours\nmodel_profiles:\n  first: { name: mine, provider: ollama, model: y }\n  b: { provider: ollama, model: z }\n",
    );
    expect(read("profiles/alone.yml")).toBe("name: other\nprovider: ollama\nmodel: y\n");
  });
});

describe("[ensembles.providers] what an ensemble is told of", () => {
  it("is its own broken profile, and not that of others", async () => {
    const world = workshop({
      "config.yaml": "model_profiles:\n  good: { provider: ollama, model: x }\n  bad: { model: x }",
      "ensembles/p.yaml": "name: p\nagents:\n  - { name: a, model_profile: good }",
      "ensembles/q.yaml":
        "name: q\nagents:\n  - { name: a, model_profile: good, fallback_model_profile: bad }",
    });
    const call = toolsOf(world);
    expect(await call("validate_ensemble", { ensemble_name: "p" })).toMatchObject({ valid: true });
    expect(await call("validate_ensemble", { ensemble_name: "q" })).toMatchObject({
      valid: false,
      details: {
        errors: [
          expect.stringContaining("uses unknown profile 'bad'"),
          "config.yaml:3: model_profiles.bad.provider: provider is missing. Add provider.",
        ],
      },
    });
    expect(await call("list_profiles", { provider: "ollama" })).toMatchObject({
      errors: [expect.stringContaining("provider is missing")],
    });
  });

  it("are circles, depth and numbers of all that it runs, at once and in time", async () => {
    const children = (name: string, child: string, count: number): Record<string, string> => ({
      [`ensembles/${name}.yaml`]: `name: ${name}\nagents:\n${Array.from({ length: count }, (_, n) => `  - { name: a${n}, ensemble: ${child} }\n`).join("")}`,
    });
    const world = workshop({
      ...children("r", "s", 1),
      ...children("s", "r", 200),
      // Sixty levels of two: counted one way after the other they would be 2^60.
      ...Object.assign({}, ...Array.from({ length: 60 }, (_, n) => children(`d${n}`, `d${n + 1}`, 2))),
      "ensembles/d60.yaml": "name: d60\nagents: []",
      ...children("many", "leaves", 200),
      ...children("leaves", "leaf", 30),
      "ensembles/leaf.yaml": `name: leaf\n${AGENT}`,
    });
    const call = toolsOf(world);
    const errors = async (name: string): Promise<unknown> => {
      const { runnable, errors } = await call("check_ensemble_runnable", { ensemble_name: name });
      expect(runnable).toBe(errors === undefined);
      const { details } = await call("validate_ensemble", { ensemble_name: name });
      expect((details as { errors: string[] }).errors).toEqual(errors ?? []);
      return errors;
    };
    expect(await errors("r")).toEqual([
      "ensembles/r.yaml:2: agents: Circular dependency detected: r -> s -> r. Take one of these ensembles out of the other.",
    ]);
    expect(await errors("d0")).toEqual([
      expect.stringContaining("ensembles are nested 60 deep, and at most 5 is allowed"),
      expect.stringContaining("agents, and at most 5000 is allowed"),
    ]);
    expect(await errors("many")).toEqual([
      "ensembles/many.yaml:2: agents: with the ensembles that it runs it has 12200 agents, and at most 5000 is allowed. Run fewer ensembles, or smaller ones.",
    ]);
    expect(await errors("leaves")).toBe(undefined);
  });
});

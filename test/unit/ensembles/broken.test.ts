import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { faultsOf } from "#servers/ensembles/workshop.ts";
import { describeFault, parseEnsemble, parseProfiles } from "#servers/ensembles/engine/parse.ts";

import { page, withReference } from "../../../scripts/ensembles-page.ts";
import { workshop } from "./support.ts";

/** What is wrong, the file, and what is said of it: line, key, message and remedy. */
const BROKEN: [string, string, string][] = [
  ["an empty file", "", ":1: the file is empty. Begin with name: and agents:."],
  [
    "no map",
    "- a\n- b",
    ":1: expected an ensemble with name and agents, got something else. Begin with name: and agents:.",
  ],
  [
    "no YAML",
    "name: p\nagents: [a",
    ":2: this is no YAML: Flow sequence in block collection must be sufficiently indented and end with a ]. Mend the indentation or the quotes of this line.",
  ],
  [
    "a key twice",
    "name: p\nname: q\nagents: []",
    ":2: this is no YAML: Map keys must be unique. Mend the indentation or the quotes of this line.",
  ],
  [
    "too many aliases",
    `name: p\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\nagents: []`,
    ":1: Excessive alias count indicates a resource exhaustion attack. Write out what the aliases stand for.",
  ],
  ["no name", "description: x\nagents: []", ":1: name: name is missing. Add name."],
  ["no agents", "name: p", ":1: agents: agents is missing. Add agents."],
  [
    "agents that are no list",
    "name: p\nagents:\n  a: 1",
    ':2: agents: expected array, got {"a":1}. Change agents.',
  ],
  [
    "a name with a path",
    "name: ../p\nagents: []",
    ':1: name: expected a name of letters, digits, spaces, _, . and -, got "../p". Change name.',
  ],
  [
    "an unknown key",
    "name: p\nagents: []\ndescribtion: x",
    ':3: describtion: unknown key "describtion". Write description.',
  ],
  [
    "an unknown key of an agent",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    depend_on: [b]",
    ':5: agents[0].depend_on: unknown key "depend_on". Write depends_on.',
  ],
  [
    "an agent without a name",
    "name: p\nagents:\n  - model_profile: m",
    ":3: agents[0].name: name is missing. Add name.",
  ],
  [
    "an agent that is nothing",
    "name: p\nagents:\n  - name: a",
    ':3: agents[0].name: agent "a" says not what it is. Add model_profile, script, ensemble, loop or dispatch.',
  ],
  [
    "an agent that is two things",
    "name: p\nagents:\n  - name: a\n    script: x.js\n    model_profile: m",
    ':5: agents[0].model_profile: agent "a" is script and model at once. Keep one of them, and make another agent of the other.',
  ],
  [
    "a key of another kind",
    "name: p\nagents:\n  - name: a\n    script: x.js\n    temperature: 1",
    ":5: agents[0].temperature: temperature is nothing that a script agent has, only a model agent. Take temperature out.",
  ],
  [
    "a profile and a model",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    model: x",
    ':4: agents[0].model_profile: agent "a" has both model_profile and model. Keep model_profile, or model with provider.',
  ],
  [
    "a model without a provider",
    "name: p\nagents:\n  - name: a\n    model: llama3",
    ':4: agents[0].model: agent "a" has a model without a provider. Add provider: ollama, google-gemini or openai.',
  ],
  [
    "a provider without a model",
    "name: p\nagents:\n  - name: a\n    provider: ollama",
    ':4: agents[0].provider: agent "a" has a provider without a model. Add model: with the model\'s name.',
  ],
  [
    "two agents of one name",
    "name: p\nagents:\n  - { name: a, model_profile: m }\n  - { name: a, model_profile: m }",
    ':4: agents[1].name: two agents are called "a". Give one of them another name.',
  ],
  [
    "a dependency on nobody",
    "name: p\nagents:\n  - { name: alice, model_profile: m }\n  - name: b\n    model_profile: m\n    depends_on: [alic]",
    ':6: agents[1].depends_on: agent "b" depends on "alic", which is no agent of this ensemble. Write alice.',
  ],
  [
    "a circle",
    "name: p\nagents:\n  - { name: a, model_profile: m, depends_on: [b] }\n  - name: b\n    model_profile: m\n    depends_on: [a]",
    ":6: agents[1].depends_on: Circular dependency detected: a -> b -> a. Take one of these agents out of the other's depends_on.",
  ],
  [
    "an agent that waits for itself",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    depends_on: [a]",
    ":5: agents[0].depends_on: Circular dependency detected: a -> a. Take one of these agents out of the other's depends_on.",
  ],
  [
    "fan_out over nothing",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    fan_out: true",
    ':5: agents[0].fan_out: fan_out of agent "a" reads an agent before it, and there is none. Add depends_on with the agent that answers the list or the field.',
  ],
  [
    "input_key of nothing",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    input_key: x",
    ':5: agents[0].input_key: input_key of agent "a" reads an agent before it, and there is none. Add depends_on with the agent that answers the list or the field.',
  ],
  [
    "a condition that is none",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    when: always",
    ':5: agents[0].when: expected a condition such as ${agent.field} or ${agent.field} == "value", got "always". Change when.',
  ],
  [
    "a condition on an agent beside",
    "name: p\nagents:\n  - { name: a, model_profile: m }\n  - name: b\n    model_profile: m\n    when: ${a.ok}",
    ':6: agents[1].when: when of agent "b" reads "a", which does not end before it. Add a to depends_on of b.',
  ],
  [
    "a condition on nobody",
    "name: p\nagents:\n  - { name: alice, model_profile: m }\n  - name: b\n    model_profile: m\n    depends_on: [alice]\n    when: ${alise.ok}",
    ':7: agents[1].when: when of agent "b" reads "alise", which does not end before it. Write alice.',
  ],
  [
    "a dispatch without a reference",
    "name: p\nagents:\n  - name: a\n    dispatch: other",
    ':4: agents[0].dispatch: expected a reference such as ${agent.field}, got "other". Change dispatch.',
  ],
  [
    "a loop without an end",
    "name: p\nagents:\n  - name: a\n    loop:\n      body: b",
    ":4: agents[0].loop.until: until is missing. Add until.",
  ],
  [
    "an unknown key of a loop",
    "name: p\nagents:\n  - name: a\n    loop:\n      body: b\n      until: ${x}\n      max_iteration: 3",
    ':7: agents[0].loop.max_iteration: unknown key "max_iteration". Write max_iterations.',
  ],
  [
    "too many rounds",
    "name: p\nagents:\n  - name: a\n    loop:\n      body: b\n      until: ${x}\n      max_iterations: 1000",
    ":7: agents[0].loop.max_iterations: expected number to be <=20, got 1000. Change max_iterations.",
  ],
  [
    "no time at all",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    timeout_seconds: 0",
    ":5: agents[0].timeout_seconds: expected number to be >0, got 0. Change timeout_seconds.",
  ],
  [
    "a time in words",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    timeout_seconds: a minute",
    ':5: agents[0].timeout_seconds: expected number, got "a minute". Change timeout_seconds.',
  ],
  [
    "a temperature too high",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    temperature: 7",
    ":5: agents[0].temperature: expected number to be <=2, got 7. Change temperature.",
  ],
  [
    "an unknown format",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    output_format: xml",
    ':5: agents[0].output_format: expected one of "text"|"json", got "xml". Change output_format.',
  ],
  [
    "an unknown scope",
    "name: p\nagents:\n  - name: a\n    model_profile: m\n    input_scope: mine",
    ':5: agents[0].input_scope: expected one of "all"|"dependencies", got "mine". Change input_scope.',
  ],
  [
    "a file too long",
    `name: p\ndescription: "${"x".repeat(260_000)}"\nagents: []`,
    ":1: expected at most 256000 characters, got 260034. Split the ensemble into several.",
  ],
];

describe("[ensembles.engine] a broken file", () => {
  it.each(BROKEN)("says of %s where it is and what to do", (_, text, expected) => {
    const { faults } = parseEnsemble(text, "ensembles/p.yaml");
    expect(faults.map(describeFault)[0]).toBe(`ensembles/p.yaml${expected}`);
  });

  it("says what is wrong by what else is there", () => {
    const world = workshop({
      "ensembles/p.yaml": `name: p
agents:
  - name: a
    model_profile: local-smal
  - name: b
    script: x/none.js
  - name: c
    ensemble: code-revew
  - name: d
    model: claude
    provider: anthropic-api
  - name: e
    script: ../../etc/passwd.js
`,
      "ensembles/r.yaml": "name: r\nagents:\n  - { name: a, ensemble: s }",
      "ensembles/s.yaml": "name: s\nagents:\n  - { name: a, loop: { body: r, until: '${x}' } }",
      "profiles/bad.yaml": "name: bad\nprovider: ollama\nmodle: x",
    });
    const said = (name: string): string[] =>
      faultsOf(world.project, world.project.ensemble(name)).map(describeFault);
    expect(said("p")).toEqual([
      "ensembles/p.yaml:4: agents[0].model_profile: Agent 'a' uses unknown profile 'local-smal' (did you mean local-small?). Make it with create_profile, or name one of local-small, local-large, cloud-strong.",
      "ensembles/p.yaml:6: agents[1].script: Agent 'b': there is no script \"x/none.js\". list_scripts names them all. Make the script with create_script, or name another.",
      "ensembles/p.yaml:8: agents[2].ensemble: Agent 'c' runs unknown ensemble 'code-revew' (did you mean code-review?). Make it with create_ensemble, or name another.",
      "ensembles/p.yaml:11: agents[3].provider: Agent 'd': the provider anthropic-api is not supported: use ollama, google-gemini or an OpenAI-compatible server. Name another provider.",
      expect.stringContaining(
        "ensembles/p.yaml:13: agents[4].script: Agent 'e': \"..\" cannot be the name of a script",
      ),
    ]);
    expect(said("r")).toEqual([
      "ensembles/r.yaml:2: agents: Circular dependency detected: r -> s -> r. Take one of these ensembles out of the other.",
    ]);
    expect(world.project.profileFaults().map(describeFault)).toEqual([
      "profiles/bad.yaml:1: model: model is missing. Add model.",
      'profiles/bad.yaml:3: modle: unknown key "modle". Write model.',
    ]);
  });

  it("reads what llm-orc's files say beyond this, and names what is left out", () => {
    const { value, faults, warnings } = parseEnsemble(
      `name: served
description: as made elsewhere
task: the older word
topaz_skill: code
validation: { behavioral: [] }
agents:
  - name: first
    type: script
    script: scripts/first.py
  - name: second
    role: reviewer
    model_profile: m
    dependencies: [{ agent_name: first }]
    options: { think: false, num_ctx: 4096 }
`,
      "served.yaml",
    );
    expect(faults).toEqual([]);
    expect(value).toMatchObject({
      default_task: "the older word",
      agents: [{ kind: "script" }, { depends_on: ["first"], options: { num_ctx: 4096 } }],
    });
    expect(warnings.map(describeFault)).toEqual([
      'served.yaml:5: validation: "validation" is not supported and was left out. What a run has to fulfil is not checked.',
      'served.yaml:4: topaz_skill: "topaz_skill" is not supported and was left out. Skills are not matched.',
      'served.yaml:8: agents[0].type: "type" is not supported and was left out. The kind follows from the agent\'s keys.',
      'served.yaml:11: agents[1].role: "role" is not supported and was left out. Give the agent a model_profile with a system_prompt.',
    ]);
    const profiles = parseProfiles(
      "project: { name: x }\nmodel_profiles:\n  micro: { model: 'qwen3:0.6b', provider: ollama, cost_per_token: 0.0 }\n  broken: { model: x }",
      "config.yaml",
    );
    expect(profiles.value?.map(({ name }) => name)).toEqual(["micro"]);
    expect(profiles.faults.map(describeFault)).toEqual([
      "config.yaml:4: model_profiles.broken.provider: provider is missing. Add provider.",
    ]);
  });
});

describe("docs/ensembles.md", () => {
  it("[ensembles.engine] has every key of the file, as `npm run servers` writes them", () => {
    const text = readFileSync(page, "utf8");
    expect(withReference(text)).toBe(text);
    expect(text).toContain("| `fallback_model_profile` |");
  });
});

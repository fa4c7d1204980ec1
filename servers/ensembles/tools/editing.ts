import { readFileSync, rmSync } from "node:fs";

import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { z } from "zod";

import { ToolFailure } from "../../kit/tool.ts";
import { profileSchema } from "../engine/definition.ts";
import { providerOf, unsupported } from "../engine/models.ts";
import { describeFault, parseEnsemble } from "../engine/parse.ts";
import { isObject } from "../engine/references.ts";
import { checkName, inside, writeWhole } from "../store/paths.ts";
import {
  ensembleIn,
  type FoundEnsemble,
  meant,
  type Project,
  removeProfile,
  writeProfile,
} from "../store/project.ts";
import type { Workshop } from "../workshop.ts";
import { type AddTool, confirmSchema, nameSchema, requireConfirmed } from "./register.ts";

const changesSchema = z
  .record(z.string(), z.unknown())
  .describe('Keys to set, such as {"description": "…"}; null takes a key out');

/** Tools that make, change and delete ensembles. */
export function addEnsembleEditing(add: AddTool, { project }: Workshop): void {
  add(
    "create_ensemble",
    {
      title: "Create an ensemble",
      description: "Make a new ensemble in the project, of agents or as a copy of another ensemble.",
      input: {
        name: nameSchema.describe("Name of the new ensemble"),
        description: z.string().max(4000).default("").describe("What it is for"),
        agents: z
          .array(z.record(z.string(), z.unknown()))
          .max(200)
          .describe(
            'Agents as the file has them, such as [{"name": "a", "model_profile": "local-small"}]; [] for those of the template',
          ),
        from_template: z.string().max(120).optional().describe("An ensemble whose agents it gets"),
      },
      effect: "write",
    },
    ({ name, description, agents, from_template: template }) => {
      checkName("an ensemble", name);
      if (project.ensembles().some((one) => one.name === name && one.source === "local")) {
        throw new ToolFailure(
          "exists",
          `there is an ensemble "${name}" already: change that one, or choose another name`,
        );
      }
      requireFree(project, `${name}.yaml`);
      const from = template === undefined ? undefined : project.ensemble(template);
      const document = parseDocument(from === undefined ? "{}" : readFileSync(from.path, "utf8"));
      if (isMap(document.contents)) document.contents.flow = false;
      document.set("name", name);
      if (description !== "" || from === undefined) document.set("description", description);
      if (agents.length > 0 || from === undefined) document.set("agents", document.createNode(agents));
      const path = writeEnsemble(project, `${name}.yaml`, document.toString());
      return { created: true, name, path };
    },
  );

  add(
    "update_ensemble",
    {
      title: "Change an ensemble",
      description:
        "Change an ensemble's file. Without dry_run: false it only shows what the file would be. One of the library " +
        "or of all projects becomes the project's own.",
      input: {
        ensemble_name: nameSchema.describe("Name of the ensemble"),
        changes: changesSchema.describe(
          'Keys to set, such as {"description": "…"}; null takes a key out. agents is the whole list, or changes by ' +
            'name such as {"reviewer": {"model_profile": "local-small"}}',
        ),
        dry_run: z.boolean().default(true).describe("true: only show what would be written"),
        backup: z.boolean().default(true).describe("Keep the file as it was beside it, as .bak"),
      },
      effect: "write",
    },
    ({ ensemble_name: name, changes, dry_run: isDryRun, backup }) => {
      const found = project.ensemble(name);
      const before = readFileSync(found.path, "utf8");
      const text = changed(before, changes);
      const renamed = typeof changes.name === "string" ? checkName("an ensemble", changes.name) : name;
      if (renamed !== name && project.ensembles().some((one) => one.name === renamed)) {
        throw new ToolFailure(
          "exists",
          `there is an ensemble "${renamed}" already: one of the two would be hidden. Choose another name`,
        );
      }
      const isLocal = found.source === "local";
      const target = isLocal ? found.relativePath : `${renamed}.yaml`;
      if (!isLocal) requireFree(project, target);
      const errors = parseEnsemble(text, `ensembles/${target}`).faults.map(describeFault);
      const path = inside(project.local, "ensembles", ...target.split("/"));
      const facts = { ensemble: name, path, changes, valid: errors.length === 0, errors, preview: text };
      if (isDryRun) return { dry_run: true, updated: false, ...facts };
      const backupPath = `${path}.bak`;
      // What comes from another folder stays there as it was.
      const isKept = backup && isLocal;
      if (isKept && errors.length === 0) writeWhole(backupPath, before);
      writeEnsemble(project, target, text);
      return {
        dry_run: false,
        updated: true,
        ...facts,
        ...(isKept ? { backup: true, backup_path: backupPath } : { backup: false }),
      };
    },
  );

  add(
    "delete_ensemble",
    {
      title: "Delete an ensemble",
      description:
        "Delete an ensemble of the project. Those of the library and of all projects cannot be deleted.",
      input: { ensemble_name: nameSchema.describe("Name of the ensemble"), confirm: confirmSchema },
      effect: "delete",
    },
    ({ ensemble_name: name, confirm }) => {
      const found = project.ensemble(name);
      requireLocal(found);
      requireConfirmed(confirm, `the ensemble "${name}"`);
      rmSync(inside(project.local, "ensembles", ...found.relativePath.split("/")));
      return { deleted: true, name };
    },
  );
}

function requireLocal({ name, source }: FoundEnsemble): void {
  if (source === "local") return;
  throw new ToolFailure(
    "not_local",
    `"${name}" is of the ${source} folder, which is only read; only the project's own can be deleted`,
  );
}

/** Throws a ToolFailure `exists` where a file of this name has something else in it. */
function requireFree(project: Project, relativePath: string): void {
  const other = ensembleIn(inside(project.local, "ensembles", relativePath));
  if (other === undefined) return;
  throw new ToolFailure(
    "exists",
    `ensembles/${relativePath} is there already and is the ensemble "${other}": rename that file, or choose another name`,
  );
}

/** Writes an ensemble that is one. Throws a ToolFailure with its faults otherwise. */
function writeEnsemble(project: Project, relativePath: string, text: string): string {
  const [first, ...more] = parseEnsemble(text, `ensembles/${relativePath}`).faults;
  if (first !== undefined) {
    const rest =
      more.length === 0 ? "" : ` And ${more.length} more: ${more.slice(0, 5).map(describeFault).join(" ")}`;
    throw new ToolFailure("invalid_ensemble", `nothing was written: ${describeFault(first)}${rest}`);
  }
  const path = inside(project.local, "ensembles", ...relativePath.split("/"));
  writeWhole(path, text);
  return path;
}

/** The file with its changes; comments and the order of keys stay. */
function changed(text: string, changes: Record<string, unknown>): string {
  const document = parseDocument(text);
  for (const [key, value] of Object.entries(changes)) {
    const agents = document.get("agents");
    if (key === "agents" && isObject(value) && isSeq(agents)) {
      for (const [name, keys] of Object.entries(value)) {
        const index = agents.items.findIndex((item) => isMap(item) && item.get("name") === name);
        const names = agents.items.map((item) => (isMap(item) ? String(item.get("name")) : ""));
        if (index < 0)
          throw new ToolFailure(
            "unknown_agent",
            `there is no agent "${name}"${meant(name, names)}. There are: ${names.join(", ")}`,
          );
        if (keys === null) document.deleteIn(["agents", index]);
        for (const [one, given] of Object.entries(isObject(keys) ? keys : {})) {
          if (given === null) document.deleteIn(["agents", index, one]);
          else document.setIn(["agents", index, one], document.createNode(given));
        }
      }
    } else if (value === null) {
      document.delete(key);
    } else {
      document.set(key, document.createNode(value));
    }
  }
  return document.toString();
}

const PROFILE_KEYS = {
  system_prompt: profileSchema.shape.system_prompt.unwrap().optional(),
  timeout_seconds: profileSchema.shape.timeout_seconds.unwrap().optional(),
  temperature: profileSchema.shape.temperature.unwrap().optional(),
  max_tokens: profileSchema.shape.max_tokens.unwrap().optional(),
};

/** Tools for profiles of models. */
export function addProfiles(add: AddTool, { project }: Workshop): void {
  const find = (name: string): NonNullable<ReturnType<Project["profile"]>> => {
    const found = project.profile(checkName("a profile", name));
    if (found !== undefined) return found;
    const names = project.profiles().map(({ profile }) => profile.name);
    throw new ToolFailure(
      "unknown_profile",
      `there is no profile "${name}"${meant(name, names)}. There are: ${names.join(", ")}`,
    );
  };
  const check = (profile: unknown): z.infer<typeof profileSchema> => {
    const checked = profileSchema.safeParse(profile);
    if (checked.success) return checked.data;
    const faults = checked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new ToolFailure(
      "invalid_profile",
      `nothing was written: ${faults.join("; ")}. Known keys: ${Object.keys(profileSchema.shape).join(", ")}`,
    );
  };

  add(
    "list_profiles",
    {
      title: "List model profiles",
      description: "List the profiles of models that agents name: provider, model, prompt and limits.",
      input: {
        provider: z.string().max(60).optional().describe("Only those of this provider, such as ollama"),
      },
      effect: "read",
    },
    ({ provider }) => {
      const profiles = listProfiles({ project }).filter(
        (one) => provider === undefined || one.provider === provider,
      );
      const errors = project.profileFaults().map(describeFault);
      return { profiles, count: profiles.length, ...(errors.length === 0 ? {} : { errors }) };
    },
  );

  add(
    "create_profile",
    {
      title: "Create a model profile",
      description: "Make a profile of a model in the project, which agents then name as model_profile.",
      input: {
        name: nameSchema.describe("Name of the profile"),
        provider: z.string().min(1).max(60).describe("ollama, google-gemini or openai-compatible"),
        model: z.string().min(1).max(200).describe("Name of the model, such as qwen3:4b-instruct"),
        ...PROFILE_KEYS,
      },
      effect: "write",
    },
    (given) => {
      checkName("a profile", given.name);
      if (providerOf(given.provider) === undefined)
        throw new ToolFailure("unsupported_provider", unsupported(given.provider));
      if (project.profile(given.name)?.source === "local") {
        throw new ToolFailure(
          "exists",
          `there is a profile "${given.name}" already: change it with update_profile`,
        );
      }
      return { created: true, name: given.name, path: writeProfile(project, check(withoutUndefined(given))) };
    },
  );

  add(
    "update_profile",
    {
      title: "Change a model profile",
      description:
        "Change a profile of a model. One of the library or of all projects becomes the project's own.",
      input: { name: nameSchema.describe("Name of the profile"), changes: changesSchema },
      effect: "write",
    },
    ({ name, changes }) => {
      const found = find(name);
      if ("name" in changes && changes.name !== name) {
        throw new ToolFailure(
          "renamed",
          `a profile keeps its name, which agents name it by: make another with create_profile`,
        );
      }
      const merged = check(withoutUndefined({ ...found.profile, ...changes, name }, null));
      if (found.source !== "local") {
        return { updated: true, name, path: writeProfile(project, merged), changes };
      }
      const document = parseDocument(readFileSync(found.path, "utf8"));
      const at = placeOf(document, name);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) document.deleteIn([...at, key]);
        else document.setIn([...at, key], document.createNode(value));
      }
      writeWhole(found.path, document.toString());
      return { updated: true, name, path: found.path, changes };
    },
  );

  add(
    "delete_profile",
    {
      title: "Delete a model profile",
      description: "Delete a profile of the project.",
      input: { name: nameSchema.describe("Name of the profile"), confirm: confirmSchema },
      effect: "delete",
    },
    ({ name, confirm }) => {
      const found = find(name);
      requireConfirmed(confirm, `the profile "${name}"`);
      removeProfile(found, project);
      return { deleted: true, name };
    },
  );
}

/** Where a profile stands in its file: under its key in `model_profiles`, or it is the whole file. */
function placeOf(document: Document, name: string): string[] {
  const several = document.get("model_profiles");
  if (!isMap(several)) return [];
  const own = several.items.find(({ value }) => isMap(value) && value.get("name") === name);
  return ["model_profiles", own === undefined ? name : String(own.key)];
}

export function listProfiles({
  project,
}: Pick<Workshop, "project">): (z.infer<typeof profileSchema> & { source: string })[] {
  return project.profiles().map(({ profile, source }) => ({ ...profile, source }));
}

function withoutUndefined(object: object, ...more: null[]): object {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && !more.includes(value as null)),
  );
}

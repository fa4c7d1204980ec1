import { z } from "zod";

import type { Agent, Profile } from "../engine/definition.ts";
import { hasModel, type ProviderStatus, providerOf, unsupported } from "../engine/models.ts";
import { describeFault } from "../engine/parse.ts";
import { messageOf } from "../../kit/tool.ts";
import { nestingFaults, type Workshop } from "../workshop.ts";
import { artifactOf, type AddTool, confirmSchema, nameSchema, requireConfirmed } from "./register.ts";

const DAY_MS = 86_400_000;

/** Tools for runs that are kept. */
export function addArtifacts(add: AddTool, { artifacts, engine }: Workshop): void {
  add(
    "delete_artifact",
    {
      title: "Delete a run",
      description: "Delete a run that was kept.",
      input: {
        artifact_id: nameSchema.describe("ENSEMBLE/TIMESTAMP, such as code-review/20261123-101500-123"),
        confirm: confirmSchema,
      },
      effect: "delete",
    },
    ({ artifact_id: id, confirm }) => {
      const { ensemble, run } = artifactOf(id);
      artifacts.read(ensemble, run);
      requireConfirmed(confirm, `the run ${id}`);
      artifacts.remove(ensemble, run);
      return { deleted: true, artifact_id: id };
    },
  );

  add(
    "cleanup_artifacts",
    {
      title: "Clean up old runs",
      description:
        "Delete runs that are older than some days, but none that is under way. Without dry_run: false it only lists them.",
      input: {
        older_than_days: z.number().min(0).max(36_500).describe("Age in days from which they are deleted"),
        ensemble_name: z.string().max(400).optional().describe("Only runs of this ensemble"),
        dry_run: z.boolean().default(true).describe("true: only list what would be deleted"),
      },
      effect: "delete",
    },
    ({ older_than_days: days, ensemble_name: only, dry_run: isDryRun }) => {
      const before = engine.clock.now() - days * DAY_MS;
      const ensembles = only === undefined ? artifacts.ensembles() : [only];
      const old = ensembles.flatMap((ensemble) =>
        artifacts.list(ensemble).flatMap((id) => (timeOf(id) <= before ? [{ ensemble, id }] : [])),
      );
      const running = old.filter(({ ensemble, id }) => artifacts.isRunning(ensemble, id));
      const over = old.filter((one) => !running.includes(one));
      const names = (runs: typeof old): string[] => runs.map(({ ensemble, id }) => `${ensemble}/${id}`);
      const left = running.length === 0 ? {} : { still_running: names(running) };
      if (isDryRun) return { dry_run: true, would_delete: names(over), count: over.length, ...left };
      const failed = over.flatMap((one) => {
        try {
          artifacts.remove(one.ensemble, one.id);
          return [];
        } catch (error) {
          // One that cannot go is no reason to keep the others.
          return [{ one, why: `${one.ensemble}/${one.id}: ${messageOf(error)}` }];
        }
      });
      const deleted = names(over.filter((run) => failed.every(({ one }) => one !== run)));
      const kept = failed.length === 0 ? {} : { failed: failed.map(({ why }) => why) };
      return { dry_run: false, deleted, count: deleted.length, ...kept, ...left };
    },
  );
}

function timeOf(id: string): number {
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})$/, "$1-$2-$3T$4:$5:$6.$7Z"));
}

/** Tools that say which models are within reach. */
export function addProviders(add: AddTool, workshop: Workshop): void {
  add(
    "get_provider_status",
    {
      title: "Providers of models",
      description: "Say which providers of models are configured and answer, and which models Ollama has.",
      input: {},
      effect: "read",
    },
    async (_, context) => ({ providers: await workshop.models.status(context.mcpReq.signal) }),
  );

  add(
    "check_ensemble_runnable",
    {
      title: "Can an ensemble run?",
      description:
        "Say whether an ensemble can run with what is configured now, and name local profiles in place of what is missing.",
      input: { ensemble_name: nameSchema.describe("Name of the ensemble") },
      effect: "read",
    },
    async ({ ensemble_name: name }, context) => {
      const { project, models } = workshop;
      const found = project.ensemble(name);
      const nesting = nestingFaults(project, found);
      const errors = [...found.parsed.faults, ...nesting].map(describeFault);
      const world = {
        workshop,
        profiles: project.profiles().map(({ profile }) => profile),
        statuses: await models.status(context.mcpReq.signal),
        // Those that run in circles, or are too many, have no end to look into.
        isDeep: nesting.length === 0,
      };
      const agents = inspect(world, found.parsed.value?.agents ?? [], "");
      const isRunnable = errors.length === 0 && agents.every(({ status }) => status === "available");
      return { ensemble: name, runnable: isRunnable, agents, ...(errors.length === 0 ? {} : { errors }) };
    },
  );
}

interface Inspected {
  name: string;
  profile: string;
  provider: string;
  status: "available" | "missing_profile" | "provider_unavailable" | "missing_script" | "missing_ensemble";
  alternatives: string[];
  reason?: string;
}

type Statuses = Record<string, ProviderStatus>;

interface World {
  workshop: Workshop;
  profiles: readonly Profile[];
  statuses: Statuses;
  /** Whether the ensembles that agents run are looked into. */
  isDeep: boolean;
}

/** Also looks into the ensembles that agents run, whose agents are named AGENT/CHILD. */
function inspect(world: World, agents: readonly Agent[], prefix: string): Inspected[] {
  const { engine } = world.workshop;
  return agents.flatMap((agent): Inspected[] => {
    const name = `${prefix}${agent.name}`;
    const child = agent.ensemble ?? agent.loop?.body;
    if (child !== undefined) {
      if (!world.isDeep) return [];
      try {
        return inspect(world, engine.ensemble(child).agents, `${name}/`);
      } catch (error) {
        const base = { name, profile: "", provider: "ensemble", alternatives: [] };
        return [{ ...base, status: "missing_ensemble", reason: messageOf(error) }];
      }
    }
    if (agent.script !== undefined) {
      const base = { name, profile: "", provider: "script", alternatives: [] };
      try {
        engine.script(agent.script);
        return [{ ...base, status: "available" }];
      } catch (error) {
        return [{ ...base, status: "missing_script", reason: messageOf(error) }];
      }
    }
    if (agent.kind === "dispatch") return [];
    return [inspectModel(world, agent, name)];
  });
}

function inspectModel({ profiles, statuses }: World, agent: Agent, name: string): Inspected {
  const named = agent.model_profile;
  const profile =
    named === undefined
      ? { name: "", provider: agent.provider ?? "", model: agent.model ?? "" }
      : profiles.find((one) => one.name === named);
  if (profile === undefined) {
    const alternatives = localProfiles(profiles, statuses, named ?? "");
    return {
      name,
      profile: named ?? "",
      provider: "",
      status: "missing_profile",
      alternatives,
      reason: `there is no profile "${named ?? ""}"`,
    };
  }
  const why = whyUnavailable(profile, statuses);
  const base = { name, profile: profile.name, provider: profile.provider };
  if (why === undefined) return { ...base, status: "available", alternatives: [] };
  const alternatives = localProfiles(
    profiles.filter((one) => one.name !== profile.name),
    statuses,
    `${profile.name} ${profile.model}`,
  );
  return { ...base, status: "provider_unavailable", alternatives, reason: why };
}

function whyUnavailable(
  { provider, model }: Pick<Profile, "provider" | "model">,
  statuses: Statuses,
): string | undefined {
  const known = providerOf(provider);
  if (known === undefined) return unsupported(provider);
  const { available = false, reason = "", models } = statuses[known] ?? {};
  if (!available) return reason;
  if (models === undefined || hasModel(models, model)) return undefined;
  return `Ollama has no model ${model}: ollama pull ${model}`;
}

/** Names of local profiles in place of one, those first that answer now, and then by like size and kind. */
function localProfiles(profiles: readonly Profile[], statuses: Statuses, wanted: string): string[] {
  const distance = (profile: Profile): number => {
    const text = `${profile.name} ${profile.model}`;
    const isOtherKind = /code/i.test(text) !== /code|review|security/i.test(wanted);
    return Math.abs(Math.log2(sizeOf(text)) - Math.log2(sizeOf(wanted))) + (isOtherKind ? 0.5 : 0);
  };
  return profiles
    .filter(({ provider }) => provider === "ollama")
    .map((profile) => ({
      name: profile.name,
      isThere: whyUnavailable(profile, statuses) === undefined,
      distance: distance(profile),
    }))
    .toSorted(
      (a, b) =>
        Number(b.isThere) - Number(a.isThere) || a.distance - b.distance || a.name.localeCompare(b.name),
    )
    .slice(0, 5)
    .map(({ name }) => name);
}

/** Billions of parameters, as names of models have them; a name without is a cloud's, which are large. */
function sizeOf(name: string): number {
  const found = /(\d+(?:\.\d+)?)b\b/i.exec(name)?.[1];
  if (found !== undefined) return Math.max(0.1, Number(found));
  return /micro|tiny|small|mini/i.test(name) ? 2 : 70;
}

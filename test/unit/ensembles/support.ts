import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

import type { ModelAnswer, ModelRequest, Models } from "#servers/ensembles/engine/models.ts";
import { parseEnsemble } from "#servers/ensembles/engine/parse.ts";
import type { Ensemble } from "#servers/ensembles/engine/definition.ts";
import type { Clock, Engine } from "#servers/ensembles/engine/agent.ts";
import { addArtifacts, addProviders } from "#servers/ensembles/tools/housekeeping.ts";
import { addEnsembleEditing, addProfiles } from "#servers/ensembles/tools/editing.ts";
import { addLibrary } from "#servers/ensembles/tools/library.ts";
import type { AddTool } from "#servers/ensembles/tools/register.ts";
import { addRunning } from "#servers/ensembles/tools/running.ts";
import { openWorkshop, type Workshop } from "#servers/ensembles/workshop.ts";

/** A folder of its own with these files in `.llm-orc`, which goes with the home of the test file. */
export function projectFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "ensembles-"));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, ".llm-orc", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** What the server is given: nothing of this machine but its programs. */
export function environment(folder: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: folder, ENSEMBLES_PROJECT: folder, ...more };
}

/** A workshop over these files whose models answer by `script`. */
export function workshop(
  files: Record<string, string>,
  script: Script = () => "ok",
): Workshop & { folder: string } {
  const folder = projectFolder(files);
  const open = openWorkshop(environment(folder));
  const models = scriptedModels(script);
  return { ...open, models, engine: { ...open.engine, models }, folder };
}

/** Calls the tools as the server does, without a protocol between. */
export function toolsOf(world: Workshop): (name: string, args: object) => Promise<Record<string, unknown>> {
  const tools = new Map<string, (args: object) => Promise<object> | object>();
  const mcpReq = { signal: new AbortController().signal, log: () => Promise.resolve() };
  const add: AddTool = (name, { input }, run) => {
    const schema = z.strictObject(input);
    tools.set(name, (args) => run(schema.parse(args), { mcpReq } as unknown as ServerContext));
  };
  for (const one of [addEnsembleEditing, addProfiles, addLibrary, addRunning, addArtifacts, addProviders])
    one(add, world);
  return async (name, args) => (await tools.get(name)?.(args)) as Record<string, unknown>;
}

export type Script = (request: ModelRequest, n: number) => string | Error | Promise<string>;

/** Models that answer by a script, and count a token a word. */
export function scriptedModels(script: Script): Models & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    asked,
    async ask(request): Promise<ModelAnswer> {
      const text = await script(request, asked.push(request) - 1);
      if (text instanceof Error) throw text;
      request.signal.throwIfAborted();
      return {
        text,
        inputTokens: request.prompt.split(/\s+/).length,
        outputTokens: text.split(/\s+/).length,
      };
    },
    status: () =>
      Promise.resolve({
        ollama: { available: true, reason: "it answers", models: ["qwen3:4b-instruct"] },
        "google-gemini": { available: false, reason: "not configured" },
        "openai-compatible": { available: false, reason: "not configured" },
        "anthropic-api": { available: false, reason: "not supported" },
        "anthropic-claude-pro-max": { available: false, reason: "not supported" },
      }),
  };
}

/** Time that stands still until it is moved on. */
export function fakeClock(): Clock & { advance(ms: number): void } {
  let now = Date.parse("2026-11-23T10:15:00.123Z");
  const waiting = new Set<{ at: number; work: () => void }>();
  return {
    now: () => now,
    after(ms, work) {
      const one = { at: now + ms, work };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    advance(ms) {
      now += ms;
      for (const one of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(one);
        one.work();
      }
    },
  };
}

/** An engine without files: models by a script, scripts by name, ensembles by their text. */
export function engine(options: {
  script?: Script;
  scripts?: Record<string, (input: unknown, call: { signal: AbortSignal; parameters: object }) => unknown>;
  ensembles?: Record<string, string>;
  clock?: Clock;
  limit?: Engine["limit"];
}): Engine & { models: ReturnType<typeof scriptedModels> } {
  const {
    script = ({ prompt }) => `heard: ${prompt}`,
    scripts = {},
    ensembles = {},
    clock = fakeClock(),
  } = options;
  return {
    models: scriptedModels(script),
    clock,
    limit: options.limit ?? ((work) => work()),
    cache: new Map(),
    profile: (name) =>
      name.startsWith("no-")
        ? undefined
        : { name, provider: "ollama", model: `${name}-model`, cost_per_token: 0.001 },
    ensemble(name) {
      const text = ensembles[name];
      if (text === undefined) throw new Error(`there is no ensemble "${name}"`);
      return ensemble(text);
    },
    script: (path) => ({ file: path, root: "/", cwd: "/", hidden: "/nowhere", version: "1" }),
    async runScript({ file, input, signal, parameters }) {
      const run = scripts[file];
      if (run === undefined) throw new Error(`there is no script "${file}"`);
      try {
        const data = await run(input, { signal, parameters });
        return { success: true, data, output: JSON.stringify({ success: true, data }), sandboxed: true };
      } catch (error) {
        return { success: false, data: null, error: (error as Error).message, output: "", sandboxed: true };
      }
    },
  };
}

/** An ensemble of its text, which has to be right. */
export function ensemble(text: string): Ensemble {
  const { value, faults } = parseEnsemble(text, "test.yaml");
  if (value === undefined || faults.length > 0) throw new Error(JSON.stringify(faults));
  return value;
}

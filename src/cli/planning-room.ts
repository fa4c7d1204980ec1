import type { CommandInfo } from "#contract/core.ts";
import type { EmbedPort } from "#contract/model.ts";
import type { Planner } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { Logger } from "pino";

import { newId } from "../base/ids.ts";
import { createModelSelector, type ModelSelector } from "../model/selector.ts";
import { type ArgumentChecker, createArgumentChecker } from "../plan/arguments.ts";
import { createBuiltinPlanner } from "../plan/builtin/planner.ts";
import { createPlanner } from "../plan/planner.ts";
import { loadPrompts } from "../plan/prompts.ts";
import { createToolSelector } from "../plan/select-tools.ts";
import { createToolMeaning, type ToolMeaningOptions } from "../plan/tool-meaning.ts";
import type { Settings } from "../settings/load.ts";

const HISTORY_TOKENS = 1_200;

/** Who plans: the models that the settings name, or none. */
export interface PlanningRoom {
  models: ModelSelector;
  checker: ArgumentChecker;
  planner: Planner;
  /** Told of the catalogue as it is now, to be ready for choosing among it. Never rejects. */
  see(tools: readonly Tool[]): Promise<void>;
  close(): void;
}

export async function openPlanning(
  settings: Settings,
  parts: {
    /** The folder of the stages' prompts. */
    folder: string;
    commands: CommandInfo[];
    find: (name: string) => Tool | undefined;
    embedder: () => EmbedPort | undefined;
    vectors: ToolMeaningOptions["kept"];
    now: () => number;
    log: Logger;
  },
): Promise<PlanningRoom> {
  const prompts = await loadPrompts(parts.folder);
  const models = createModelSelector({ ...settings.model, log: parts.log });
  const builtin = createBuiltinPlanner();
  const checker = createArgumentChecker();
  const meaning = createToolMeaning({
    // Without a model that plans nobody would read what is chosen.
    embedder: () =>
      settings.model.tools_by_meaning && models.current().port !== undefined ? parts.embedder() : undefined,
    kept: parts.vectors,
    now: parts.now,
    log: parts.log,
  });
  const select = createToolSelector(settings.limits.tool_tokens, (input, signal) =>
    meaning.rank(input, signal),
  );
  const planner = createPlanner({
    prompts,
    checker,
    commands: () => parts.commands,
    find: parts.find,
    builtin,
    model: () => models.current().port,
    onModelFailure: () => {
      void models.refresh();
      const { provider, fallback } = settings.model;
      return { fallBack: provider === "auto" || fallback.includes("builtin") };
    },
    select,
    resultChars: settings.limits.result_chars_to_model,
    historyTokens: HISTORY_TOKENS,
    tokensPerTurn: settings.limits.tokens_per_turn,
    secret: newId("prompt"),
  });
  return {
    models,
    checker,
    planner,
    async see(tools) {
      if (await select.prepare(tools)) meaning.prepare(tools);
    },
    close() {
      models.stop();
      meaning.close();
    },
  };
}

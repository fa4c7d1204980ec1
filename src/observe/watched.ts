import type { ModelPort } from "#contract/model.ts";
import type { Planner } from "#contract/plan.ts";
import type { MessagePort } from "#contract/present.ts";
import type { ToolBox } from "#contract/tool.ts";

import { codeOf } from "../base/errors.ts";
import type { Recorder } from "./metrics.ts";

// What is done through a port is watched where the port is handed over: the rooms on both sides know nothing of it.

/** How long `work` took, in milliseconds, told to `ended` with what it came to. */
async function timed<Result>(
  work: () => Promise<Result>,
  ended: (ms: number, came: { result: Result } | { error: unknown }) => void,
): Promise<Result> {
  const begun = performance.now();
  try {
    const result = await work();
    ended(performance.now() - begun, { result });
    return result;
  } catch (error) {
    ended(performance.now() - begun, { error });
    throw error;
  }
}

export function watchedTools<Box extends ToolBox>(tools: Box, record: Pick<Recorder, "toolCalled">): Box {
  return {
    ...tools,
    call: (request) =>
      timed(
        () => tools.call(request),
        (ms, came) => {
          if ("result" in came) record.toolCalled(request.tool, came.result, ms);
        },
      ),
  };
}

export function watchedModel(model: ModelPort, record: Pick<Recorder, "modelAsked">): ModelPort {
  return {
    provider: model.provider,
    model: model.model,
    probe: (signal) => model.probe(signal),
    generate: (request) =>
      timed(
        () => model.generate(request),
        (ms, came) => {
          const { stage } = request;
          if ("error" in came) {
            const outcome = codeOf(came.error) ?? "model_failed";
            record.modelAsked({ provider: model.provider, model: model.model, stage, outcome }, ms);
            return;
          }
          // A port may stand for several.
          const { provider, model: name, usage } = came.result;
          const asked = { provider, model: name, stage, outcome: "ok" };
          record.modelAsked({ ...asked, ...(usage === undefined ? {} : { usage }) }, ms);
        },
      ),
  };
}

export function watchedPlanner(planner: Planner, record: Pick<Recorder, "planned">): Planner {
  return {
    ...planner,
    async decide(input, signal) {
      const step = await planner.decide(input, signal);
      record.planned(step);
      return step;
    },
  };
}

export function watchedMessages(port: MessagePort, record: Pick<Recorder, "shown" | "waited">): MessagePort {
  const { surface } = port;
  const watched = <Result>(call: string, work: () => Promise<Result>): Promise<Result> =>
    timed(work, (ms, came) => {
      if ("result" in came) return record.shown(surface, call, ms);
      const { error } = came;
      record.shown(surface, call, ms, codeOf(error) ?? "failed");
      const named =
        typeof error === "object" && error !== null && "retryAfterMs" in error && error.retryAfterMs;
      if (typeof named === "number") record.waited(surface, named);
    });
  return {
    surface,
    post: (place, view) => watched("post", () => port.post(place, view)),
    edit: (ref, view) => watched("edit", () => port.edit(ref, view)),
    find: (place, turnId) => watched("find", () => port.find(place, turnId)),
    statusDelayMs: (place) => port.statusDelayMs(place),
    ...(port.notify && { notify: (notice) => watched("notify", async () => port.notify?.(notice)) }),
  };
}

import type { Views } from "#contract/core.ts";
import type { ModelPort } from "#contract/model.ts";
import type { Planner } from "#contract/plan.ts";
import type { MessagePort } from "#contract/present.ts";
import type { ToolBox } from "#contract/tool.ts";

import { codeOf } from "../base/errors.ts";
import type { Recorder } from "./metrics.ts";
import type { Tracer } from "./traces.ts";

// What is done through a port is watched where the port is handed over: the rooms on both sides know nothing of it.

/** Who is told of what passes. */
export interface Watch {
  record: Recorder;
  tracer: Tracer;
}

/** Tells `ended` how long the work took, in milliseconds, and what it came to. Rejects as the work does. */
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

export function watchedTools<Box extends ToolBox>(tools: Box, { record, tracer }: Watch): Box {
  return {
    ...tools,
    call(request) {
      const { tool } = request;
      const facts = { "countersign.server": tool.server, "gen_ai.tool.name": tool.name };
      return tracer.part("call", facts, async (part) => {
        const { traceparent: trace } = part;
        const asked = trace === undefined ? request : { ...request, trace };
        const begun = performance.now();
        const outcome = await tools.call(asked);
        record.toolCalled(tool, outcome, performance.now() - begun);
        if (!outcome.ok) part.fail(outcome.error?.code ?? "failed");
        if (tracer.mayTellData) {
          part.tell({
            "countersign.arguments": JSON.stringify(request.args),
            "countersign.result": JSON.stringify(outcome.data),
          });
        }
        return outcome;
      });
    },
  };
}

export function watchedModel(model: ModelPort, { record, tracer }: Watch): ModelPort {
  return {
    provider: model.provider,
    model: model.model,
    probe: (signal) => model.probe(signal),
    generate(request) {
      const { stage } = request;
      return tracer.part("model", { "countersign.stage": stage }, (part) =>
        timed(
          () => model.generate(request),
          (ms, came) => {
            // A port may stand for several.
            const { provider, model: name } = "result" in came ? came.result : model;
            const outcome = "result" in came ? "ok" : (codeOf(came.error) ?? "model_failed");
            const usage = "result" in came ? came.result.usage : undefined;
            const asked = { provider, model: name, stage, outcome };
            record.modelAsked({ ...asked, ...(usage === undefined ? {} : { usage }) }, ms);
            part.tell({
              "gen_ai.provider.name": provider,
              "gen_ai.request.model": name,
              "gen_ai.usage.input_tokens": usage?.promptTokens,
              "gen_ai.usage.output_tokens": usage?.answerTokens,
            });
          },
        ),
      );
    },
  };
}

export function watchedPlanner(planner: Planner, { record, tracer }: Watch): Planner {
  return {
    ...planner,
    decide: (input, signal) =>
      tracer.part("plan", {}, async (part) => {
        const step = await planner.decide(input, signal);
        record.planned(step);
        const { kind } = step.outcome;
        part.tell({ "countersign.planner": step.planner, "countersign.outcome": kind });
        return step;
      }),
    respond: (input, signal) => tracer.part("respond", {}, () => planner.respond(input, signal)),
  };
}

export function watchedViews(views: Views, { tracer }: Watch): Views {
  return {
    result: (input) =>
      tracer.part("render", { "gen_ai.tool.name": input.name }, (part) => {
        const drawn = views.result(input);
        part.tell({ "countersign.view": drawn.view, "countersign.rows": drawn.rows });
        return drawn;
      }),
  };
}

export function watchedMessages(port: MessagePort, { record, tracer }: Watch): MessagePort {
  const { surface } = port;
  const watched = <Result>(
    call: "post" | "edit" | "find" | "notify",
    turnId: string,
    work: () => Promise<Result>,
  ): Promise<Result> =>
    tracer.part(
      `${surface}.${call}`,
      {},
      () =>
        timed(work, (ms, came) => {
          if ("result" in came) return record.shown(surface, call, ms);
          const { error } = came;
          record.shown(surface, call, ms, codeOf(error) ?? "failed");
          const named =
            typeof error === "object" && error !== null && "retryAfterMs" in error && error.retryAfterMs;
          if (typeof named === "number") record.waited(surface, named);
        }),
      turnId,
    );
  return {
    surface,
    post: (place, view) => watched("post", view.turnId, () => port.post(place, view)),
    edit: (ref, view) => watched("edit", view.turnId, () => port.edit(ref, view)),
    find: (place, turnId) => watched("find", turnId, () => port.find(place, turnId)),
    statusDelayMs: (place) => port.statusDelayMs(place),
    ...(port.notify && {
      notify: (notice) =>
        watched("notify", notice.approvals[0]?.turnId ?? notice.id, async () => port.notify?.(notice)),
    }),
  };
}

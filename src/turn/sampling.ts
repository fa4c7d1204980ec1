import type { JsonObject } from "#contract/json.ts";
import type { ModelPort, ModelText } from "#contract/model.ts";
import type { PolicyDecision } from "#contract/policy.ts";
import type { QuestionDraft, QuestionReply } from "#contract/question.ts";
import type { SamplingRequest, Tool } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import type { StoredTurn } from "./rows.ts";

export interface SamplingDeps {
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  ask: (turn: StoredTurn, question: QuestionDraft, signal: AbortSignal) => Promise<QuestionReply>;
  /** Whether a model may see what a server says, by the configuration. */
  showsTool: (toolId: string) => boolean;
  /** Undefined where turns are planned without a model. */
  model: () => ModelPort | undefined;
  toPrompt: (request: SamplingRequest) => { system: ModelText; prompt: ModelText };
}

/** Has the model answer something for a server, see CallRequest.sample. */
export type Sample = (
  turn: StoredTurn,
  request: SamplingRequest,
  signal: AbortSignal,
) => Promise<{ text: string; model: string }>;

/** How long a person may take to allow it, in milliseconds. */
const ASK_MS = 10 * 60_000;
/** What a person reads of a prompt before saying yes. */
const SHOWN = 3_000;

/**
 * Policy decides about it as about a tool `SERVER.sampling`; where it asks, the person who started the
 * turn sees the whole prompt and says yes or no. In privacy mode nothing of a server goes to a model.
 */
export function createSampling({ policy, ask, model, toPrompt, showsTool }: SamplingDeps): Sample {
  return async (turn, request, signal) => {
    const refuse = (why: string): never => {
      throw new CountersignError("refused", why);
    };
    // What it says may be of the result that its call is about to bring.
    const shows = showsTool(`${request.server}.sampling`) && showsTool(request.toolId);
    const requireShown = (): void => {
      if (!turn.allowSummarization || !shows)
        refuse("In privacy mode nothing that a server says is given to a model.");
    };
    requireShown();
    const port = model();
    if (port === undefined) return refuse("No model is in use here.");
    const prompt = request.messages.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
    const tool = samplingTool(request.server);
    const { decision, rule } = policy(tool, { prompt }, turn.channel);
    if (decision === "deny") refuse(`${rule} denies ${tool.id}.`);
    if (decision === "ask") {
      const shown = [request.system ?? "", prompt].filter((text) => text !== "").join("\n\n");
      if (shown.length > SHOWN) refuse("It is too long for a person to be asked about it.");
      const message = `It wants the model to answer this. Allow it?\n\n${shown}`;
      const schema = { type: "object", properties: {} };
      const question = { kind: "form", message, schema, toolId: request.toolId, ttlMs: ASK_MS } as const;
      const { action } = await ask(turn, question, signal);
      if (action !== "accept") refuse("The person did not allow it.");
      // The channel may have become private meanwhile.
      requireShown();
    }
    const answer = await port.generate({ stage: "response", ...toPrompt(request), signal });
    return { text: answer.text, model: answer.model };
  };
}

/** What policy is asked about. */
function samplingTool(server: string): Tool {
  return {
    id: `${server}.sampling`,
    server,
    name: "sampling",
    description: "The server has the model answer something.",
    inputSchema: { type: "object" },
    annotations: {},
    digest: "",
    trusted: false,
  };
}

import { ProtocolError } from "@modelcontextprotocol/client";
import type { CreateMessageRequestParams, CreateMessageResult } from "@modelcontextprotocol/client";

import type { SamplingRequest } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import type { OpenCall } from "./open-call.ts";

/** The specification's code for a person's no. */
const rejected = -1;

/**
 * Has the model answer what a server asks for in the middle of a call. Neither limit of the call counts
 * meanwhile. Rejects with an error for the server where it is not allowed.
 */
export async function sample(
  params: CreateMessageRequestParams,
  call: OpenCall | undefined,
  signal: AbortSignal,
): Promise<CreateMessageResult> {
  if (call?.sample === undefined) throw new ProtocolError(rejected, "There is nobody to ask about this.");
  if (!call.clock.admitQuestion()) throw new ProtocolError(rejected, "That is too much for one call.");
  const messages = params.messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    const texts = blocks.map((block) => {
      if (block.type === "text") return block.text;
      throw new ProtocolError(-32_602, `Only text can be sampled here, not ${block.type}.`);
    });
    return { role, text: texts.join("\n") };
  });
  const request: SamplingRequest = {
    server: call.toolId.split(".")[0] ?? "",
    toolId: call.toolId,
    ...(params.systemPrompt === undefined ? {} : { system: params.systemPrompt }),
    messages,
  };
  const release = call.clock.hold();
  try {
    const { text, model } = await call.sample(request, AbortSignal.any([signal, call.signal]));
    return { role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" };
  } catch (error) {
    throw new ProtocolError(rejected, messageOf(error));
  } finally {
    release();
  }
}

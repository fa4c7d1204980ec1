import type { Effect } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { CallOutcome, CallRequest, Tool, ToolBox } from "#contract/tool.ts";

/** What a change would do, or the tool's own refusal of it. */
export interface Preview {
  effect?: Effect;
  refused?: CallOutcome;
}

/**
 * Finds out what a change would do, by the tool's own dry run. Only trusted servers are asked: others
 * might take the flag for a real call. A dry run that the tool itself refuses spares people the question.
 */
export type PreviewEffect = (
  tool: Tool,
  args: JsonObject,
  whose: Pick<CallRequest, "actor" | "channel" | "credentials">,
  signal: AbortSignal,
) => Promise<Preview>;

export function createPreview(tools: ToolBox): PreviewEffect {
  return async (tool, args, whose, signal) => {
    if (!canPreview(tool, args)) return {};
    const outcome = await tools.call({ tool, args: { ...args, dry_run: true }, ...whose, signal });
    if (outcome.ok) {
      const effect = toEffect(outcome.data);
      return effect === undefined ? {} : { effect };
    }
    return outcome.error?.code === "tool_error" ? { refused: outcome } : {};
  };
}

export function canPreview(tool: Tool, args: JsonObject): boolean {
  return tool.trusted && offersDryRun(tool) && !Object.hasOwn(args, "dry_run");
}

function offersDryRun(tool: Tool): boolean {
  const properties = tool.inputSchema.properties;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return false;
  const property = properties.dry_run;
  return (
    typeof property === "object" &&
    property !== null &&
    !Array.isArray(property) &&
    property.type === "boolean"
  );
}

function toEffect(data: JsonValue): Effect | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  if (data.dry_run !== true || !("before" in data) || !("after" in data)) return undefined;
  return { before: data.before ?? null, after: data.after ?? null };
}

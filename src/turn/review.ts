import type { CallTarget, Effect, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, Statements } from "#contract/statement.ts";
import type { CallOutcome, ReadBack, Tool, ToolBox } from "#contract/tool.ts";

import { targetsOf } from "../base/call-targets.ts";
import { isObject } from "../base/json.ts";
import { compareReadBack, fieldsIn } from "../base/read-back.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { changesNothing } from "../base/statement.ts";
import { toolById } from "../base/tool-names.ts";
import type { CallIdentity } from "./inbox.ts";

export interface ReviewDeps {
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  statements: Statements;
  /** What people are asked in, in a channel; undefined: English. */
  language?: (channel: string) => string | undefined;
  redactor: Redactor;
  /** See Statement.as. */
  actingAs?: (tool: Tool, caller: CallIdentity) => Promise<string | undefined>;
}

/** What a change would do, before anybody is asked. */
export type Review =
  /** The tool, or the read of what it acts on, says that it cannot be done. */
  | { refused: CallOutcome; statement?: undefined; record?: undefined }
  | {
      refused?: undefined;
      statement: Statement;
      effect?: Effect;
      targets: CallTarget[];
      /** It would change nothing: what the dry run brought. */
      unchanged?: CallOutcome;
      /** What it acts on, as it was read. */
      record?: JsonValue;
    };

/**
 * Finds out what a change would do: by the tool's own dry run, and by reading what it acts on. Only trusted
 * servers are asked for a dry run, as others might take the flag for a real call, and only reads that policy
 * allows are made. A refusal spares people the question.
 */
export interface ReviewCall {
  (tool: Tool, args: JsonObject, caller: CallIdentity, signal: AbortSignal): Promise<Review>;
  /**
   * Reads what a change acted on again, which was `before` the last time; undefined where nothing can be told of it.
   * Never rejects.
   */
  readBack(
    change: { tool: Tool; args: JsonObject; before: JsonValue },
    caller: CallIdentity,
    signal: AbortSignal,
  ): Promise<ReadBack | undefined>;
}

export function createReview({
  tools,
  policy,
  statements,
  redactor,
  actingAs,
  language,
}: ReviewDeps): ReviewCall {
  function readOf(
    tool: Tool,
    args: JsonObject,
    channel: string,
  ): { tool: Tool; args: JsonObject } | undefined {
    const wanted = statements.read({ tool, args });
    const read = wanted && toolById(tools, `${tool.server}.${wanted.tool}`);
    const known = wanted && read && knownArguments(read, wanted.args);
    if (read === undefined || known === undefined) return undefined;
    return policy(read, known, channel).decision === "allow" ? { tool: read, args: known } : undefined;
  }

  const readBack: ReviewCall["readBack"] = async ({ tool, args, before }, caller, signal) => {
    const read = readOf(tool, args, caller.channel);
    // What names the record is found in it whatever became of the change.
    const asked = Object.entries(args).filter(([name]) => !Object.hasOwn(read?.args ?? {}, name));
    const wanted = fieldsIn(before, Object.fromEntries(asked));
    if (read === undefined || Object.keys(wanted).length === 0) return undefined;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(READ_BACK_MS)]);
    const found = await tools.call({ ...read, ...caller, signal: inTime, repeatable: true });
    return found.ok ? compareReadBack(wanted, { before, after: found.data }) : undefined;
  };

  const review = async (
    tool: Tool,
    args: JsonObject,
    caller: CallIdentity,
    signal: AbortSignal,
  ): Promise<Review> => {
    const read = readOf(tool, args, caller.channel);
    const [tried, found] = await Promise.all([
      canPreview(tool, args)
        ? tools.call({ tool, args: { ...args, dry_run: true }, ...caller, signal })
        : undefined,
      read && tools.call({ ...read, ...caller, signal, repeatable: true }),
    ]);
    for (const outcome of [tried, found]) {
      if (outcome?.ok === false && outcome.error?.code === "tool_error") return { refused: outcome };
    }
    const effect = tried?.ok === true ? toEffect(tried.data) : undefined;
    // What people read holds no secret, however short it is; what is sent stays as it is.
    const all = withSecretsOf(args, redactor);
    const mask = (value: JsonValue): JsonValue => all.known(value);
    const as = await actingAs?.(tool, caller);
    const spoken = language?.(caller.channel);
    const statement = statements.of({
      tool,
      ...(spoken === undefined ? {} : { language: spoken }),
      args: all.json(args) as JsonObject,
      ...(tried?.ok === true ? { preview: mask(tried.data) } : {}),
      ...(found?.ok === true ? { record: mask(found.data) } : {}),
    });
    const isUnchanged = effect !== undefined && isRepeated(tool, effect);
    return {
      statement: as === undefined ? statement : { ...statement, as },
      ...(effect === undefined ? {} : { effect }),
      targets: targetsOf(tool, caller.credentials),
      ...(isUnchanged && tried !== undefined ? { unchanged: tried } : {}),
      ...(found?.ok === true ? { record: found.data } : {}),
    };
  };
  return Object.assign(review, { readBack });
}

/** The change was made: whether it took effect is worth a moment, and no more. */
const READ_BACK_MS = 5_000;

/** Those that the read has; undefined where one that it needs is not among them. */
function knownArguments({ inputSchema }: Tool, args: JsonObject): JsonObject | undefined {
  const { properties, required } = inputSchema;
  const known = Object.entries(args).filter(
    ([name]) => isObject(properties) && Object.hasOwn(properties, name),
  );
  const isMissing =
    Array.isArray(required) && required.some((name) => !known.some(([given]) => given === name));
  return isMissing ? undefined : Object.fromEntries(known);
}

/** Whether the tool can say what it would do. */
export function canPreview(tool: Tool, args: JsonObject): boolean {
  const { properties } = tool.inputSchema;
  const flag = isObject(properties) ? properties.dry_run : undefined;
  const offersDryRun = isObject(flag) && flag.type === "boolean";
  return tool.trusted && offersDryRun && (args.dry_run ?? false) === false;
}

/**
 * Whether a call would set what is set already. A tool that is not declared idempotent, such as one that comments or
 * restarts, does something each time.
 */
function isRepeated({ annotations }: Tool, { before, after }: Effect): boolean {
  return annotations.idempotentHint === true && changesNothing(before, after);
}

function toEffect(data: JsonValue): Effect | undefined {
  if (!isObject(data) || data.dry_run !== true || !("before" in data) || !("after" in data)) return undefined;
  return { before: data.before ?? null, after: data.after ?? null };
}

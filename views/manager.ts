import { z } from "zod";

import type { Card, CardElement } from "#contract/card.ts";
import type { ViewInput, Views } from "#contract/core.ts";
import type { Statements } from "#contract/statement.ts";
import { isObject } from "#src/base/json.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { askText, changesNothing } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { soundsLikeChange } from "#src/base/tool-phrase.ts";

import { type ChangeInput, changeView } from "./change.ts";
import { isChange } from "./change-data.ts";
import { confluencePageView, confluenceSearchView } from "./confluence/pages.ts";
import { genericView } from "./generic/view.ts";
import { jiraEpicView, jiraIssueView, jiraSearchView } from "./jira/issues.ts";
import { foldedFields, resultView, type View, withoutKeys } from "./parts.ts";
import { createPicker } from "./picker.ts";
import { toTitle } from "./text.ts";

const GENERIC = "GenericView";

/** Every view by the name under which the configuration knows it. A new view adds its line here. */
const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["JiraIssueView", jiraIssueView],
  ["JiraSearchView", jiraSearchView],
  ["JiraEpicView", jiraEpicView],
  ["ConfluenceSearchView", confluenceSearchView],
  ["ConfluencePageView", confluencePageView],
  ["ChangeView", changeView],
  [GENERIC, genericView],
]);

/** The configuration names a view that does not exist. */
export class UnknownViewError extends Error {
  readonly code = "unknown_view";

  constructor(tool: string, view: string) {
    super(`views: ${tool}: expected one of ${[...VIEWS.keys()].join(", ")}; found "${view}"`);
    this.name = "UnknownViewError";
  }
}

/**
 * The views as the configuration maps them: keys as `createPicker` has them, values are view names. A tool that
 * none names gets the generic view.
 *
 * Throws UnknownViewError (code `unknown_view`) at once for a name it does not know. What it returns
 * never throws: a view that fails gives way to the generic one with the reason at the bottom, and
 * `warn` (which must not throw) is told. With `statements` a change is headed by what it did.
 */
export function createViews(
  config: Record<string, string>,
  warn: (message: string) => void,
  statements?: Statements,
): Views {
  for (const [key, view] of Object.entries(config)) {
    if (!VIEWS.has(view)) throw new UnknownViewError(key, view);
  }
  const pick = createPicker(config);

  return {
    result(input) {
      if (!input.ok) return { view: GENERIC, card: failedCard(input) };
      const name = isIdle(input) ? "ChangeView" : (pick({ id: input.toolId, name: input.name }) ?? GENERIC);
      try {
        return { view: name, ...(VIEWS.get(name) ?? genericView)(withStatement(input, statements)) };
      } catch (error) {
        const reason = reasonOf(error);
        warn(`${name} could not show a result of ${input.toolId}: ${reason}`);
        return fallback(input, {
          type: "error",
          message: `${name} could not show this result.`,
          detail: reason,
        });
      }
    },
  };
}

/** A dry run of a change that would change nothing. */
function isIdle({ data }: ViewInput): boolean {
  return isChange(data) && data["dry_run"] === true && changesNothing(data.before, data.after);
}

/** A change with what it did, in the words in which it was asked for. */
function withStatement(input: ViewInput, statements: Statements | undefined): ChangeInput {
  if (statements === undefined || !(isChange(input.data) || soundsLikeChange(input.name))) return input;
  const { toolId: id, server, name, args, data } = input;
  const tool = { id, server, name, annotations: {}, inputSchema: {} };
  const given = { tool, args: isObject(args) ? args : {} };
  return { ...input, statement: statements.of(isChange(data) ? { ...given, preview: data } : given) };
}

/** The generic view with an error at the bottom; where even that fails, the error alone. */
function fallback(input: ViewInput, error: CardElement): ReturnType<Views["result"]> {
  try {
    const { card, ...rest } = genericView(input);
    return { view: GENERIC, card: { ...card, elements: [...card.elements, error] }, ...rest };
  } catch {
    const title = toTitle(`${input.toolId}: the result is in the JSON`);
    return { view: GENERIC, ...resultView(title, [{ type: "header", text: title }, error]) };
  }
}

/** The first thing that did not fit, in words. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    if (issue !== undefined)
      return oneLine(`${z.core.toDotPath(issue.path) || "data"}: ${issue.message}`, 300);
  }
  return oneLine(error instanceof Error ? error.message : String(error), 300);
}

/** What each error code means for the person who asked, for a badge and as a sentence; see CallErrorCode. */
const MEANING: ReadonlyMap<string, readonly [badge: string, sentence: string]> = new Map([
  ["transport", ["no answer", "The connection to the server failed."]],
  ["protocol", ["not understood", "The server answered in a way that the protocol does not allow."]],
  ["tool_error", ["failed", "The server ran it and reported an error."]],
  ["invalid_result", ["not understood", "The result does not have the form that the server promises."]],
  ["timeout", ["timed out", "It took longer than its time limit."]],
  ["cancelled", ["stopped", "It was stopped."]],
  ["too_large", ["too large", "The result is larger than the limit."]],
  ["server_down", ["server down", "The server is not running; nothing was sent."]],
  ["unknown_tool", ["not available", "The server offers this no more."]],
]);

/** A call that brought no result, in the server's own words. */
function failedCard({ toolId, args, error, text }: ViewInput): Card {
  const code = error?.code ?? "tool_error";
  const message = error?.message ?? text ?? "";
  const what = askText(statementById(toolId, isObject(args) ? args : {}));
  const [badge, detail] = MEANING.get(code) ?? ["failed", `Error code: ${code}.`];
  return {
    kind: "error",
    title: toTitle(`${what} failed: ${message === "" ? "no reason was given" : message}`),
    elements: [
      { type: "header", text: what, badges: [{ text: badge, tone: "bad" }] },
      { type: "error", message: message === "" ? "The server gave no reason." : message, detail },
      ...foldedFields("Arguments", withoutKeys(args, [])),
    ],
  };
}

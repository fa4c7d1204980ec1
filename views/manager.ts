import { z } from "zod";

import type { Card, CardElement } from "#contract/card.ts";
import type { ViewInput, Views } from "#contract/core.ts";
import type { Statements } from "#contract/statement.ts";
import type { Tool } from "#contract/tool.ts";
import { withoutFixed } from "#src/base/fixed-arguments.ts";
import { isObject } from "#src/base/json.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { askText, changesNothing } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { soundsLikeChange } from "#src/base/tool-phrase.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { changeView, receiptOf } from "./change.ts";
import { isChange } from "./change-data.ts";
import { withChart } from "./chart.ts";
import { confluencePageView, confluenceSearchView } from "./confluence/pages.ts";
import { artifactView, ensembleView, validationView } from "./ensembles/runs.ts";
import { genericView } from "./generic/view.ts";
import { jiraCountView, jiraEpicView, jiraIssueView, jiraSearchView } from "./jira/issues.ts";
import { codeView, knowledgeView, relatedCodeView } from "./knowledge/knowledge.ts";
import { foldedFields, resultView, type View } from "./parts.ts";
import { createPicker } from "./picker.ts";
import { sisenseCheckView, sisenseMigrationView, sisenseModelView } from "./sisense/reports.ts";
import { sqlQueryView, sqlTablesView, sqlTableView } from "./sql/query.ts";
import { toTitle } from "./text.ts";
import { webPageView, webSearchView } from "./web/pages.ts";

const GENERIC = "GenericView";

/** Every view by the name under which the configuration knows it. A new view adds its line here. */
const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["JiraIssueView", jiraIssueView],
  ["JiraSearchView", jiraSearchView],
  ["JiraEpicView", jiraEpicView],
  ["JiraCountView", jiraCountView],
  ["ConfluenceSearchView", confluenceSearchView],
  ["ConfluencePageView", confluencePageView],
  ["SqlQueryView", sqlQueryView],
  ["SqlTablesView", sqlTablesView],
  ["SqlTableView", sqlTableView],
  ["SisenseMigrationView", sisenseMigrationView],
  ["SisenseCheckView", sisenseCheckView],
  ["SisenseModelView", sisenseModelView],
  ["WebPageView", webPageView],
  ["WebSearchView", webSearchView],
  ["KnowledgeView", knowledgeView],
  ["CodeView", codeView],
  ["RelatedCodeView", relatedCodeView],
  ["EnsembleView", ensembleView],
  ["ValidationView", validationView],
  ["ArtifactView", artifactView],
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
 * `warn` (which must not throw) is told. With `statements` a change is headed by what it did, with `toolOf` a tool
 * is called by its title, and what the product fills in itself is no news to people.
 */
export function createViews(
  config: Record<string, string>,
  warn: (message: string) => void,
  statements?: Statements,
  toolOf?: (toolId: string) => Pick<Tool, "title" | "fixed"> | undefined,
): Views {
  for (const [key, view] of Object.entries(config)) {
    if (!VIEWS.has(view)) throw new UnknownViewError(key, view);
  }
  const pick = createPicker(config);

  return {
    result(given) {
      const { title, fixed = [] } = toolOf?.(given.toolId) ?? {};
      const input = title === undefined ? given : { ...given, title };
      if (!input.ok)
        return inLanguage(
          { view: GENERIC, card: failedCard(named(withStatement(input, statements), toolOf), fixed) },
          input,
        );
      const name = isIdle(input) ? "ChangeView" : (pick({ id: input.toolId, name: input.name }) ?? GENERIC);
      try {
        const view = VIEWS.get(name) ?? genericView;
        const made = { view: name, ...view(withStatement(input, statements)) };
        return inLanguage(charted(withReadBack(made, input), input), input);
      } catch (error) {
        const reason = reasonOf(error);
        warn(`${name} could not show a result of ${input.toolId}: ${reason}`);
        const message = wordsOf(input.language).views.couldNotShow(name);
        return inLanguage(fallback(input, { type: "error", message, detail: reason }), input);
      }
    },
  };
}

/** A dry run of a change that would change nothing. */
function isIdle({ data }: ViewInput): boolean {
  return isChange(data) && data["dry_run"] === true && changesNothing(data.before, data.after);
}

type Made = ReturnType<Views["result"]>;

function inLanguage(made: Made, { language }: ViewInput): Made {
  return language === undefined ? made : { ...made, card: { ...made.card, language } };
}

/** A result with the chart of its numbers; where it was asked for, also of what can be counted. */
function charted(made: Made, { chart, language, data }: ViewInput): Made {
  if (made.card.kind !== "result" || isChange(data)) return made;
  const { card, ...rest } = made;
  return { ...rest, card: { ...card, elements: withChart(card.elements, chart, wordsOf(language)) } };
}

/** A change of a server that does not read it back itself, with what reading it back came to. */
function withReadBack(made: Made, { readBack, language }: ViewInput): Made {
  if (readBack === undefined) return made;
  const { badge, missing } = receiptOf(
    { checked: true, not_applied: readBack.notApplied },
    wordsOf(language),
  );
  const { elements, title } = made.card;
  const at = elements.findIndex(({ type }) => type === "header");
  const header = elements[at];
  const headed: CardElement =
    header?.type === "header"
      ? { ...header, badges: [...(header.badges ?? []), ...badge] }
      : { type: "header", text: title, badges: badge };
  const rest = elements.filter((_, place) => place !== at);
  return { ...made, card: { ...made.card, elements: [headed, ...missing, ...rest] } };
}

/** A change with what it did, in the words in which it was asked for. */
function withStatement(input: ViewInput, statements: Statements | undefined): ViewInput {
  const { toolId: id, server, name, args, data, language } = input;
  const isKnown = isChange(data) || (input.statement === undefined && soundsLikeChange(name));
  if (statements === undefined || !isKnown) return input;
  const tool = { id, server, name, annotations: {}, inputSchema: {} };
  const given = {
    tool,
    args: isObject(args) ? args : {},
    ...(language === undefined ? {} : { language }),
  };
  return { ...input, statement: statements.of(isChange(data) ? { ...given, preview: data } : given) };
}

/** The generic view with an error at the bottom; where even that fails, the error alone. */
function fallback(input: ViewInput, error: CardElement): ReturnType<Views["result"]> {
  try {
    const { card, ...rest } = genericView(input);
    return { view: GENERIC, card: { ...card, elements: [...card.elements, error] }, ...rest };
  } catch {
    const title = toTitle(wordsOf(input.language).views.inTheJson(input.toolId));
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

/** An error that names other tools of its server, as models read it, with their titles, as people know them. */
function named(
  input: ViewInput,
  toolOf: (toolId: string) => Pick<Tool, "title"> | undefined = () => undefined,
): ViewInput {
  const { error, server, language } = input;
  if (error === undefined) return input;
  const say = wordsOf(language);
  const message = error.message.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
    const title = toolOf(`${server}.${name}`)?.title;
    return title === undefined ? name : say.quote(oneLine(title, 80));
  });
  return { ...input, error: { ...error, message } };
}

/** A call that brought no result, in the server's own words. */
function failedCard(input: ViewInput, fixed: NonNullable<Tool["fixed"]>): Card {
  const { toolId, error, text, language, statement } = input;
  const args = withoutFixed({ fixed }, isObject(input.args) ? input.args : {});
  const code = error?.code ?? "tool_error";
  const say = wordsOf(language);
  const message = recordedText(error?.message ?? text ?? "", say);
  const what = askText(statement ?? statementById(toolId, args, language));
  const known = Object.hasOwn(say.errors, code) ? say.errors[code as keyof Words["errors"]] : undefined;
  const { badge, meaning: detail } = known ?? {
    badge: say.errors.tool_error.badge,
    meaning: say.views.errorCode(code),
  };
  return {
    kind: "error",
    title: toTitle(say.statement.failed(what, message === "" ? say.views.noReason : message)),
    elements: [
      { type: "header", text: what, badges: [{ text: badge, tone: "bad" }] },
      { type: "error", message: message === "" ? say.views.serverGaveNone : message, detail },
      ...foldedFields(say.buttons.details, args, say),
    ],
  };
}

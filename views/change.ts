import type { CardElement, Inline } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Statement } from "#contract/statement.ts";
import { isObject } from "#src/base/json.ts";
import {
  alreadyText,
  changesNothing,
  doneText,
  labelText,
  questionText,
  wordsFor,
} from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { humanise, toolWords } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { changeElements } from "./cards/changes.ts";
import { type Change, changesElement, isChange, type Side } from "./change-data.ts";
import { foldedFields, resultView, statusBadge, type ViewResult } from "./parts.ts";
import { hrefOf, toTitle } from "./text.ts";

/** What a change did, or would do: a sentence of it, one line per field, and whether it was found so afterwards. */
export function changeView(input: ViewInput): ViewResult {
  const { data, statement } = input;
  if (!isChange(data)) throw new TypeError("expected before and after, each an object or null");
  const { before, after, ...rest } = data;
  const isDryRun = rest["dry_run"] === true;
  if (statement === undefined) return unnamedView(input, data);
  const heading = isDryRun ? questionText(statement) : doneText(statement);
  if (isDryRun && changesNothing(before, after)) return nothingView(data, statement);
  const say = wordsOf(input.language);
  const { badge, missing } = receiptOf(rest, say);
  const changes =
    statement.changes.length > 0
      ? changeElements(statement.changes, say)
      : [changesElement(before, after, say)];
  const badges: Inline[] = isDryRun ? [{ text: say.views.nothingChangedYet, tone: "info" }] : badge;
  const header: CardElement = {
    type: "header",
    text: toTitle(heading),
    ...hrefOf(statement.object?.href),
    ...(badges.length === 0 ? {} : { badges }),
  };
  const told = new Set(["issue", "page", "from", "to", "dry_run", "checked", "not_applied"]);
  const technical = Object.fromEntries(Object.entries(rest).filter(([name]) => !told.has(name)));
  return resultView(toTitle(heading), [
    header,
    ...missing,
    ...changes.filter(({ items }) => items.length > 0),
    ...foldedFields(say.buttons.details, technical, say),
  ]);
}

/** What was asked for is so already. */
function nothingView({ before, after }: Change, statement: Statement): ViewResult {
  const title = toTitle(alreadyText(statement));
  const say = wordsFor(statement);
  const badges: Inline[] = [{ text: say.views.nothingToChange, tone: "info" }];
  return resultView(title, [
    { type: "header", text: title, ...hrefOf(statement.object?.href), badges },
    {
      type: "section",
      title: say.buttons.details,
      folded: true,
      elements: [changesElement(before, after, say)],
    },
  ]);
}

/** Whether the server read the change back, and what it found otherwise. */
export function receiptOf(rest: JsonObject, words: Words): { badge: Inline[]; missing: CardElement[] } {
  const { checked, not_applied: missing } = rest;
  const say = words.views;
  if (checked === false) return { badge: [{ text: say.notReadBack, tone: "warn" }], missing: [] };
  if (checked !== true) return { badge: [], missing: [] };
  const names = Array.isArray(missing) ? missing.filter((name) => typeof name === "string") : [];
  if (names.length === 0) return { badge: [{ text: say.verified, tone: "good" }], missing: [] };
  const fields = names.map((name) => labelText(oneLine(humanise(name), 60), words)).join(", ");
  return {
    badge: [{ text: say.notAllApplied, tone: "bad" }],
    missing: [{ type: "error", message: say.notAsAsked(fields) }],
  };
}

/** A change of which nothing but its data is known. */
function unnamedView(input: ViewInput, { before, after, ...rest }: Change): ViewResult {
  const isDryRun = rest["dry_run"] === true;
  const target = [rest["issue"], rest["page"]].find((item) => isObject(item) && nameOfTarget(item) !== "");
  const subject = nameOfTarget(isObject(target) ? target : (after ?? before ?? {}));
  const say = wordsOf(input.language);
  const title = toTitle(
    say.views[verbOf(before, after, isDryRun)](subject === "" ? toolWords(input.name) : subject),
  );

  const elements: CardElement[] = [
    {
      type: "header",
      text: title,
      eyebrow: oneLine(input.toolId, 100),
      ...(isDryRun ? { badges: [{ text: say.views.nothingChangedYet, tone: "info" as const }] } : {}),
    },
    changesElement(before, after, say),
  ];
  if (isObject(target)) elements.push(targetLine(target));
  return resultView(title, [...elements, ...foldedFields(say.buttons.details, rest, say)]);
}

function verbOf(
  before: Side,
  after: Side,
  isDryRun: boolean,
): "wouldCreate" | "wouldDelete" | "wouldChange" | "created" | "deleted" | "changedTo" {
  if (before === null) return isDryRun ? "wouldCreate" : "created";
  if (after === null) return isDryRun ? "wouldDelete" : "deleted";
  return isDryRun ? "wouldChange" : "changedTo";
}

function nameOfTarget(target: JsonObject): string {
  const { key, summary, title, name } = target;
  const words = [summary, title, name].find((part) => typeof part === "string" && part !== "");
  return [key, words]
    .map((part) => (typeof part === "string" ? part : ""))
    .join(" ")
    .trim();
}

function targetLine(target: JsonObject): CardElement {
  const { url, status, status_category: category } = target;
  return {
    type: "list",
    items: [
      {
        text: oneLine(nameOfTarget(target), 200),
        ...(typeof url === "string" ? hrefOf(url) : {}),
        ...(typeof status === "string"
          ? { badges: [statusBadge(status, typeof category === "string" ? category : null)] }
          : {}),
      },
    ],
  };
}

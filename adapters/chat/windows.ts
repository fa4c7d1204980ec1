import type { ApprovalActions } from "#contract/approval-actions.ts";
import type { Approval } from "#contract/approval.ts";
import type { Card, CardElement, SectionElement } from "#contract/card.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { allowedText } from "#src/base/plain-statement.ts";
import { languageOf, wordsFor } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { durationText } from "#src/base/time.ts";
import { wordsOf } from "#src/base/words/words.ts";

import {
  approvalRef,
  type ButtonSpec,
  groupOf,
  readFoldValue,
  readRef,
  resultRef,
  turnRef,
} from "./actions.ts";
import { elementAt } from "./card-text.ts";
import { menuItems } from "./turn-parts.ts";
import { footerOf } from "./turn-text.ts";

/** What is shown to one person who asked for more: a card beside the message. */
export interface Window {
  title: string;
  card: Card;
  state: WindowState;
  /** What the person can do in it. */
  buttons?: readonly ButtonSpec[];
}

/** Names a window, so that its pages can be turned. */
export interface WindowState {
  view: "json" | "log" | "menu" | "details" | "result" | "all" | "reply" | "grants";
  /** See `Ref`. */
  ref: string;
  /** With `all`: the place of the folded element. */
  path?: string;
}

export interface WindowParts {
  core: Pick<Core, "approval">;
  cards: Cards;
  desk: Pick<ApprovalActions, "grants">;
  /** The turn as it is now; undefined when there is none. */
  view: (turnId: string) => Promise<TurnView | undefined>;
}

/** The window that a button opens; undefined for any other button. */
export function windowOf(action: string, value: string): WindowState | undefined {
  switch (action) {
    case "details":
    case "grants":
      return { view: action, ref: approvalRef(value) };
    case "show_json":
      return { view: "json", ref: turnRef(value) };
    case "menu":
      return { view: action, ref: turnRef(value) };
    case "run_log":
      return { view: "log", ref: turnRef(value) };
    case "show_result":
      return { view: "result", ref: value };
    case "show_all": {
      const { ref, path } = readFoldValue(value) ?? { ref: "", path: "" };
      return path === "reply" ? { view: "reply", ref } : { view: "all", ref, path };
    }
    default:
      return undefined;
  }
}

/** The window that a state names; undefined when what it shows is no longer there. */
export async function findWindow(state: WindowState, deps: WindowParts): Promise<Window | undefined> {
  const ref = readRef(state.ref);
  if (ref === undefined) return undefined;
  if (ref.kind === "approval") return approvalWindow(state, ref.approvalId, deps);
  const view = await deps.view(ref.turnId);
  if (view === undefined) return undefined;
  if (state.view === "json") return jsonWindow(view);
  if (state.view === "log") return logWindow(view);
  if (state.view === "menu") return menuWindow(view, state);
  if (state.view === "reply") return replyWindow(view);
  if (ref.kind === "group") {
    const all = deps.cards.approvals(groupOf(view.approvals));
    return state.view === "all" ? allWindow(all, state.ref, state.path ?? "") : undefined;
  }
  if (ref.kind !== "result") return undefined;
  if (state.view === "result") return resultWindow(view, ref.index);
  const card = view.results[ref.index]?.card;
  if (state.view !== "all" || card === undefined) return undefined;
  return allWindow(card, state.ref, state.path ?? "");
}

async function approvalWindow(
  { view, ref, path = "" }: WindowState,
  approvalId: string,
  { core, cards, desk }: WindowParts,
): Promise<Window | undefined> {
  const approval = await core.approval(approvalId);
  if (approval === undefined) return undefined;
  if (view === "grants")
    return grantsWindow(approval, await desk.grants(approval.conversationId, approval.statement.language));
  const card = cards.approval(approval);
  return view === "all" ? allWindow(card, ref, path) : detailsWindow(approval, card);
}

/** Everything that the calls of a turn sent and brought, as JSON. */
export function jsonWindow(view: Pick<TurnView, "turnId" | "results" | "language">): Window {
  const { windows: say } = wordsOf(view.language);
  const elements = view.results.flatMap((result, index): CardElement[] => [
    { type: "header", text: result.toolId, badges: [{ text: result.ok ? say.ok : say.failed }] },
    { type: "section", title: say.sent, elements: [json(result.args)] },
    {
      type: "section",
      title: result.ok ? wordsOf(view.language).cards.result : say.error,
      elements: [json(result.ok ? result.data : errorOf(result))],
    },
    ...(index < view.results.length - 1 ? [{ type: "text" as const, text: "───" }] : []),
  ]);
  if (elements.length === 0) elements.push({ type: "text", text: say.noCalls });
  const card: Card = { kind: "result", title: say.json, elements, ...languageOf(view) };
  return { title: say.json, card, state: { view: "json", ref: turnRef(view.turnId) } };
}

function errorOf(result: ToolCallResult): JsonValue {
  const error = result.error === undefined ? null : { ...result.error };
  return result.data === null ? error : { error, data: result.data };
}

function json(value: JsonValue): CardElement {
  return { type: "code", text: JSON.stringify(value, undefined, 2), language: "json" };
}

/** What was done in a turn, step by step. */
export function logWindow(view: TurnView): Window {
  const { windows: say } = wordsOf(view.language);
  const items = view.log.map((line) => ({
    text: `${durationText(line.atMs)}  ${line.stage}`,
    detail: `${line.message}${line.durationMs === undefined ? "" : ` (${durationText(line.durationMs)})`}`,
  }));
  const element: CardElement =
    items.length === 0 ? { type: "text", text: say.nothingLogged } : { type: "list", items };
  const made: CardElement = { type: "text", text: footerOf(view) };
  const card: Card = { kind: "result", title: say.runLog, elements: [made, element], ...languageOf(view) };
  return { title: say.runLog, card, state: { view: "log", ref: turnRef(view.turnId) } };
}

/** How an answer was made, and what shows more of that. */
function menuWindow(view: TurnView, state: WindowState): Window {
  const elements: CardElement[] = [{ type: "text", text: footerOf(view) }];
  const title = wordsOf(view.language).buttons.more;
  return {
    title,
    card: { kind: "status", title, elements, ...languageOf(view) },
    state,
    buttons: menuItems(view),
  };
}

/** A request for approval with everything that the ledger knows of it. */
export function detailsWindow(approval: Approval, card: Card): Window {
  const { id, key, turnId, conversationId, channel } = approval;
  const say = wordsFor(approval.statement);
  const record: CardElement[] = [
    {
      type: "fields",
      items: Object.entries({ key, turnId, conversationId, channel }).map(([label, value]) => ({
        label,
        value,
      })),
    },
    { type: "section", title: say.details.argumentsAsJson, elements: [json(approval.args)] },
  ];
  const elements = card.elements.flatMap((element) => (isDetails(element) ? element.elements : [element]));
  const whole: Card = { ...card, elements: [...elements, ...record] };
  return { title: say.windows.approval, card: whole, state: { view: "details", ref: approvalRef(id) } };
}

/** What runs without asking in the conversation of a request, each with a button that takes it back. */
function grantsWindow(
  { id, statement }: Pick<Approval, "id" | "statement">,
  { grants, card }: Awaited<ReturnType<ApprovalActions["grants"]>>,
): Window {
  const say = wordsFor(statement);
  const buttons = grants.map((grant, index): ButtonSpec => {
    const place = grants.length === 1 ? "" : ` ${index + 1}`;
    const label = oneLine(say.buttons.revoke(place, allowedText(grant, statement.language)), 75);
    return { action: "revoke", label, value: grant.id, style: "danger" };
  });
  return { title: say.grants.title, card, state: { view: "grants", ref: approvalRef(id) }, buttons };
}

/** One result in full, for those that the message only names. */
export function resultWindow(view: TurnView, index: number): Window {
  const say = wordsOf(view.language);
  const card = view.results[index]?.card ?? gone(say.windows.resultGone);
  return { title: say.cards.result, card, state: { view: "result", ref: resultRef(view.turnId, index) } };
}

/** The whole of what a card shows folded; `ref` and `path` as `readFoldValue` gives them. */
export function allWindow(card: Card, ref: string, path: string): Window {
  const element = elementAt(card, path);
  const title = element?.type === "section" ? element.title : card.title;
  const elements = element === undefined ? gone(wordsOf(card.language).windows.partGone).elements : [element];
  return { title, card: { ...card, elements }, state: { view: "all", ref, path } };
}

/** The whole reply, where the message shows its beginning. */
export function replyWindow(view: TurnView): Window {
  const title = wordsOf(view.language).windows.reply;
  const card: Card = {
    kind: "answer",
    title,
    elements: [{ type: "text", text: view.reply ?? "", format: "markdown" }],
    ...languageOf(view),
  };
  return { title, card, state: { view: "reply", ref: turnRef(view.turnId) } };
}

function gone(text: string): Card {
  return { kind: "error", title: text, elements: [{ type: "text", text }] };
}

function isDetails(element: CardElement): element is SectionElement {
  return element.type === "section" && element.role === "details";
}

/** A card as a message shows it: the details have a window of their own. They stand last, so paths stay. */
export function withoutDetails(card: Card): Card {
  return { ...card, elements: card.elements.filter((element) => !isDetails(element)) };
}

/** The decision is made on the message, where everybody sees it. */
export function withoutActions(card: Card): Card {
  return { ...card, elements: card.elements.filter((element) => element.type !== "actions") };
}

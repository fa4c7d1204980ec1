import type { KnownBlock, ModalView } from "@slack/types";

import type { Approval } from "#contract/approval.ts";
import type { Card, CardElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { renderCard } from "./card.ts";
import { elementAt } from "./fold.ts";
import { LIMITS, VIEW_BUDGET } from "./limits.ts";
import { plain } from "./rich.ts";
import { approvalRef, resultRef, turnRef } from "./refs.ts";
import { durationText } from "./status.ts";
import { oneLine } from "./text.ts";

/** Which view a modal shows; stands in its `private_metadata`, for its buttons that turn pages. */
export interface ModalState {
  view: "json" | "log" | "details" | "result" | "all" | "reply";
  /** See refs.ts. */
  ref: string;
  /** With `all`: the place of the folded element. */
  path?: string;
}

export function readModalState(metadata: string): ModalState | undefined {
  try {
    const state = JSON.parse(metadata) as Partial<ModalState> | null;
    if (typeof state?.view !== "string" || typeof state.ref !== "string") return undefined;
    return { view: state.view, ref: state.ref, ...(state.path === undefined ? {} : { path: state.path }) };
  } catch {
    return undefined;
  }
}

export interface ModalOptions {
  /** From 0; a page that does not exist is taken as the nearest one. */
  page?: number;
}

/** A window without inputs. */
export function modal(title: string, blocks: KnownBlock[], state: ModalState): ModalView {
  const metadata = JSON.stringify(state);
  return {
    type: "modal",
    title: plain(oneLine(title), LIMITS.view.title),
    close: plain("Close"),
    blocks,
    callback_id: "cs:view",
    ...(metadata.length <= LIMITS.view.metadata ? { private_metadata: metadata } : {}),
  };
}

function cardModal(title: string, card: Card, state: ModalState, options: ModalOptions): ModalView {
  const { blocks } = renderCard(withoutActions(card), {
    ref: state.ref,
    page: options.page ?? 0,
    budget: VIEW_BUDGET,
    tables: false,
    unfold: true,
  });
  return modal(title, blocks, state);
}

/** The decision is made on the message, where everybody sees it. */
function withoutActions(card: Card): Card {
  return { ...card, elements: card.elements.filter((element) => element.type !== "actions") };
}

/** Everything that the calls of a turn sent and brought, as JSON. */
export function renderJsonModal(view: TurnView, options: ModalOptions = {}): ModalView {
  const elements = view.results.flatMap((result, index): CardElement[] => [
    { type: "header", text: result.toolId, badges: [{ text: result.ok ? "ok" : "failed" }] },
    { type: "section", title: "Sent", elements: [json(result.args)] },
    {
      type: "section",
      title: result.ok ? "Result" : "Error",
      elements: [json(result.ok ? result.data : errorOf(result))],
    },
    ...(index < view.results.length - 1 ? [{ type: "text" as const, text: "───" }] : []),
  ]);
  const none: CardElement = { type: "text", text: "This turn made no calls." };
  const card: Card = { kind: "result", title: "JSON", elements: elements.length === 0 ? [none] : elements };
  return cardModal("JSON", card, { view: "json", ref: turnRef(view.turnId) }, options);
}

function errorOf(result: ToolCallResult): JsonValue {
  const error = result.error === undefined ? null : { ...result.error };
  return result.data === null ? error : { error, data: result.data };
}

function json(value: JsonValue): CardElement {
  return { type: "code", text: JSON.stringify(value, undefined, 2), language: "json" };
}

/** What was done in a turn, step by step. */
export function renderLogModal(view: TurnView, options: ModalOptions = {}): ModalView {
  const items = view.log.map((line) => ({
    text: `${durationText(line.atMs)}  ${line.stage}`,
    detail: `${line.message}${line.durationMs === undefined ? "" : ` (${durationText(line.durationMs)})`}`,
  }));
  const element: CardElement =
    items.length === 0 ? { type: "text", text: "Nothing was logged." } : { type: "list", items };
  const card: Card = { kind: "result", title: "Run log", elements: [element] };
  return cardModal("Run log", card, { view: "log", ref: turnRef(view.turnId) }, options);
}

/** A request for approval with everything that the ledger knows of it. */
export function renderDetailsModal(approval: Approval, card: Card, options: ModalOptions = {}): ModalView {
  const { id, key, turnId, conversationId, channel, rule, toolId } = approval;
  const details: CardElement = {
    type: "section",
    title: "For the record",
    elements: [
      {
        type: "fields",
        items: Object.entries({ id, key, toolId, rule, turnId, conversationId, channel }).map(
          ([label, value]) => ({
            label,
            value,
          }),
        ),
      },
      { type: "section", title: "Arguments as JSON", elements: [json(approval.args)] },
    ],
  };
  const whole: Card = { ...card, elements: [...card.elements, details] };
  return cardModal("Approval", whole, { view: "details", ref: approvalRef(id) }, options);
}

/** One result in full, for those that the message only names. */
export function renderResultModal(view: TurnView, index: number, options: ModalOptions = {}): ModalView {
  const card = view.results[index]?.card ?? gone("This result is no longer there.");
  return cardModal("Result", card, { view: "result", ref: resultRef(view.turnId, index) }, options);
}

/** The whole of what a card shows folded; `ref` and `path` as `readFoldValue` gives them. */
export function renderAllModal(card: Card, ref: string, path: string, options: ModalOptions = {}): ModalView {
  const element = elementAt(card, path);
  const title = element?.type === "section" ? element.title : card.title;
  const elements = element === undefined ? gone("This part is no longer there.").elements : [element];
  return cardModal(title, { ...card, elements }, { view: "all", ref, path }, options);
}

/** The whole reply, where the message shows its beginning. */
export function renderReplyModal(view: TurnView, options: ModalOptions = {}): ModalView {
  const card: Card = {
    kind: "answer",
    title: "Reply",
    elements: [{ type: "text", text: view.reply ?? "", format: "markdown" }],
  };
  return cardModal("Reply", card, { view: "reply", ref: turnRef(view.turnId) }, options);
}

function gone(text: string): Card {
  return { kind: "error", title: text, elements: [{ type: "text", text }] };
}

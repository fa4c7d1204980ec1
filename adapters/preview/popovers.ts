import { type Child, jsx as el } from "hono/jsx";

import type { ApprovalActions, ApprovalForm, ApprovalTopic } from "#contract/approval-actions.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { NOT_HERE } from "../chat/place-guard.ts";
import { findWindow, type Window, windowOf, type WindowState } from "../chat/windows.ts";
import type { Attributes } from "./frame.ts";

/** What a drawing of a turn is made with. */
export interface TurnDrawing {
  cards: Cards;
  desk: Pick<ApprovalActions, "grants" | "question">;
}

/** Windows that the buttons of a drawing open. The browser opens them by itself, without a script. */
export interface Popovers {
  /** What makes a button open its window; undefined for one that does something else. */
  opener(action: string, value: string): Attributes | undefined;
  /** The windows of all buttons so far. */
  drawn(draw: WindowDrawing): Promise<Child[]>;
}

/** How a platform draws what a button brings up; it is given what closes it. */
interface WindowDrawing {
  window(window: Window, close: Attributes): Child;
  question(question: ApprovalForm, close: Attributes): Child;
}

/** `name` is the class of the windows' frames, and sets the ids of one drawing apart from those of others. */
export function createPopovers(name: string, view: TurnView, { cards, desk }: TurnDrawing): Popovers {
  const found = new Map<string, { id: string; opened: Popover }>();
  const parts = {
    core: { approval: async (id: string) => view.approvals.find((approval) => approval.id === id) },
    cards,
    desk,
    view: async () => view,
  };

  async function content(opened: Popover, close: Attributes, draw: WindowDrawing): Promise<Child> {
    if ("topic" in opened) {
      const question = await desk.question(opened.topic, view.actor);
      return question === undefined ? NOT_HERE : draw.question(question, close);
    }
    const window = await findWindow(opened.window, parts);
    return window === undefined ? NOT_HERE : draw.window(window, close);
  }

  return {
    opener(action, value) {
      const opened = popoverOf(action, value, view);
      if (opened === undefined) return undefined;
      const key = JSON.stringify(opened);
      const known = found.get(key) ?? { id: `${name}-${view.turnId}-${found.size}`, opened };
      found.set(key, known);
      return { popovertarget: known.id };
    },
    drawn: async (draw) =>
      Promise.all(
        [...found.values()].map(async ({ id, opened }) => {
          const close = { popovertarget: id, popovertargetaction: "hide" };
          return el("div", { id, popover: "auto", class: name }, await content(opened, close, draw));
        }),
      ),
  };
}

/** What a button brings up: something to read, or something to fill in. */
type Popover = { window: WindowState } | { topic: ApprovalTopic };

/** What a button of a turn's message brings up; undefined for one that does something else. */
function popoverOf(action: string, value: string, view: TurnView): Popover | undefined {
  const topic = topicOf(action, value, view);
  if (topic !== undefined) return { topic };
  const window = windowOf(action, value);
  return window === undefined ? undefined : { window };
}

/** People are asked only while the request waits. */
function topicOf(action: string, approvalId: string, { approvals }: TurnView): ApprovalTopic | undefined {
  const approval = approvals.find(({ id }) => id === approvalId);
  if (approval?.state !== "pending") return undefined;
  switch (action) {
    case "edit":
    case "grant":
      return { about: action, approvalId };
    case "deny":
      return { about: "reason", approvalId, decision: "deny" };
    case "approve":
      return approval.reasonRequired ? { about: "reason", approvalId, decision: "approve" } : undefined;
    default:
      return undefined;
  }
}

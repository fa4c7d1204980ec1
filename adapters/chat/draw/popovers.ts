import type { Cards } from "#contract/core.ts";
import type { ApprovalDesk, DeskQuestion } from "#contract/desk.ts";
import type { TurnView } from "#contract/present.ts";

import { type Child, jsx as el } from "hono/jsx";

import { findWindow, type Window } from "../windows.ts";
import type { Attributes } from "./look.ts";
import { type Opened, openedBy } from "./opened.ts";

/** What a drawing of a turn is made with. */
export interface TurnDrawing {
  cards: Cards;
  desk: Pick<ApprovalDesk, "grants" | "question">;
}

/** Windows that the buttons of a drawing open. The browser opens them by itself, without a script. */
export interface Popovers {
  /** What makes a button open its window; undefined for one that does something else. */
  opener(action: string, value: string): Attributes | undefined;
  /** The windows of all buttons so far. */
  drawn(draw: WindowDrawing): Promise<Child[]>;
}

/** How a platform draws what a button brings up; it is given what closes it. */
export interface WindowDrawing {
  window(window: Window, close: Attributes): Child;
  question(question: DeskQuestion, close: Attributes): Child;
}

/** `name` is the class of the windows' frames, and sets the ids of one drawing apart from those of others. */
export function createPopovers(name: string, view: TurnView, { cards, desk }: TurnDrawing): Popovers {
  const found = new Map<string, { id: string; opened: Opened }>();
  const parts = {
    core: { approval: async (id: string) => view.approvals.find((approval) => approval.id === id) },
    cards,
    desk,
    view: async () => view,
  };

  async function content(opened: Opened, close: Attributes, draw: WindowDrawing): Promise<Child> {
    if ("topic" in opened) {
      const question = await desk.question(opened.topic);
      return question === undefined ? GONE : draw.question(question, close);
    }
    const window = await findWindow(opened.window, parts);
    return window === undefined ? GONE : draw.window(window, close);
  }

  return {
    opener(action, value) {
      const opened = openedBy(action, value, view);
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

const GONE = "This is no longer there.";

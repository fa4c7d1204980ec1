import type { DeskTopic } from "#contract/desk.ts";
import type { TurnView } from "#contract/present.ts";

import { readFoldValue } from "../buttons.ts";
import { approvalRef, turnRef } from "../refs.ts";
import type { WindowState } from "../windows.ts";

/** What a button brings up: something to read, or something to fill in. */
export type Opened = { window: WindowState } | { topic: DeskTopic };

/** What a button of a turn's message brings up; undefined for one that does something else. */
export function openedBy(action: string, value: string, view: TurnView): Opened | undefined {
  const topic = topicOf(action, value, view);
  if (topic !== undefined) return { topic };
  const window = windowOf(action, value);
  return window === undefined ? undefined : { window };
}

function windowOf(action: string, value: string): WindowState | undefined {
  switch (action) {
    case "details":
    case "grants":
      return { view: action, ref: approvalRef(value) };
    case "show_json":
      return { view: "json", ref: turnRef(value) };
    case "run_log":
      return { view: "log", ref: turnRef(value) };
    case "show_result":
      return { view: "result", ref: value };
    case "show_all": {
      const fold = readFoldValue(value);
      if (fold === undefined) return undefined;
      const { ref, path } = fold;
      return path === "reply" ? { view: "reply", ref } : { view: "all", ref, path };
    }
    default:
      return undefined;
  }
}

/** People are asked only while the request waits. */
function topicOf(action: string, approvalId: string, { approvals }: TurnView): DeskTopic | undefined {
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

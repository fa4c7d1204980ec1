import { checkView } from "./api/content.ts";
import { problemsOf, toSent } from "./api/dispatch.ts";
import type { Context } from "./api/method.ts";
import { pushView, replaceView } from "./api/views.ts";
import type { Outcome } from "./delivery.ts";
import { isFields } from "./json.ts";
import { SlackError } from "./types.ts";
import type { User, View } from "./types.ts";

/** What came of pressing "submit". */
export interface Submission {
  /** What Slack did then. `failed` when the app did not acknowledge, or with nonsense: the modal stays open. */
  result: "closed" | "errors" | "updated" | "pushed" | "cleared" | "failed";
  /** Complaints by block_id. */
  errors: Record<string, string>;
}

/** Does with the person's modals what the app's acknowledgement asks for. */
export function afterSubmit(context: Context, user: User, view: View, outcome: Outcome): Submission {
  const { world, structure } = context;
  const stack = world.modals.get(user.id) ?? [];
  if (!outcome.ok) return { result: "failed", errors: {} };
  const response = isFields(outcome.response) ? outcome.response : {};
  const wanted = response.view;
  if (wanted !== undefined) {
    const sent = toSent(world, "view_submission", { view: wanted, user: user.id });
    world.sent.push(sent);
    try {
      checkView(structure, wanted, "modal");
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      sent.error = error.code;
      sent.problems = problemsOf({ error: error.code, ...error.extra });
      return { result: "failed", errors: {} };
    }
  }
  switch (response.response_action) {
    case "errors":
      return { result: "errors", errors: response.errors as Record<string, string> };
    case "update": {
      const open = world.views.get(view.id);
      if (open !== undefined) replaceView(context, open, wanted);
      return { result: "updated", errors: {} };
    }
    case "push":
      pushView(context, user, wanted);
      return { result: "pushed", errors: {} };
    case "clear":
      world.modals.delete(user.id);
      return { result: "cleared", errors: {} };
    default:
      world.modals.set(
        user.id,
        stack.filter((id) => id !== view.id),
      );
      return { result: "closed", errors: {} };
  }
}

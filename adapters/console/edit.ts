import type { Approval } from "#contract/approval.ts";
import { again, askField, refused } from "./fields.ts";
import { skipPast } from "./follow.ts";
import { printProblem, problemOf } from "./problems.ts";
import { plainLine } from "#src/base/terminal-text.ts";
import { printNote, type Session } from "./session.ts";

/**
 * Asks for every argument with its present value, and replaces the request by the edited one. Resolves
 * to the new request; undefined when it was broken off or nothing was changed.
 */
export async function editApproval(session: Session, approval: Approval): Promise<Approval | undefined> {
  const { core, forms } = session;
  const tool = core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  if (tool === undefined) {
    printNote(
      session,
      `${plainLine(approval.toolId)} is not offered now; its server may be down. See /status.`,
    );
    return undefined;
  }
  const form = forms.toForm(tool, approval.args);
  const typed = new Map<string, string>();
  printNote(
    session,
    "Empty keeps a value, - clears an optional one, \\ at the end goes on in the next line. Ctrl-C leaves it.",
  );
  let asked = form.fields;
  for (;;) {
    for (const field of asked) {
      const text = await askField(session, field, typed.get(field.name) ?? field.value);
      if (text === undefined) {
        printNote(session, "Nothing was edited. The request waits as it was.");
        return undefined;
      }
      typed.set(field.name, text);
    }
    const reading = forms.fromForm(tool, approval.args, typed);
    if (!reading.ok) {
      asked = again(session, form.fields, reading.faults);
      continue;
    }
    if (JSON.stringify(reading.args) === JSON.stringify(approval.args)) {
      printNote(session, "Nothing was changed. The request waits as it was.");
      return undefined;
    }
    try {
      await skipPast(session, approval.turnId);
      return await core.edit({ approvalId: approval.id, actor: session.actor, args: reading.args });
    } catch (error) {
      const faults = refused(error, form.fields);
      if (faults === undefined) throw error;
      printProblem(session.screen, problemOf(error));
      asked = again(session, form.fields, faults);
    }
  }
}

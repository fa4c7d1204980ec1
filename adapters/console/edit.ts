import type { Approval } from "#contract/approval.ts";
import type { FormFault, FormField } from "#contract/form.ts";
import { skipPast } from "./follow.ts";
import { printProblem, problemOf } from "./problems.ts";
import { hang } from "./render/layout.ts";
import { plainLine, plainText } from "./render/plain.ts";
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

/** One field's text; undefined when it was broken off. */
async function askField(session: Session, field: FormField, now: string): Promise<string | undefined> {
  const { screen, keyboard } = session;
  const { ink } = screen;
  const optional = field.required ? "" : ink.paint("gray", " (optional)");
  screen.print(`${ink.paint("bold", plainLine(field.label))}${optional}`);
  const width = Math.min(screen.columns, 100);
  const hint = [...choicesOf(field), ...(field.help === undefined ? [] : [field.help])].join(" · ");
  if (hint !== "") screen.print(hang("  ", ink.paint("gray", plainLine(hint)), width).join("\n"));
  // Several lines stand above the prompt; a single one in it.
  const isLong = now.includes("\n") || now.length > 60;
  if (isLong) screen.print(hang("  ", plainText(now), width).join("\n"));
  const shown = now === "" ? "none" : isLong ? "as above" : plainLine(now);
  const text = await keyboard.ask(`${ink.paint("gray", `[${shown}]`)} `, { lines: true });
  if (text === undefined) return undefined;
  if (text === "") return now;
  if (text === "-" && !field.required) return "";
  return byLabel(field, text);
}

function choicesOf({ kind, options = [] }: FormField): string[] {
  if (kind === "boolean") return ["yes or no"];
  return kind === "select" ? [options.map(({ label }) => label).join(", ")] : [];
}

/** A choice by its label as well, in any case; what is none is left for the form to refuse. */
function byLabel({ kind, options = [] }: FormField, text: string): string {
  const said = text.trim().toLowerCase();
  if (kind === "boolean") {
    if (said === "yes" || said === "y") return "true";
    return said === "no" || said === "n" ? "false" : said;
  }
  if (kind !== "select" || options.some(({ value }) => value === text)) return text;
  const named = options.filter(({ label }) => label.toLowerCase() === said);
  return named.length === 1 ? (named[0]?.value ?? text) : text;
}

/** Says what is wrong, and gives the fields to ask for once more. */
function again(session: Session, fields: FormField[], faults: FormFault[]): FormField[] {
  for (const { name, message } of faults) {
    if (message === "") continue;
    const label = fields.find((field) => field.name === name)?.label ?? name;
    session.screen.print(session.screen.ink.paint("red", plainLine(`✖ ${label}: ${message}`)));
  }
  const named = fields.filter(({ name }) => faults.some((fault) => fault.name === name));
  return named.length === 0 ? fields : named;
}

/** The fields of arguments that the tool does not take; undefined for any other error. */
function refused(error: unknown, fields: FormField[]): FormFault[] | undefined {
  if (problemOf(error).code !== "bad_args") return undefined;
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  const names =
    typeof details === "object" && details !== null && "fields" in details && Array.isArray(details.fields)
      ? details.fields.map(String)
      : [];
  return fields
    .filter(({ name }) => names.some((one) => name === one || name.startsWith(`${one}.`)))
    .map(({ name }) => ({ name, message: "" }));
}

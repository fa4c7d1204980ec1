import type { FormFault, FormField } from "#contract/form.ts";
import { problemOf } from "./problems.ts";
import { hang } from "./render/layout.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";
import type { Session } from "./session.ts";

/** One field's text; undefined when it was broken off. */
export async function askField(session: Session, field: FormField, now: string): Promise<string | undefined> {
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
export function again(session: Session, fields: FormField[], faults: FormFault[]): FormField[] {
  for (const { name, message } of faults) {
    if (message === "") continue;
    const label = fields.find((field) => field.name === name)?.label ?? name;
    session.screen.print(session.screen.ink.paint("red", plainLine(`✖ ${label}: ${message}`)));
  }
  const named = fields.filter(({ name }) => faults.some((fault) => fault.name === name));
  return named.length === 0 ? fields : named;
}

/** The fields of arguments that the tool does not take; undefined for any other error. */
export function refused(error: unknown, fields: FormField[]): FormFault[] | undefined {
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

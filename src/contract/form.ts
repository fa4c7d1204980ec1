import type { JsonObject } from "./json.ts";
import type { Tool } from "./tool.ts";

/** A platform-neutral form over the arguments of a tool. Values are text; empty leaves an optional one out. */
export interface Form {
  title: string;
  fields: FormField[];
  /** What its own words are written in, such as German; absent: English. */
  language?: string;
}

export interface FormField {
  /** Names the argument; `fields.priority` is the member `priority` of the argument `fields`. */
  name: string;
  label: string;
  kind: FormFieldKind;
  required: boolean;
  /** The present value as text; empty where the argument is absent. */
  value: string;
  /** With `select`: what there is to choose from; an optional one may also stay empty. */
  options?: FormOption[];
  help?: string;
}

export type FormFieldKind =
  | "text" // one line
  | "long_text"
  | "number"
  | "integer"
  | "boolean" // "true" or "false"
  | "date" // YYYY-MM-DD
  | "person" // a name, which platforms with a picker of people fill in
  | "select"
  | "list" // one text per line; `[]` alone is an empty list
  | "json"; // a JSON text, for whatever the other kinds cannot express

export interface FormOption {
  value: string;
  label: string;
}

/** What came back, by field name. An absent field leaves its argument as it is. */
export type FormValues = ReadonlyMap<string, string>;

export interface FormFault {
  /** The field it belongs to. */
  name: string;
  message: string;
}

export type FormReading = { ok: true; args: JsonObject } | { ok: false; faults: FormFault[] };

export type FormTool = Pick<Tool, "id" | "name" | "title" | "inputSchema" | "fixed">;

/**
 * From a tool's input schema to a form and back; never throws, whatever the schema. Fields that come back as sent
 * give exactly the arguments they were made from. Checks only that each text is a value of its kind: whether the
 * tool takes the arguments is for the core to say.
 */
export interface Forms {
  /** `language` of its own words, such as German; English without it. */
  toForm(tool: FormTool, args: JsonObject, language?: string): Form;
  fromForm(tool: FormTool, args: JsonObject, values: FormValues, language?: string): FormReading;
}

import { isFields } from "../../slack/json.ts";
import { DiscordError } from "../errors.ts";
import type { Fields } from "../types.ts";

/** Every key of a type, so that a field table is complete and holds nothing else, or it does not compile. */
export type FieldsOf<T> = Record<T extends unknown ? keyof T : never, true>;

type Path = readonly (string | number)[];

/** Collects what is wrong with a request, to be answered as error 50035 with the errors nested like the request. */
export class Form {
  readonly problems: { path: Path; code: string; message: string }[] = [];
  /** Discord ignores these; an app that sends them believes something that is not so. */
  readonly unknown: string[] = [];

  add(path: Path, code: string, message: string): void {
    this.problems.push({ path, code, message });
  }

  required(path: Path): void {
    this.add(path, "BASE_TYPE_REQUIRED", "This field is required");
  }

  /** Text of `least` to `most` characters. True when it is text at all. */
  text(value: unknown, path: Path, most: number, least = 0, needed: boolean = least > 0): value is string {
    if (value === undefined || value === null) {
      if (needed) this.required(path);
      return false;
    }
    if (typeof value !== "string") {
      this.add(path, "STRING_TYPE_CONVERT", `Could not interpret "${JSON.stringify(value)}" as string.`);
      return false;
    }
    // Whether Discord counts characters outside the first plane once or twice is not documented: twice is safe.
    this.length(value.trim().length < least ? 0 : value.length, path, most, least);
    return true;
  }

  /** A list of `least` to `most` items; an empty one when it is none. */
  list(value: unknown, path: Path, most: number, least = 0): unknown[] {
    if (value === undefined || value === null) {
      if (least > 0) this.required(path);
      return [];
    }
    if (!Array.isArray(value)) {
      this.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
      return [];
    }
    this.length(value.length, path, most, least);
    return value as unknown[];
  }

  /** An object with known fields only; undefined when it is none. */
  object(value: unknown, path: Path, known: Record<string, true>): Fields | undefined {
    if (!isFields(value)) {
      this.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
      return undefined;
    }
    this.unknown.push(
      ...Object.keys(value)
        .filter((key) => known[key] === undefined)
        .map((key) => [...path, key].join(".")),
    );
    return value;
  }

  number(value: unknown, path: Path, least: number, most: number): void {
    if (value === undefined || value === null) return;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.add(path, "NUMBER_TYPE_COERCE", `Value "${JSON.stringify(value)}" is not int.`);
    } else if (value < least) {
      this.add(path, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${least}.`);
    } else if (value > most) {
      this.add(path, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${most}.`);
    }
  }

  flag(value: unknown, path: Path): void {
    if (value === undefined || value === null || typeof value === "boolean") return;
    this.add(path, "BOOLEAN_TYPE_CONVERT", `Must be either true or false.`);
  }

  url(value: unknown, path: Path, schemes: readonly string[] = ["http:", "https:"]): void {
    if (value === undefined || value === null) return;
    if (!this.text(value, path, 2048, 1)) return;
    const scheme = URL.canParse(value) ? new URL(value).protocol : "";
    if (schemes.includes(scheme)) return;
    const names = schemes.map((name) => `'${name.slice(0, -1)}'`).join(", ");
    this.add(
      path,
      "URL_TYPE_INVALID_SCHEME",
      `Scheme "${scheme}" is not supported. Scheme must be one of (${names}).`,
    );
  }

  choice(value: unknown, path: Path, among: readonly unknown[]): void {
    if (value === undefined || among.includes(value)) return;
    const names = among.map(String).join(", ");
    this.add(path, "BASE_TYPE_CHOICES", `Value must be one of {${names}}.`);
  }

  /** Throws the refusal, if there is reason to. `under` is where the request holds what was checked. */
  refuse(under?: string): void {
    if (this.problems.length === 0) return;
    const errors: Fields = {};
    for (const { path, code, message } of this.problems) {
      let node = errors;
      for (const key of under === undefined ? path : [under, ...path]) {
        node = (node[String(key)] ??= {}) as Fields;
      }
      ((node["_errors"] ??= []) as Fields[]).push({ code, message });
    }
    throw new DiscordError(400, 50035, "Invalid Form Body", errors);
  }

  private length(length: number, path: Path, most: number, least: number): void {
    if (length >= least && length <= most) return;
    if (least > 0) this.add(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${most} in length.`);
    else this.add(path, "BASE_TYPE_MAX_LENGTH", `Must be ${most} or fewer in length.`);
  }
}

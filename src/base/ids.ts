import { ulid } from "ulid";

/** A sortable unique id with a prefix that says what it names: `turn_01J…`, `appr_01J…`. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid()}`;
}

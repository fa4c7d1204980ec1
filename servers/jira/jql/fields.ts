/** What can be asked of a field: names are compared whole, texts by words, ranks and dates by order. */
export type FieldKind = "name" | "person" | "text" | "rank" | "date";

export type FieldName =
  | "project"
  | "key"
  | "type"
  | "status"
  | "statusCategory"
  | "priority"
  | "assignee"
  | "reporter"
  | "labels"
  | "epic"
  | "summary"
  | "description"
  | "comment"
  | "text"
  | "created"
  | "updated"
  | "due";

export const fieldKinds: Readonly<Record<FieldName, FieldKind>> = {
  project: "name",
  key: "name",
  type: "name",
  status: "name",
  statusCategory: "name",
  priority: "rank",
  assignee: "person",
  reporter: "person",
  labels: "name",
  epic: "name",
  summary: "text",
  description: "text",
  comment: "text",
  text: "text",
  created: "date",
  updated: "date",
  due: "date",
};

const otherNames: Readonly<Record<string, FieldName>> = {
  issue: "key",
  issuekey: "key",
  id: "key",
  issuetype: "type",
  statuscategory: "statusCategory",
  label: "labels",
  parent: "epic",
  "epic link": "epic",
  createddate: "created",
  updateddate: "updated",
  duedate: "due",
};

/** The field of a name as people write it, in any case. */
export function fieldOf(name: string): FieldName | undefined {
  const folded = name.toLowerCase();
  if (Object.hasOwn(otherNames, folded)) return otherNames[folded];
  return Object.hasOwn(fieldKinds, folded) ? (folded as FieldName) : undefined;
}

export type Operator =
  | "="
  | "!="
  | "~"
  | "!~"
  | ">"
  | ">="
  | "<"
  | "<="
  | "in"
  | "not in"
  | "is empty"
  | "is not empty";

const equality: readonly Operator[] = ["=", "!=", "in", "not in", "is empty", "is not empty"];
const order: readonly Operator[] = [">", ">=", "<", "<="];

export const operatorsOf: Readonly<Record<FieldKind, readonly Operator[]>> = {
  name: equality,
  person: equality,
  text: ["~", "!~", "is empty", "is not empty"],
  rank: [...equality, ...order],
  date: [...equality, ...order],
};

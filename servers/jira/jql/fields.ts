/** What can be asked of a field: names are compared whole, texts by words, ranks and dates by order. */
export const fieldKinds = {
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
  /** What its links are called from where it stands, such as "is blocked by". */
  issueLinkType: "name",
} as const;

export type FieldName = keyof typeof fieldKinds;
type FieldKind = (typeof fieldKinds)[FieldName];

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
  issuelinktype: "issueLinkType",
};

/** The field of a name as people write it, in any case. */
export function fieldOf(name: string): FieldName | undefined {
  const folded = name.toLowerCase();
  if (Object.hasOwn(otherNames, folded)) return otherNames[folded];
  return Object.hasOwn(fieldKinds, folded) ? (folded as FieldName) : undefined;
}

const equality = ["=", "!=", "in", "not in", "is empty", "is not empty"] as const;
const matching = ["~", "!~", "is empty", "is not empty"] as const;
const order = [">", ">=", "<", "<="] as const;

export type Operator = (typeof equality | typeof matching | typeof order)[number];

export const operatorsOf: Readonly<Record<FieldKind, readonly Operator[]>> = {
  name: equality,
  person: equality,
  text: matching,
  rank: [...equality, ...order],
  date: [...equality, ...order],
};

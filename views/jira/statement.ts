import { z } from "zod";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type {
  Said,
  Statement,
  StatementChange,
  StatementInput,
  StatementObject,
} from "#contract/statement.ts";
import { plainTitle, quoted, TITLE_CHARS } from "#src/base/statement.ts";
import { plainValue } from "#src/base/template.ts";
import { cutText } from "#src/base/text.ts";
import { withArticle } from "#src/base/tool-phrase.ts";
import { humanise } from "#src/base/tool-words.ts";
import { en } from "#src/base/words/en.ts";

import { changedPart } from "../changed-part.ts";
import { textSchema } from "../shapes.ts";
import { hrefOf, humanDate } from "../text.ts";

/*
 * What the tools of the bundled Jira server, and those of the same names whose data fits, do in a sentence. Each
 * throws where the data does not fit.
 */

const issueSchema = z.object({
  key: z.string().min(1),
  summary: z.string(),
  type: textSchema,
  status: textSchema,
  priority: textSchema,
  assignee: z.union([z.string(), z.object({ name: z.string() })]).nullish(),
  due_date: textSchema,
  url: textSchema,
});

const keyArgs = z.object({ issue_key: z.string().min(1) });
const fieldsSchema = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

/** What a dry run and the change itself bring. */
const changeSchema = z.object({
  before: z.record(z.string(), z.unknown()).nullable(),
  after: fieldsSchema.nullable(),
  issue: issueSchema.nullish(),
});

type Fields = z.infer<typeof fieldsSchema>;
type Issue = z.infer<typeof issueSchema>;

function changeOf(preview: JsonValue | undefined): z.infer<typeof changeSchema> | undefined {
  return preview === undefined ? undefined : changeSchema.parse(preview);
}

function objectOf(key: string, issue: Issue | null | undefined): StatementObject {
  // Without the issue at hand this is whatever somebody wrote.
  if (issue == null)
    return { kind: "issue", ...(/^[A-Z][A-Z0-9_]*-\d+$/i.test(key) ? { label: key } : { title: key }) };
  return {
    kind: "issue",
    label: issue.key,
    ...(issue.summary === "" ? {} : { title: issue.summary }),
    ...hrefOf(issue.url),
  };
}

/** "Create a bug “Printer on fire” in DEMO for Emi Tanaka". */
export function createIssueStatement({ args, preview }: StatementInput): Statement {
  const given = z.object({ project: z.string().min(1), summary: z.string().min(1) }).parse(args);
  const change = changeOf(preview);
  const after: Fields = change?.after ?? fieldsSchema.parse(args);
  const { project, summary, type, ...others } = after;
  const whom =
    typeof others.assignee === "string" ? saidAs(others.assignee, change !== undefined) : undefined;
  const kind = typeof type === "string" && type !== "" ? type.toLowerCase() : "issue";
  const title = typeof summary === "string" ? summary : given.summary;
  const created = change?.issue;
  const isKnown = change !== undefined || /^[A-Z][A-Z0-9_]{0,20}$/.test(given.project);
  const place = saidAs(project ?? given.project, isKnown);
  return {
    form: { is: "create", in: place, ...(whom === undefined ? {} : { for: whom }) },
    verb: `Create ${withArticle(kind)}`,
    past: `Created ${withArticle(kind)}`,
    object: {
      kind,
      ...(created == null ? {} : { label: created.key, ...hrefOf(created.url) }),
      title,
    },
    rest: `in ${written(place)}${whom === undefined ? "" : ` for ${written(whom)}`}`,
    // The sentence cuts a long title, and who approves has to read all of it.
    changes: fieldChanges(null, title.length > TITLE_CHARS ? { summary: title, ...others } : others),
    isDestructive: false,
  };
}

/** Labels of fields that their names do not tell. */
const LABELS: Readonly<Record<string, string>> = { summary: "title", epic_key: "epic" };

/** "Change the priority of DEMO-4 “…” to High (from Low)". */
export function updateIssueStatement({ args, preview }: StatementInput): Statement {
  const { issue_key: key, fields } = keyArgs.extend({ fields: fieldsSchema }).parse(args);
  const change = changeOf(preview);
  const after = change?.after ?? fields;
  const before = change?.before ?? null;
  const names = Object.keys(after);
  const about = {
    object: objectOf(key, change?.issue),
    changes: fieldChanges(before, after),
    isDestructive: false,
    ...(before === null ? {} : { canUndo: true }),
  };
  const [name = ""] = names;
  if (names.length === 1 && name === "assignee") return assigning(about, before, after);
  if (names.length === 1 && name === "labels") return labelling(about, before?.labels, after.labels);
  const words = names.map(wordOf);
  const which = `the ${words.length > 3 ? `${words.length} fields` : joined(words)} of`;
  if (names.length === 1 && name === "summary") {
    // The title of the issue in the sentence is the old one.
    const object = { ...about.object, ...titleOf(before?.summary) };
    const to = { rest: `to ${quoted(String(after.summary))}`, already: "already has this title" };
    const form = { is: "rename", to: plainTitle(String(after.summary)) } as const;
    return { verb: "Rename", past: "Renamed", form, ...about, object, ...to };
  }
  const isKnown = before !== null;
  const value = after[name];
  const labels = about.changes.map(({ label }) => label);
  const toSaid = (field: string): Said | null => {
    const plain = spoken(field, after[field]);
    return plain === null || plain === "" || plain.length === 0 ? null : saidAs(plain, isKnown);
  };
  if (names.length === 1 && (value === null || value === "")) {
    const was = spoken(name, before?.[name]);
    const rest = typeof was === "string" && was.length <= 40 ? { rest: `(it was ${said(was, true)})` } : {};
    const form = { is: "change", fields: labels, to: [null], ...fromOf(was) } as const;
    return {
      verb: `Clear ${which}`,
      past: `Cleared ${which}`,
      form,
      ...about,
      ...rest,
      already: `has no ${wordOf(name)}`,
    };
  }
  if (names.length === 1 && isShort(value)) {
    const already = `already has the ${wordOf(name)} ${said(spoken(name, value), isKnown)}`;
    const rest = toWords(spoken(name, value), spoken(name, before?.[name]), isKnown);
    const form = {
      is: "change",
      fields: labels,
      to: [toSaid(name)],
      ...fromOf(spoken(name, before?.[name])),
    } as const;
    return { verb: `Change ${which}`, past: `Changed ${which}`, form, ...about, rest, already };
  }
  const isTold = names.length > 1 && names.length <= 3 && names.every((field) => isTellable(after[field]));
  const told = names.map((field) => `${wordOf(field)} ${said(spoken(field, after[field]), isKnown)}`);
  return {
    verb: `Change ${which}`,
    past: `Changed ${which}`,
    form: { is: "change", fields: labels, ...(isTold ? { to: names.map(toSaid) } : {}) },
    ...about,
    ...(isTold ? { rest: `to ${joined(told)}` } : {}),
  };
}

function wordOf(field: string): string {
  return LABELS[field] ?? humanise(field).toLowerCase();
}

/** "Add label urgent to DEMO-3 “…”": which labels come and go, where it is known which are there. */
function labelling(about: About, before: unknown, after: Fields[string] | undefined): Statement {
  const wanted = labelsOf(after);
  const had = Array.isArray(before) ? labelsOf(before) : undefined;
  const noun = (labels: readonly string[]): string =>
    `${labels.length === 1 ? "label" : "labels"} ${labelWords(labels)}`;
  const already = {
    already: wanted.length === 0 ? "already has no labels" : `already has the ${noun(wanted)}`,
  };
  if (had === undefined) {
    const rest = wanted.length === 0 ? "to nothing" : `to ${labelWords(wanted)}`;
    const form = { is: "labels", to: labelsSaid(wanted) } as const;
    return { verb: "Set the labels of", past: "Set the labels of", form, ...about, rest, ...already };
  }
  const added = wanted.filter((label) => !had.includes(label));
  const removed = had.filter((label) => !wanted.includes(label));
  if (removed.length === 0 && added.length > 0)
    return {
      verb: `Add ${noun(added)} to`,
      past: `Added ${noun(added)} to`,
      form: { is: "labels", added: labelsSaid(added) },
      ...about,
      ...already,
    };
  if (added.length === 0 && removed.length > 0)
    return {
      verb: `Remove ${noun(removed)} from`,
      past: `Removed ${noun(removed)} from`,
      form: { is: "labels", removed: labelsSaid(removed) },
      ...about,
      ...already,
    };
  const isWhole = removed.length === had.length;
  const rest = isWhole
    ? `with ${labelWords(wanted)} (from ${labelWords(had)})`
    : `: add ${labelWords(added)}, remove ${labelWords(removed)}`;
  const [verb, past] = isWhole ? ["Replace", "Replaced"] : ["Change", "Changed"];
  const form = isWhole
    ? ({ is: "labels", to: labelsSaid(wanted), from: labelsSaid(had) } as const)
    : ({ is: "labels", added: labelsSaid(added), removed: labelsSaid(removed) } as const);
  return { verb: `${verb} the labels of`, past: `${past} the labels of`, form, ...about, rest, ...already };
}

/** Labels are whatever somebody wrote: what is not one word is quoted. */
function labelWords(labels: readonly string[]): string {
  return joined(labelsSaid(labels).map(written));
}

function labelsSaid(labels: readonly string[]): Said[] {
  return labels.map((label) =>
    /^[\w.:/+-]{1,40}$/.test(label) ? { text: label } : { text: plainTitle(label, 40), isQuoted: true },
  );
}

function labelsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return list.map(String);
}

/** "Move DEMO-4 “…” to Done". */
export function transitionIssueStatement({ args, preview }: StatementInput): Statement {
  const { issue_key: key, status } = keyArgs.extend({ status: z.string().min(1) }).parse(args);
  const change = changeOf(preview);
  const after = change?.after ?? { status };
  return {
    form: { is: "move", to: saidAs(after.status, change !== undefined) },
    verb: "Move",
    past: "Moved",
    object: objectOf(key, change?.issue),
    rest: `to ${said(after.status, change !== undefined)}`,
    changes: fieldChanges(change?.before ?? null, after),
    isDestructive: false,
    already: `is already ${said(after.status, change !== undefined)}`,
    ...(change === undefined ? {} : { canUndo: true }),
  };
}

/** "Assign DEMO-4 “…” to Ben Okafor (from nobody)". */
export function assignIssueStatement({ args, preview }: StatementInput): Statement {
  const { issue_key: key, assignee } = keyArgs.extend({ assignee: z.string().nullable() }).parse(args);
  const change = changeOf(preview);
  const before = change?.before ?? null;
  const after = change?.after ?? { assignee };
  const about = {
    object: objectOf(key, change?.issue),
    changes: fieldChanges(before, after),
    isDestructive: false,
    ...(before === null ? {} : { canUndo: true }),
  };
  return assigning(about, before, after);
}

type About = Pick<Statement, "object" | "changes" | "isDestructive" | "canUndo">;

function assigning(about: About, before: Record<string, unknown> | null, { assignee }: Fields): Statement {
  const was = before === null ? undefined : typeof before.assignee === "string" ? before.assignee : null;
  if (assignee === null || assignee === undefined || /^unassigned$/i.test(String(assignee))) {
    const from = typeof was === "string" ? { rest: `(from ${said(was, true)})` } : {};
    return {
      verb: "Unassign",
      past: "Unassigned",
      form: { is: "unassign", ...fromOf(was ?? null) },
      ...about,
      ...from,
      already: "is already assigned to nobody",
    };
  }
  const from = was === undefined ? "" : ` (from ${was === null ? "nobody" : said(was, true)})`;
  const whom = said(assignee, before !== null);
  const already = `is already assigned to ${whom}`;
  const to = saidAs(assignee, before !== null);
  const form = { is: "assign", to, ...(was === null ? { from: null } : fromOf(was ?? null)) } as const;
  return { verb: "Assign", past: "Assigned", form, ...about, rest: `to ${whom}${from}`, already };
}

/** "Add a comment to MOB-7 “…”". */
export function addCommentStatement({ args, record }: StatementInput): Statement {
  const { issue_key: key, body } = keyArgs.extend({ body: z.string().min(1) }).parse(args);
  const issue = record === undefined ? undefined : issueSchema.parse(record);
  return {
    form: { is: "comment" },
    verb: "Add a comment to",
    past: "Added a comment to",
    object: objectOf(key, issue),
    changes: [{ label: "Comment", after: body }],
    isDestructive: false,
  };
}

const linkPreview = z.object({ from: issueSchema, to: issueSchema, type: z.string() });

/** "Link DEMO-1 “…”: it blocks DEMO-2 “…”". */
export function linkIssuesStatement({ args, preview }: StatementInput): Statement {
  const {
    from_key: from,
    to_key: to,
    type,
  } = z
    .object({ from_key: z.string().min(1), to_key: z.string().min(1), type: z.string().min(1) })
    .parse(args);
  const known = linkPreview.safeParse(preview).data;
  const other = known?.to.summary ?? "";
  const phrase = known?.type ?? type;
  const target =
    known === undefined ? said(to, false) : `${known.to.key}${other === "" ? "" : ` ${quoted(other)}`}`;
  // What the server calls it is a verb, such as "is blocked by".
  const how =
    known === undefined ? `to ${target} as ${quoted(type, 40)}` : `: it ${said(phrase, true)} ${target}`;
  return {
    form: {
      is: "link",
      to: known === undefined ? saidAs(to, false) : { text: known.to.key },
      ...(other === "" ? {} : { title: plainTitle(other) }),
      as: saidAs(phrase, known !== undefined),
    },
    verb: "Link",
    past: "Linked",
    object: objectOf(from, known?.from),
    rest: how,
    already: `already ${said(phrase, known !== undefined)} ${target}`,
    changes: [{ label: "Link", after: `${from} ${phrase} ${to}` }],
    isDestructive: false,
  };
}

/** "Delete DEMO-5 “…” permanently". */
export function deleteIssueStatement({ args, preview }: StatementInput): Statement {
  const { issue_key: key } = keyArgs.parse(args);
  const change = changeOf(preview);
  const issue = change?.issue ?? (change?.before == null ? undefined : issueSchema.parse(change.before));
  const { type, status, assignee } = issue ?? {};
  const who = typeof assignee === "object" ? (assignee?.name ?? "nobody") : assignee;
  const gone = { Type: type, Status: status, "Assigned to": issue === undefined ? undefined : who };
  return {
    form: { is: "delete" },
    verb: "Delete",
    past: "Deleted",
    object: objectOf(key, issue),
    rest: "permanently",
    changes: Object.entries(gone).flatMap(([label, before]) => (before == null ? [] : [{ label, before }])),
    isDestructive: true,
    canUndo: false,
  };
}

/** The read that shows the issue of a call that has no dry run. */
export function readIssue({ issue_key: key }: JsonObject): { tool: string; args: JsonObject } | undefined {
  return typeof key === "string" ? { tool: "get_jira_issue", args: { issue_key: key } } : undefined;
}

function fieldChanges(before: Record<string, unknown> | null, after: Fields): StatementChange[] {
  return Object.entries(after).map(([name, value]) => {
    const label = humanise(LABELS[name] ?? name);
    const now = shown(name, value);
    if (before === null || !(name in before)) return { label, after: now };
    const was = shown(name, before[name] as JsonValue);
    return { label, ...changedPart(was, now) };
  });
}

function shown(name: string, value: JsonValue): JsonValue {
  if (value === null) return name === "assignee" ? "nobody" : null;
  if (Array.isArray(value)) return value.map((item) => plainValue(item) ?? "").join(", ");
  return name === "due_date" && typeof value === "string" ? humanDate(value, en) : value;
}

function titleOf(summary: unknown): { title?: string } {
  return typeof summary === "string" && summary !== "" ? { title: summary } : {};
}

/** A value as people read it in a sentence. */
function spoken(name: string, value: unknown): Fields[string] {
  const plain = fieldsSchema.valueType.safeParse(value).data ?? null;
  return name === "due_date" && typeof plain === "string" ? humanDate(plain, en) : plain;
}

function isTellable(value: Fields[string] | undefined): boolean {
  return isShort(value) || (Array.isArray(value) && value.join(", ").length <= 40);
}

function isShort(value: JsonValue | undefined): boolean {
  return value === null || (typeof value === "string" && value.length <= 40 && !value.includes("\n"));
}

function toWords(value: Fields[string] | undefined, was: unknown, isKnown: boolean): string {
  const from = typeof was === "string" && was !== "" && was.length <= 40 ? ` (from ${said(was, true)})` : "";
  return `to ${said(value, isKnown)}${from}`;
}

/**
 * A value in the middle of a sentence. What the server knows, such as a name or a status, stands as it is; what
 * somebody wrote is quoted, as it could read like a part of the sentence.
 */
function said(value: Fields[string] | undefined, isKnown: boolean): string {
  return written(saidAs(value, isKnown));
}

function saidAs(value: Fields[string] | undefined, isKnown: boolean): Said {
  if (Array.isArray(value) && value.length > 0) return { text: labelWords(value) };
  const text = (Array.isArray(value) ? "" : value) || "nothing";
  return isKnown
    ? { text: cutText(text.replaceAll(/[“”„‟«»]/g, '"'), 60) }
    : { text: plainTitle(text, 60), isQuoted: true };
}

function written({ text, isQuoted }: Said): string {
  return isQuoted === true ? `“${text}”` : text;
}

function fromOf(was: unknown): { from?: Said } {
  return typeof was === "string" && was !== "" && was.length <= 40 ? { from: saidAs(was, true) } : {};
}

function joined(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

import { z } from "zod";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, StatementObject } from "#contract/statement.ts";
import { plainTitle, quoted } from "#src/base/statement.ts";

import { changedPart } from "../changed-part.ts";
import { textSchema } from "../shapes.ts";
import { hrefOf } from "../text.ts";
import { rowChanges } from "./table-rows.ts";

/* The same as views/jira/statement.ts for the tools of a wiki. */

const named = z.object({ key: z.string(), name: z.string() });

const pageSchema = z.object({
  title: z.string().min(1),
  space: named.nullish(),
  url: textSchema,
});

const fieldsSchema = z.record(z.string(), z.unknown());

const changeSchema = z.object({
  before: fieldsSchema.nullable(),
  after: fieldsSchema.nullable(),
  page: pageSchema.nullish(),
});

type Page = z.infer<typeof pageSchema>;

const pageArgs = z.object({ page_id: z.string().min(1) });

function changeOf(preview: JsonValue | undefined): z.infer<typeof changeSchema> | undefined {
  return preview === undefined ? undefined : changeSchema.parse(preview);
}

function objectOf(id: string, page: Page | null | undefined): StatementObject {
  if (page == null)
    return { kind: "page", ...(/^[\w-]{1,40}$/.test(id) ? { label: `page ${id}` } : { title: id }) };
  return { kind: "page", title: page.title, ...hrefOf(page.url) };
}

/** "Create a page “Release checklist” in Engineering Handbook". */
export function createPageStatement({ args, preview }: StatementInput): Statement {
  const { space, title, body } = z
    .object({ space: z.string().min(1), title: z.string().min(1), body: z.string() })
    .parse(args);
  const change = changeOf(preview);
  const after = change?.after ?? {};
  const known = named.safeParse(after.space).data?.name ?? (/^[\w~-]{1,40}$/.test(space) ? space : undefined);
  const place = known === undefined ? { text: plainTitle(space), isQuoted: true } : { text: known };
  const parent = pageSchema.pick({ title: true }).safeParse(after.parent).data?.title;
  const { href } = hrefOf(change?.page?.url);
  return {
    form: { is: "create", in: place, ...(parent === undefined ? {} : { under: plainTitle(parent) }) },
    verb: "Create a page",
    past: "Created a page",
    object: { kind: "page", title, ...(href === undefined ? {} : { href }) },
    rest: `in ${known ?? quoted(space)}${parent === undefined ? "" : ` under ${quoted(parent)}`}`,
    changes: [{ label: "Text", after: body }],
    isDestructive: false,
  };
}

/** "Rename “Old” to “New”", "Change the text of “Release checklist”", "Change “180” to “200” in “Expenses”", "Add to the text of “Release checklist”". */
export function updatePageStatement({ args, preview }: StatementInput): Statement {
  const { page_id: id, ...given } = pageArgs
    .extend({
      title: z.string().optional(),
      body: z.string().optional(),
      append: z.string().optional(),
      under: z.string().optional(),
      passage: z.string().optional(),
      replacement: z.string().optional(),
    })
    .parse(args);
  const change = changeOf(preview);
  const isAdded = given.append !== undefined;
  const isRow = /^\s*\|[^\n]*\|\s*$/.test(given.append ?? "");
  const below = isRow ? "a row to the table of" : "to the text of";
  const isEdited = given.passage !== undefined;
  const edited = isEdited
    ? [{ body: given.passage }, { title: given.title, body: given.replacement ?? "" }]
    : [{}, given];
  // Of what comes below the text it is enough to see that.
  const [before = {}, after = {}]: Record<string, unknown>[] = isAdded
    ? [{ title: change?.before?.["title"] }, { title: given.title, body: given.append }]
    : [change?.before ?? edited[0] ?? {}, change?.after ?? edited[1] ?? {}];
  const row = isRow ? given.append : given.replacement;
  const cells = row === undefined ? undefined : rowChanges(change?.after?.["body"], row, given.passage);
  const changes = (["title", "body"] as const).flatMap((name): StatementChange[] => {
    const now = after[name];
    if (typeof now !== "string") return [];
    if (name === "body" && cells !== undefined) return cells;
    const label = name === "title" ? "Title" : "Text";
    const was = before[name];
    return [typeof was === "string" ? { label, ...changedPart(was, now) } : { label, after: now }];
  });
  const isRenamed = typeof after["title"] === "string";
  const isRewritten = typeof after["body"] === "string";
  const old = typeof before["title"] === "string" ? before["title"] : change?.page?.title;
  const object = { ...objectOf(id, change?.page), ...(old === undefined ? {} : { title: old }) };
  const under = isAdded && given.under !== undefined ? plainTitle(given.under) : undefined;
  const part = isRenamed ? undefined : partOf(given.passage, given.replacement);
  const text = part === undefined ? "the text of" : `${quoted(part.from)} to ${quoted(part.to)} in`;
  const to = isRenamed
    ? { rest: `to ${quoted(String(after["title"]))}${isRewritten ? " and change its text" : ""}` }
    : under === undefined
      ? {}
      : { rest: `under ${quoted(under)}` };
  return {
    form: isRenamed
      ? { is: "rename", to: plainTitle(String(after["title"])), rewrites: isRewritten }
      : isAdded
        ? { is: "append", ...(isRow && { isRow }), ...(under === undefined ? {} : { under }) }
        : { is: "rewrite", ...(part === undefined ? {} : { part }) },
    verb: isRenamed ? "Rename" : isAdded ? `Add ${below}` : `Change ${text}`,
    past: isRenamed ? "Renamed" : isAdded ? `Added ${below}` : `Changed ${text}`,
    object,
    ...to,
    changes,
    isDestructive: false,
    already: `already has this ${[...(isRenamed ? ["title"] : []), ...(isRewritten ? ["text"] : [])].join(" and ")}`,
    // The wiki keeps the versions before; what was added or replaced could only be set back with all that Markdown cannot say.
    ...(isAdded || isEdited ? {} : { canUndo: true }),
  };
}

/** A few words that become others, as one may read them in a sentence. */
function partOf(from = "", to = ""): { from: string; to: string } | undefined {
  const isShort = [from, to].every((words) => words.length <= MOST_IN_SENTENCE && PLAIN.test(words));
  return isShort ? { from: plainTitle(from), to: plainTitle(to) } : undefined;
}

const MOST_IN_SENTENCE = 40;
const PLAIN = /^[\p{L}\p{N}](?:[^\n|`[\]<>*_"“”„]*[^\s\n|`[\]<>*_"“”„])?$/u;

/** "Add a comment to “Release checklist”". */
export function addPageCommentStatement({ args, record }: StatementInput): Statement {
  const { page_id: id, body } = pageArgs.extend({ body: z.string().min(1) }).parse(args);
  return {
    form: { is: "comment" },
    verb: "Add a comment to",
    past: "Added a comment to",
    object: objectOf(id, record === undefined ? undefined : pageSchema.parse(record)),
    changes: [{ label: "Comment", after: body }],
    isDestructive: false,
  };
}

/** "Delete “Release checklist” from Engineering Handbook (it goes to the trash)". */
export function deletePageStatement({ args, preview }: StatementInput): Statement {
  const { page_id: id } = pageArgs.parse(args);
  const change = changeOf(preview);
  const page = change?.page ?? (change?.before == null ? undefined : pageSchema.parse(change.before));
  const space = page?.space?.name;
  return {
    form: { is: "trash", ...(space === undefined ? {} : { from: space }) },
    verb: "Delete",
    past: "Deleted",
    object: objectOf(id, page),
    rest: `${space === undefined ? "" : `from ${space} `}(it goes to the trash)`,
    changes: [],
    isDestructive: true,
    canUndo: true,
  };
}

/** The read that shows the page of a call that has no dry run. */
export function readPage({ page_id: id }: JsonObject): { tool: string; args: JsonObject } | undefined {
  return typeof id === "string" ? { tool: "get_page", args: { page_id: id } } : undefined;
}
